const en = {
  /** How an animal left, other than by adoption. */
  outcome: {
    title: 'Outcome',
    hint: 'For an animal that leaves without being adopted. Recording an outcome takes it off the gallery and declines its open applications. For an adoption, use “Mark as adopted”.',
    adoptedHint: 'The date of the adoption, and anything else to remember. Never shown in the gallery.',
    kinds: {
      transferred: 'Transferred',
      returned_to_owner: 'Returned to owner',
      died: 'Died',
    } as Record<string, string>,
    record: 'Record outcome',
    remove: 'Remove outcome',
    /** Why the animal is not in the gallery. */
    why: 'Not in the gallery: no longer here.',
  },
  onHold: 'On hold',
  /** Why the animal is not in the gallery. */
  onHoldWhy: 'Not in the gallery: on hold.',
  inFoster: 'In foster care',
  notes: {
    title: 'Notes',
    none: 'No notes yet.',
    kind: 'Type of note',
    date: 'Date',
    text: 'Note',
    textHint: 'Never shown in the gallery.',
    kinds: { medical: 'Medical', behavior: 'Behavior', general: 'General' } as Record<string, string>,
    add: 'Add note',
    all: (count: number) => (count === 1 ? 'Show 1 note to print' : `Show all ${count} notes to print`),
    titleOf: (name: string) => `Notes about ${name}`,
    anyKind: 'All notes',
    remove: 'Remove',
    removeOf: (kind: string, date: string) => `Remove the note of ${date} (${kind})`,
    toAnimal: (name: string) => `Back to ${name}`,
    tooMany: (max: number) => `An animal can have up to ${max} notes. Remove one before you add another.`,
    added: (count: number) => (count === 1 ? 'Added a note.' : `Added ${count} notes.`),
    removed: (count: number) => (count === 1 ? 'Removed a note.' : `Removed ${count} notes.`),
  },
}

const es: typeof en = {
  outcome: {
    title: 'Salida',
    hint: 'Para un animal que se va sin ser adoptado. Al registrar la salida, el animal deja la galería y sus solicitudes abiertas se rechazan. Para una adopción, use «Marcar como adoptado».',
    adoptedHint: 'Cuándo se adoptó el animal y qué más conviene recordar. No se muestra nunca en la galería.',
    kinds: {
      transferred: 'Trasladado',
      returned_to_owner: 'Devuelto a su dueño',
      died: 'Fallecido',
    },
    record: 'Registrar salida',
    remove: 'Quitar salida',
    why: 'Fuera de la galería: ya no está aquí.',
  },
  onHold: 'Retenido',
  onHoldWhy: 'Fuera de la galería mientras dure la retención.',
  inFoster: 'En casa de acogida',
  notes: {
    title: 'Notas',
    none: 'Todavía no hay notas.',
    kind: 'Tipo de nota',
    date: 'Fecha',
    text: 'Nota',
    textHint: 'No se muestra nunca en la galería.',
    kinds: { medical: 'Salud', behavior: 'Comportamiento', general: 'General' },
    add: 'Añadir nota',
    all: (count) => (count === 1 ? 'Ver 1 nota para imprimir' : `Ver las ${count} notas para imprimir`),
    titleOf: (name) => `Notas sobre ${name}`,
    anyKind: 'Todas las notas',
    remove: 'Eliminar',
    removeOf: (kind, date) => `Eliminar la nota del ${date} (${kind})`,
    toAnimal: (name) => `Volver a ${name}`,
    tooMany: (max) => `Un animal puede tener hasta ${max} notas. Elimine una antes de añadir otra.`,
    added: (count) => (count === 1 ? 'Se añadió una nota.' : `Se añadieron ${count} notas.`),
    removed: (count) => (count === 1 ? 'Se eliminó una nota.' : `Se eliminaron ${count} notas.`),
  },
}

export const care = { en, es }
