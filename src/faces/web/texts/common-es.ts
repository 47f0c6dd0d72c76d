import type { common as english } from './common-en.ts'

export const common: typeof english = {
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
  age: { baby: 'Cachorro', young: 'Joven', adult: 'Adulto', senior: 'Mayor' },
  sex: { female: 'Hembra', male: 'Macho', unknown: 'Desconocido' },
  size: { small: 'Pequeño', medium: 'Mediano', large: 'Grande', extra_large: 'Muy grande' },
}
