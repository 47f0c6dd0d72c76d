import type { animal as english } from './console-animal-en.ts'
import { fields } from './console-fields-es.ts'

export const animal: typeof english = {
  fields,
  addTitle: 'Añadir un animal',
  addHint: 'Bastan un nombre y una especie. Todo lo demás puede venir después.',
  save: 'Guardar',
  saveAdd: 'Añadir',
  saveAnother: 'Añadir y otro más',
  cancel: 'Cancelar',
  publishNow: 'Mostrarlo en la galería enseguida',
  publishNowHint: 'Si no, espera sin publicar hasta que lo publique.',
  wrong: 'Revise esto, por favor',
  inGallery: 'Verlo en la galería',
  moves: {
    available: 'Hacerlo disponible de nuevo',
    pending: 'Marcar como reservado',
    sold: 'Marcar como adoptado',
  },
  publish: 'Publicar en la galería',
  sections: { photos: 'Fotos', details: 'Datos', orders: 'Solicitudes', history: 'Historial' },
  remove: 'Eliminar este animal',
  removeTitle: (name) => `¿Eliminar a ${name}?`,
  removeHint:
    'Solo para un registro hecho por error. El animal, sus fotos y su historial se pierden para siempre. Un ' +
    'animal que encontró un hogar se marca como adoptado.',
  removeYes: 'Sí, eliminarlo',
  removeNo: 'No, conservarlo',
  conflict: {
    title: 'Otra persona ha cambiado este animal mientras tanto',
    advice:
      'Todavía no se ha guardado nada suyo. El formulario tiene sus cambios, y los de la otra persona en lo demás. ' +
      'Mire lo que cambiaron los dos y guarde de nuevo.',
    field: 'Dato',
    theirs: 'Guardado por otra persona',
    yours: 'Suyo',
    empty: 'vacío',
  },
  history: {
    none: 'Nada ha cambiado desde que se añadió.',
    added: (when) => `Añadido el ${when}`,
    somebody: 'Alguien que ya no está',
    key: (name) => `Programa «${name}»`,
    unknown: 'Un programa',
    nothing: 'nada',
    photos: {
      added: (count) => (count === 1 ? 'Se añadió una foto.' : `Se añadieron ${count} fotos.`),
      removed: (count) => (count === 1 ? 'Se eliminó una foto.' : `Se eliminaron ${count} fotos.`),
      moved: 'Se cambió el orden de las fotos.',
      described: (count) =>
        count === 1 ? 'Se cambió el texto de una foto.' : `Se cambiaron los textos de ${count} fotos.`,
    },
  },
  orders: {
    erased: 'Nombre borrado',
    statuses: { placed: 'Abierta', approved: 'Aprobada', completed: 'Completada', cancelled: 'Cancelada' },
    decisions: { approved: 'Aprobar', completed: 'Adopción completa', cancelled: 'Cancelar' },
  },
}
