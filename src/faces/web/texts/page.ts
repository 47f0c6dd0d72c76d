type Words = Record<string, string>

/** Texts that several kinds of pages share. */
const en = {
  /** The language's name in that language. */
  language: 'English',
  skip: 'Skip to main content',
  gallery: 'Animals',
  staff: 'For shelters',
  errorTitles: {
    400: 'This request is not valid',
    403: 'You don’t have access to this page',
    404: 'Page not found',
    405: 'This page can’t be used this way',
    410: 'This page has been removed',
    413: 'You sent too much data at once',
    415: 'This format is not supported',
    429: 'Too many requests',
    500: 'Something went wrong',
    503: 'The service is not available right now',
  } as Record<number, string>,
  errorAdvice: {
    400: 'Check the address, or go back and try again.',
    404: 'The address may be wrong, or the page may have been removed.',
    413: 'Shorten your text or choose smaller files, then try again.',
    429: 'Please wait a minute, then try again.',
    500: 'The error was recorded for the operator of this site. Please try again later.',
    503: 'Please try again in a moment.',
  } as Record<number, string>,
  toGallery: 'See all animals',
  copiedFrom: 'From',
  applyAt: (host: string) => `Apply at ${host}`,
  /** Translations of the built-in categories' names, by the English name in lower case. */
  kinds: {} as Words,
  age: { baby: 'Baby', young: 'Young', adult: 'Adult', senior: 'Senior' } as Words,
  sex: { female: 'Female', male: 'Male', unknown: 'Unknown' } as Words,
  size: { small: 'Small', medium: 'Medium', large: 'Large', extra_large: 'Extra large' } as Words,
  /** Maps the masculine form of a text to its feminine form, if the text must agree with the animal's sex. */
  feminine: {} as Words,
}

const es: typeof en = {
  language: 'Español',
  skip: 'Ir al contenido principal',
  gallery: 'Animales',
  staff: 'Para refugios',
  errorTitles: {
    400: 'Esta petición no es válida',
    403: 'No tiene acceso a esta página',
    404: 'Página no encontrada',
    405: 'Esta página no se puede usar así',
    410: 'Esta página se eliminó',
    413: 'Envió demasiados datos a la vez',
    415: 'Este formato no se admite',
    429: 'Demasiadas peticiones',
    500: 'Se produjo un error',
    503: 'El servicio no está disponible en este momento',
  },
  errorAdvice: {
    400: 'Revise la dirección, o vuelva atrás e inténtelo de nuevo.',
    404: 'Puede que la dirección no sea correcta o que la página se haya eliminado.',
    413: 'Acorte el texto o elija archivos más pequeños e inténtelo de nuevo.',
    429: 'Espere un minuto e inténtelo de nuevo.',
    500: 'El error quedó registrado para quien administra este sitio. Inténtelo más tarde.',
    503: 'Inténtelo de nuevo dentro de un momento.',
  },
  toGallery: 'Ver todos los animales',
  copiedFrom: 'De',
  applyAt: (host: string) => `Solicitar la adopción en ${host}`,
  kinds: {
    dog: 'Perro',
    cat: 'Gato',
    rabbit: 'Conejo',
    'small & furry': 'Pequeños y peludos',
    horse: 'Caballo',
    bird: 'Ave',
    'scales, fins & other': 'Escamas, aletas y otros',
    barnyard: 'Animal de granja',
  },
  age: { baby: 'Cría', young: 'Joven', adult: 'Adulto', senior: 'Mayor' },
  sex: { female: 'Hembra', male: 'Macho', unknown: 'Desconocido' },
  size: { small: 'Pequeño', medium: 'Mediano', large: 'Grande', extra_large: 'Muy grande' },
  feminine: {
    Adulto: 'Adulta',
    Pequeño: 'Pequeña',
    Mediano: 'Mediana',
    Reservado: 'Reservada',
    Adoptado: 'Adoptada',
    Esterilizado: 'Esterilizada',
    'Educado en casa': 'Educada en casa',
    Vacunado: 'Vacunada',
    Retenido: 'Retenida',
    Trasladado: 'Trasladada',
    'Devuelto a su dueño': 'Devuelta a su dueño',
    Fallecido: 'Fallecida',
  },
}

export const page = { en, es }
