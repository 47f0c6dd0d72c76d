import { fields } from './console-fields.ts'

const en = {
  /** Words of the list of animals. */
  animals: {
    title: 'Animals',
    add: 'Add an animal',
    search: 'Search',
    status: 'Status',
    anyStatus: 'Any status',
    category: 'Kind',
    anyCategory: 'All kinds',
    organization: 'Organization',
    anyOrganization: 'All organizations',
    photos: 'Photos',
    anyPhotos: 'Any',
    withPhotos: 'With photos',
    withoutPhotos: 'Without photos',
    show: 'Show',
    clear: 'Clear',
    found: 'Animals found',
    none: 'No animal fits.',
    first: 'Newest animals',
    next: 'Older animals',
    more: 'The search has more to look through.',
    /** Of an animal without a status too. */
    statuses: {
      available: 'Available',
      pending: 'Reserved',
      sold: 'Adopted',
      unlisted: 'Not published',
    } as Record<string, string>,
    /** Why it is in the gallery or not. */
    why: {
      available: 'In the gallery.',
      pending: 'In the gallery, marked as reserved.',
      sold: 'Not in the gallery: it was adopted.',
      unlisted: 'Not in the gallery: nobody has published it.',
    } as Record<string, string>,
    noPhoto: 'No photo',
    publish: 'Publish',
    publishName: (name: string) => `Publish ${name}`,
    days: (count: number) =>
      count === 0 ? 'Since today.' : count === 1 ? 'Waiting 1 day.' : `Waiting ${count} days.`,
  },
  /** Words of the page of one animal. */
  animal: {
    fields: fields.en,
    addTitle: 'Add an animal',
    addHint: 'A name and a kind are enough. Everything else can follow later.',
    save: 'Save',
    saveAdd: 'Add animal',
    saveAnother: 'Add, then another',
    cancel: 'Cancel',
    publishNow: 'Show it in the gallery at once',
    publishNowHint: 'Otherwise it waits, not published, until you publish it.',
    wrong: 'Please look at these again',
    inGallery: 'See it in the gallery',
    /** Of the buttons that change the status, by the status. */
    moves: {
      available: 'Make available again',
      pending: 'Mark as reserved',
      sold: 'Mark as adopted',
    } as Record<string, string>,
    publish: 'Publish in the gallery',
    sections: { photos: 'Photos', details: 'Details', orders: 'Adoptions', history: 'History' },
    remove: 'Remove this animal',
    removeTitle: (name: string) => `Remove ${name}?`,
    removeHint:
      'Only for a record that was made by mistake. The animal, its photos and its history are gone for good. An ' +
      'animal that found a home is marked as adopted instead.',
    removeYes: 'Yes, remove it',
    removeNo: 'No, keep it',
    conflict: {
      title: 'Somebody else has changed this animal meanwhile',
      advice:
        'Nothing of yours is saved yet. The form below has your changes, and theirs everywhere else. Look at what ' +
        'both of you changed, then save again.',
      field: 'What',
      theirs: 'Saved by them',
      yours: 'Yours',
      empty: 'empty',
    },
    history: {
      none: 'Nothing has changed since it was added.',
      added: (when: string) => `Added on ${when}`,
      somebody: 'Somebody who has left',
      key: (name: string) => `Program “${name}”`,
      unknown: 'A program',
      nothing: 'nothing',
      photos: {
        added: (count: number) => (count === 1 ? 'A photo was added.' : `${count} photos were added.`),
        removed: (count: number) => (count === 1 ? 'A photo was removed.' : `${count} photos were removed.`),
        moved: 'The photos were put in another order.',
        described: (count: number) =>
          count === 1 ? 'The text of a photo was changed.' : `The texts of ${count} photos were changed.`,
      },
    },
    orders: {
      erased: 'Name erased',
      statuses: {
        placed: 'Open',
        approved: 'Approved',
        completed: 'Completed',
        cancelled: 'Cancelled',
      } as Record<string, string>,
      decisions: { approved: 'Approve', completed: 'Adoption complete', cancelled: 'Cancel' } as Record<
        string,
        string
      >,
    },
  },
  /** Words for the photos of an animal. */
  photos: {
    add: 'Add photos',
    addHint: 'Choose several at once, take them with the phone, drop or paste them here. At most 15 MB each.',
    upload: 'Upload',
    numbered: (name: string, number: number) => `Photo ${number} of ${name}`,
    alt: (number: number) => `Photo ${number}: what it shows`,
    altHint: 'For those who cannot see it',
    saveAlt: 'Save',
    saveAltOf: (number: number) => `Save the text of photo ${number}`,
    up: (number: number) => `Move photo ${number} forward`,
    down: (number: number) => `Move photo ${number} back`,
    remove: (number: number) => `Remove photo ${number}`,
    wrong: (number: number, why: string) => `Photo ${number}: ${why}`,
    altWrong: 'The text can have at most 500 characters, in one line.',
    none: 'No photo was chosen.',
    failed: 'This could not be sent. Check the connection, then try again.',
    progress: 'Sending photo {number} of {count}',
  },
}

const es: typeof en = {
  animals: {
    title: 'Animales',
    add: 'Añadir un animal',
    search: 'Buscar',
    status: 'Estado',
    anyStatus: 'Cualquier estado',
    category: 'Especie',
    anyCategory: 'Todas las especies',
    organization: 'Organización',
    anyOrganization: 'Todas las organizaciones',
    photos: 'Fotos',
    anyPhotos: 'Todas',
    withPhotos: 'Con fotos',
    withoutPhotos: 'Sin fotos',
    show: 'Mostrar',
    clear: 'Quitar filtros',
    found: 'Animales encontrados',
    none: 'Ningún animal coincide.',
    first: 'Animales más recientes',
    next: 'Animales anteriores',
    more: 'La búsqueda aún no ha terminado.',
    statuses: { available: 'Disponible', pending: 'Reservado', sold: 'Adoptado', unlisted: 'Sin publicar' },
    why: {
      available: 'En la galería.',
      pending: 'En la galería, marcado como reservado.',
      sold: 'Fuera de la galería: fue adoptado.',
      unlisted: 'Fuera de la galería: nadie lo ha publicado.',
    },
    noPhoto: 'Sin foto',
    publish: 'Publicar',
    publishName: (name) => `Publicar ${name}`,
    days: (count) =>
      count === 0
        ? 'Desde hoy.'
        : count === 1
          ? 'Espera desde hace 1 día.'
          : `Espera desde hace ${count} días.`,
  },
  animal: {
    fields: fields.es,
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
  },
  photos: {
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
  },
}

export const animals = { en, es }
