import type { photos as english } from './console-photos-en.ts'

export const photos: typeof english = {
  add: 'Añadir fotos',
  addHint:
    'Elija varias a la vez, hágalas con el teléfono, suéltelas o péguelas aquí. Como mucho 15 MB cada una.',
  upload: 'Subir',
  numbered: (name, number) => `Foto ${number} de ${name}`,
  alt: (number) => `Foto ${number}: qué muestra`,
  altHint: 'Para quien no puede verla',
  saveAlt: 'Guardar',
  saveAltOf: (number) => `Guardar el texto de la foto ${number}`,
  up: (number) => `Adelantar la foto ${number}`,
  down: (number) => `Atrasar la foto ${number}`,
  remove: (number) => `Eliminar la foto ${number}`,
  wrong: (number, why) => `Foto ${number}: ${why}`,
  altWrong: 'El texto puede tener como mucho 500 caracteres, en una línea.',
  none: 'No se eligió ninguna foto.',
  failed: 'No se pudo enviar. Compruebe la conexión e inténtelo de nuevo.',
  progress: 'Enviando la foto {number} de {count}',
}
