import { text, type Words } from '../../../http/language.ts'

/** Texts that several kinds of pages share. */
export const page = {
  /** The language's name in that language. */
  language: text('English', 'Español'),
  skip: text('Skip to main content', 'Ir al contenido principal'),
  gallery: text('Animals', 'Animales'),
  staff: text('For shelters', 'Para refugios'),
  errorTitles: {
    400: text('This request is not valid', 'Esta petición no es válida'),
    403: text('You don’t have access to this page', 'No tiene acceso a esta página'),
    404: text('Page not found', 'Página no encontrada'),
    405: text('This page can’t be used this way', 'Esta página no se puede usar así'),
    410: text('This page has been removed', 'Esta página se eliminó'),
    413: text('You sent too much data at once', 'Envió demasiados datos a la vez'),
    415: text('This format is not supported', 'Este formato no se admite'),
    429: text('Too many requests', 'Demasiadas peticiones'),
    500: text('Something went wrong', 'Se produjo un error'),
    503: text('The service is not available right now', 'El servicio no está disponible en este momento'),
  } as Words<number>,
  errorAdvice: {
    400: text(
      'Check the address, or go back and try again.',
      'Revise la dirección, o vuelva atrás e inténtelo de nuevo.',
    ),
    404: text(
      'The address may be wrong, or the page may have been removed.',
      'Puede que la dirección no sea correcta o que la página se haya eliminado.',
    ),
    413: text(
      'Shorten your text or choose smaller files, then try again.',
      'Acorte el texto o elija archivos más pequeños e inténtelo de nuevo.',
    ),
    429: text('Please wait a minute, then try again.', 'Espere un minuto e inténtelo de nuevo.'),
    500: text(
      'The error was recorded for the operator of this site. Please try again later.',
      'El error quedó registrado para quien administra este sitio. Inténtelo más tarde.',
    ),
    503: text('Please try again in a moment.', 'Inténtelo de nuevo dentro de un momento.'),
  } as Words<number>,
  toGallery: text('See all animals', 'Ver todos los animales'),
  copiedFrom: text('From', 'De'),
  applyAt: (host: string) => text(`Apply at ${host}`, `Solicitar la adopción en ${host}`),
  /** Translations of the built-in categories' names, by the English name in lower case. */
  kinds: text({} as Record<string, string>, {
    dog: 'Perro',
    cat: 'Gato',
    rabbit: 'Conejo',
    'small & furry': 'Pequeños y peludos',
    horse: 'Caballo',
    bird: 'Ave',
    'scales, fins & other': 'Escamas, aletas y otros',
    barnyard: 'Animal de granja',
  }),
  age: {
    baby: text('Baby', 'Cría'),
    young: text('Young', 'Joven'),
    adult: text('Adult', 'Adulto'),
    senior: text('Senior', 'Mayor'),
  } as Words,
  sex: {
    female: text('Female', 'Hembra'),
    male: text('Male', 'Macho'),
    unknown: text('Unknown', 'Desconocido'),
  } as Words,
  size: {
    small: text('Small', 'Pequeño'),
    medium: text('Medium', 'Mediano'),
    large: text('Large', 'Grande'),
    extra_large: text('Extra large', 'Muy grande'),
  } as Words,
  /** Maps the masculine form of a text to its feminine form, if the text must agree with the animal's sex. */
  feminine: text({} as Record<string, string>, {
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
  }),
}
