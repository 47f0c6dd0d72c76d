/** Words of every page. */
const en = {
  /** The name of the language in itself. */
  language: 'English',
  skip: 'Skip to the content',
  gallery: 'Animals',
  staff: 'For shelters',
  errorTitles: {
    400: 'This address cannot be read',
    403: 'This is not for you to see',
    404: 'There is nothing at this address',
    405: 'This page cannot be used that way',
    410: 'This page is gone',
    413: 'That was too much at once',
    415: 'This cannot be read',
    429: 'That was too much in a short time',
    500: 'Something went wrong here',
    503: 'We cannot answer right now',
  } as Record<number, string>,
  errorAdvice: {
    404: 'It may have been misspelt, or the page was removed.',
    429: 'Wait a minute, then try again.',
    500: 'It is written down, and the operator will see it. Try again later.',
    503: 'A part of the service does not answer. Nothing is lost. Try again in a moment.',
  } as Record<number, string>,
  toGallery: 'See all animals',
  /** Of the categories that every store begins with, by their names in lower case, where others are said. */
  kinds: {} as Record<string, string>,
  age: { baby: 'Baby', young: 'Young', adult: 'Adult', senior: 'Senior' } as Record<string, string>,
  sex: { female: 'Female', male: 'Male', unknown: 'Unknown' } as Record<string, string>,
  size: { small: 'Small', medium: 'Medium', large: 'Large', extra_large: 'Extra large' } as Record<
    string,
    string
  >,
}

const es: typeof en = {
  language: 'Español',
  skip: 'Ir al contenido',
  gallery: 'Animales',
  staff: 'Para refugios',
  errorTitles: {
    400: 'No se puede leer esta dirección',
    403: 'No puede ver esta página',
    404: 'No hay nada en esta dirección',
    405: 'Esta página no se puede usar así',
    410: 'Esta página ya no existe',
    413: 'Eso era demasiado de una vez',
    415: 'Esto no se puede leer',
    429: 'Demasiadas peticiones en poco tiempo',
    500: 'Algo ha fallado aquí',
    503: 'Ahora mismo no podemos responder',
  },
  errorAdvice: {
    404: 'Puede que esté mal escrita o que la página se haya retirado.',
    429: 'Espere un minuto y vuelva a intentarlo.',
    500: 'Queda anotado y el operador lo verá. Inténtelo más tarde.',
    503: 'Una parte del servicio no responde. No se ha perdido nada. Inténtelo de nuevo en un momento.',
  },
  toGallery: 'Ver todos los animales',
  kinds: {
    dog: 'Perro',
    cat: 'Gato',
    rabbit: 'Conejo',
    'small & furry': 'Pequeños y peludos',
    horse: 'Caballo',
    bird: 'Ave',
    'scales, fins & other': 'Escamas, aletas y otros',
    barnyard: 'Granja',
  },
  age: { baby: 'Cachorro', young: 'Joven', adult: 'Adulto', senior: 'Mayor' },
  sex: { female: 'Hembra', male: 'Macho', unknown: 'Desconocido' },
  size: { small: 'Pequeño', medium: 'Mediano', large: 'Grande', extra_large: 'Muy grande' },
}

export const page = { en, es }
