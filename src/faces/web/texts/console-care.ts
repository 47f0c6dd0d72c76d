import { text, type Words } from '../../../http/language.ts'

export const care = {
  /** How an animal left, other than by adoption. */
  outcome: {
    title: text('Outcome', 'Salida'),
    hint: text(
      'For an animal that leaves without being adopted. Recording an outcome takes it off the gallery and declines its open applications. For an adoption, use “Mark as adopted”.',
      'Para un animal que se va sin ser adoptado. Al registrar la salida, el animal deja la galería y sus solicitudes abiertas se rechazan. Para una adopción, use «Marcar como adoptado».',
    ),
    adoptedHint: text(
      'The date of the adoption, and anything else to remember. Never shown in the gallery.',
      'Cuándo se adoptó el animal y qué más conviene recordar. No se muestra nunca en la galería.',
    ),
    kinds: {
      transferred: text('Transferred', 'Trasladado'),
      returned_to_owner: text('Returned to owner', 'Devuelto a su dueño'),
      died: text('Died', 'Fallecido'),
    } as Words,
    record: text('Record outcome', 'Registrar salida'),
    remove: text('Remove outcome', 'Quitar salida'),
    /** Why the animal is not in the gallery. */
    why: text('Not in the gallery: no longer here.', 'Fuera de la galería: ya no está aquí.'),
  },
  onHold: text('On hold', 'Retenido'),
  /** Why the animal is not in the gallery. */
  onHoldWhy: text('Not in the gallery: on hold.', 'Fuera de la galería mientras dure la retención.'),
  inFoster: text('In foster care', 'En casa de acogida'),
  notes: {
    title: text('Notes', 'Notas'),
    none: text('No notes yet.', 'Todavía no hay notas.'),
    kind: text('Type of note', 'Tipo de nota'),
    date: text('Date', 'Fecha'),
    text: text('Note', 'Nota'),
    textHint: text('Never shown in the gallery.', 'No se muestra nunca en la galería.'),
    kinds: {
      medical: text('Medical', 'Salud'),
      behavior: text('Behavior', 'Comportamiento'),
      general: text('General', 'General'),
    } as Words,
    add: text('Add note', 'Añadir nota'),
    all: (count: number) =>
      text(
        count === 1 ? 'Show 1 note to print' : `Show all ${count} notes to print`,
        count === 1 ? 'Ver 1 nota para imprimir' : `Ver las ${count} notas para imprimir`,
      ),
    titleOf: (name: string) => text(`Notes about ${name}`, `Notas sobre ${name}`),
    anyKind: text('All notes', 'Todas las notas'),
    remove: text('Remove', 'Eliminar'),
    removeOf: (kind: string, date: string) =>
      text(`Remove the note of ${date} (${kind})`, `Eliminar la nota del ${date} (${kind})`),
    toAnimal: (name: string) => text(`Back to ${name}`, `Volver a ${name}`),
    tooMany: (max: number) =>
      text(
        `An animal can have up to ${max} notes. Remove one before you add another.`,
        `Un animal puede tener hasta ${max} notas. Elimine una antes de añadir otra.`,
      ),
    added: (count: number) =>
      text(
        count === 1 ? 'Added a note.' : `Added ${count} notes.`,
        count === 1 ? 'Se añadió una nota.' : `Se añadieron ${count} notas.`,
      ),
    removed: (count: number) =>
      text(
        count === 1 ? 'Removed a note.' : `Removed ${count} notes.`,
        count === 1 ? 'Se eliminó una nota.' : `Se eliminaron ${count} notas.`,
      ),
  },
}
