import { care } from './console-care.ts'
import { fields } from './console-fields.ts'
import { list } from './console-list.ts'

const en = {
  list: list.en,
  /** The list of animals. */
  animals: {
    title: 'Animals',
    add: 'Add an animal',
    search: 'Name, number, kennel or keyword',
    status: 'Status',
    anyStatus: 'Any status',
    category: 'Type',
    anyCategory: 'All types',
    organization: 'Organization',
    anyOrganization: 'All organizations',
    photos: 'Photos',
    anyPhotos: 'With or without',
    withPhotos: 'With photos',
    withoutPhotos: 'Without photos',
    show: 'Search',
    clear: 'Clear filters',
    found: 'Animals found',
    none: 'No animals match.',
    /** An animal without a status is `unlisted`. */
    statuses: {
      available: 'Available',
      pending: 'Reserved',
      sold: 'Adopted',
      unlisted: 'Not published',
      left: 'No longer here',
    } as Record<string, string>,
    /** Why an animal is in the gallery or not, by status. */
    why: {
      available: 'In the gallery.',
      pending: 'In the gallery, marked as reserved.',
      sold: 'Not in the gallery: already adopted.',
      unlisted: 'Not in the gallery: not published yet.',
    } as Record<string, string>,
    noPhoto: 'No photo',
    publish: 'Publish',
    publishName: (name: string) => `Publish ${name}`,
  },
  /** The page of one animal. */
  animal: {
    ...care.en,
    fields: fields.en,
    addTitle: 'Add an animal',
    addHint: 'A name and a type are enough. You can add the rest later.',
    save: 'Save',
    saveAdd: 'Add animal',
    saveAnother: 'Save and add another',
    cancel: 'Cancel',
    publishNow: 'Publish in the gallery right away',
    publishNowHint: 'Otherwise the animal is saved without being published. You can publish it later.',
    wrong: 'Please fix the following',
    inGallery: 'View in the gallery',
    /** Warnings about missing information. A full stop, or a colon and names, follow the text. */
    gaps: {
      organization: {
        text: 'In the gallery without an organization, so people do not see which shelter to contact',
        fill: 'Choose an organization',
      },
      photo: {
        text: 'In the gallery without a photo, although animals with photos find a home sooner',
        fill: 'Add photos',
      },
    },
    /** The name of the other animal follows, as a link. */
    sameChip: 'Another animal has the same microchip, so this may be a duplicate:',
    /** The buttons that change the status, by the new status. */
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
      'Remove only records that were created by mistake. The record, its photos and its history are deleted for ' +
      'good. If the animal found a home, use “Mark as adopted” instead.',
    removeYes: 'Yes, remove',
    removeNo: 'No, go back',
    /** The page that asks who has adopted the animal. */
    adopted: {
      title: (name: string) => `Who is adopting ${name}?`,
      who: 'Adopted by',
      someoneElse: 'Someone else',
      notSaid: 'Don’t record who',
      choose: 'Choose who adopts.',
      ifSomeoneElse: 'If it is someone else',
      fields: { name: 'Name', email: 'E-mail' } as Record<string, string>,
      consequences: (name: string, count: number) =>
        count === 0
          ? `There are no open applications for ${name}.`
          : `The other open applications for ${name} are declined because of the adoption.`,
      emailed: 'People who applied with the form get an e-mail about it.',
      yes: 'Mark as adopted',
      no: 'No, go back',
    },
    conflict: {
      title: 'Someone else changed this animal while you were editing',
      advice:
        'Your changes haven’t been saved. The form below has your changes, plus theirs in all other fields. Check ' +
        'the fields that you both changed, then save again.',
      field: 'Field',
      theirs: 'Their version',
      yours: 'Your version',
      empty: 'empty',
    },
    history: {
      none: 'No changes since the animal was added.',
      formerStaff: 'Former staff member',
      key: (name: string) => `API key “${name}”`,
      unknown: 'Unknown API key',
      nothing: 'empty',
      photos: {
        added: (count: number) => (count === 1 ? 'Added a photo.' : `Added ${count} photos.`),
        removed: (count: number) => (count === 1 ? 'Removed a photo.' : `Removed ${count} photos.`),
        moved: 'Changed the order of the photos.',
        described: (count: number) =>
          count === 1
            ? 'Changed the description of a photo.'
            : `Changed the descriptions of ${count} photos.`,
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
      decisions: {
        approved: 'Approve adoption',
        completed: 'Complete adoption',
        cancelled: 'Cancel adoption',
      } as Record<string, string>,
    },
  },
  /** The photos of an animal or an organization. */
  photos: {
    add: 'Add photos',
    addHint:
      'Choose several at once, take them with your phone, or drop or paste them here. Up to 15 MB each.',
    newHint: 'Choose several at once, or take them with your phone. Up to 15 MB each.',
    again: 'Please choose the photos again.',
    partly: 'The animal was added without these photos:',
    upload: 'Upload',
    numbered: (name: string, number: number) => `Photo ${number} of ${name}`,
    alt: (number: number) => `Description of photo ${number} (alt text)`,
    altHint: 'What the photo shows',
    saveAlt: 'Save',
    saveAltOf: (number: number) => `Save the description of photo ${number}`,
    first: 'Make first',
    makeFirst: (number: number) => `Make first: photo ${number}`,
    up: (number: number) => `Move photo ${number} forward`,
    down: (number: number) => `Move photo ${number} back`,
    remove: 'Remove',
    removeOf: (number: number) => `Remove photo ${number}`,
    wrong: (number: number, why: string) => `Photo ${number}: ${why}`,
    altWrong: 'The description can have up to 500 characters, on one line.',
    none: 'Choose at least one photo.',
    failed: 'The photo could not be sent. Check your connection, then try again.',
    progress: 'Uploading photo {number} of {count}',
  },
}

const es: typeof en = {
  list: list.es,
  animals: {
    title: 'Animales',
    add: 'Añadir un animal',
    search: 'Nombre, número, jaula o palabra clave',
    status: 'Estado',
    anyStatus: 'Cualquier estado',
    category: 'Tipo',
    anyCategory: 'Todos los tipos',
    organization: 'Organización',
    anyOrganization: 'Todas las organizaciones',
    photos: 'Fotos',
    anyPhotos: 'Con o sin fotos',
    withPhotos: 'Con fotos',
    withoutPhotos: 'Sin fotos',
    show: 'Buscar',
    clear: 'Quitar filtros',
    found: 'Animales encontrados',
    none: 'No hay animales que coincidan.',
    statuses: {
      available: 'Disponible',
      pending: 'Reservado',
      sold: 'Adoptado',
      unlisted: 'Sin publicar',
      left: 'Ya no está',
    },
    why: {
      available: 'En la galería.',
      pending: 'En la galería, con la marca de reserva.',
      sold: 'Fuera de la galería: ya tiene un hogar.',
      unlisted: 'Fuera de la galería: todavía sin publicar.',
    },
    noPhoto: 'Sin foto',
    publish: 'Publicar',
    publishName: (name) => `Publicar a ${name}`,
  },
  animal: {
    ...care.es,
    fields: fields.es,
    addTitle: 'Añadir un animal',
    addHint: 'Bastan un nombre y un tipo. Lo demás puede añadirlo después.',
    save: 'Guardar',
    saveAdd: 'Añadir animal',
    saveAnother: 'Guardar y añadir otro',
    cancel: 'Cancelar',
    publishNow: 'Publicar en la galería de inmediato',
    publishNowHint: 'Si no, el animal se guarda sin publicar. Puede publicarlo más adelante.',
    wrong: 'Corrija lo siguiente',
    inGallery: 'Ver en la galería',
    gaps: {
      organization: {
        text: 'En la galería sin organización, así que no se ve con qué refugio hay que contactar',
        fill: 'Elegir una organización',
      },
      photo: {
        text: 'En la galería sin foto, aunque con fotos se encuentra antes un hogar',
        fill: 'Añadir fotos',
      },
    },
    sameChip: 'Otro animal tiene el mismo microchip, así que este puede ser un duplicado:',
    moves: {
      available: 'Marcar de nuevo como disponible',
      pending: 'Marcar como reservado',
      sold: 'Marcar como adoptado',
    },
    publish: 'Publicar en la galería',
    sections: { photos: 'Fotos', details: 'Datos', orders: 'Adopciones', history: 'Historial' },
    remove: 'Eliminar este animal',
    removeTitle: (name) => `¿Eliminar a ${name}?`,
    removeHint:
      'Elimine solo fichas creadas por error. La ficha, sus fotos y su historial se borran para siempre. Si el ' +
      'animal encontró un hogar, use «Marcar como adoptado».',
    removeYes: 'Sí, eliminar',
    removeNo: 'No, volver',
    adopted: {
      title: (name) => `¿Quién adopta a ${name}?`,
      who: 'Adopta',
      someoneElse: 'Otra persona',
      notSaid: 'No registrar quién',
      choose: 'Elija quién adopta.',
      ifSomeoneElse: 'Si es otra persona',
      fields: { name: 'Nombre', email: 'Correo electrónico' },
      consequences: (name, count) =>
        count === 0
          ? `No hay solicitudes abiertas de ${name}.`
          : `Las demás solicitudes abiertas de ${name} se rechazan a causa de la adopción.`,
      emailed: 'Quienes enviaron su solicitud con el formulario reciben un correo sobre ello.',
      yes: 'Marcar como adoptado',
      no: 'No, volver',
    },
    conflict: {
      title: 'Otra persona cambió este animal mientras usted lo editaba',
      advice:
        'Sus cambios no se guardaron. El formulario tiene sus cambios y, en los demás campos, los de la otra ' +
        'persona. Revise los campos que ambos cambiaron y guarde de nuevo.',
      field: 'Campo',
      theirs: 'La versión de la otra persona',
      yours: 'Su versión',
      empty: 'vacío',
    },
    history: {
      none: 'Sin cambios desde que se añadió el animal.',
      formerStaff: 'Antiguo miembro del personal',
      key: (name) => `Clave de API «${name}»`,
      unknown: 'Clave de API desconocida',
      nothing: 'vacío',
      photos: {
        added: (count) => (count === 1 ? 'Se añadió una foto.' : `Se añadieron ${count} fotos.`),
        removed: (count) => (count === 1 ? 'Se eliminó una foto.' : `Se eliminaron ${count} fotos.`),
        moved: 'Se cambió el orden de las fotos.',
        described: (count) =>
          count === 1
            ? 'Se cambió la descripción de una foto.'
            : `Se cambiaron las descripciones de ${count} fotos.`,
      },
    },
    orders: {
      erased: 'Nombre borrado',
      statuses: { placed: 'Abierta', approved: 'Aprobada', completed: 'Completada', cancelled: 'Cancelada' },
      decisions: {
        approved: 'Aprobar la adopción',
        completed: 'Completar la adopción',
        cancelled: 'Cancelar la adopción',
      },
    },
  },
  photos: {
    add: 'Añadir fotos',
    addHint:
      'Elija varias a la vez, tómelas con el teléfono, o suéltelas o péguelas aquí. Hasta 15 MB cada una.',
    newHint: 'Elija varias a la vez o tómelas con el teléfono. Hasta 15 MB cada una.',
    again: 'Elija las fotos otra vez.',
    partly: 'El animal se añadió sin estas fotos:',
    upload: 'Subir',
    numbered: (name, number) => `Foto ${number} de ${name}`,
    alt: (number) => `Descripción de la foto ${number} (texto alternativo)`,
    altHint: 'Qué muestra la foto',
    saveAlt: 'Guardar',
    saveAltOf: (number) => `Guardar la descripción de la foto ${number}`,
    first: 'Poner en primer lugar',
    makeFirst: (number) => `Poner en primer lugar: foto ${number}`,
    up: (number) => `Mover la foto ${number} hacia adelante`,
    down: (number) => `Mover la foto ${number} hacia atrás`,
    remove: 'Eliminar',
    removeOf: (number) => `Eliminar la foto ${number}`,
    wrong: (number, why) => `Foto ${number}: ${why}`,
    altWrong: 'La descripción puede tener hasta 500 caracteres, en una sola línea.',
    none: 'Elija al menos una foto.',
    failed: 'No se pudo enviar la foto. Compruebe su conexión e inténtelo de nuevo.',
    progress: 'Subiendo la foto {number} de {count}',
  },
}

export const animals = { en, es }
