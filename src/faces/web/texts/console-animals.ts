import { text, type Words } from '../../../http/language.ts'
import { care } from './console-care.ts'
import { fields } from './console-fields.ts'
import { list } from './console-list.ts'

export const animals = {
  list,
  /** The list of animals. */
  animals: {
    title: text('Animals', 'Animales'),
    add: text('Add an animal', 'Añadir un animal'),
    search: text('Name, number, kennel or keyword', 'Nombre, número, jaula o palabra clave'),
    status: text('Status', 'Estado'),
    anyStatus: text('Any status', 'Cualquier estado'),
    category: text('Type', 'Tipo'),
    anyCategory: text('All types', 'Todos los tipos'),
    organization: text('Organization', 'Organización'),
    anyOrganization: text('All organizations', 'Todas las organizaciones'),
    photos: text('Photos', 'Fotos'),
    anyPhotos: text('With or without', 'Con o sin fotos'),
    withPhotos: text('With photos', 'Con fotos'),
    withoutPhotos: text('Without photos', 'Sin fotos'),
    show: text('Search', 'Buscar'),
    clear: text('Clear filters', 'Quitar filtros'),
    found: text('Animals found', 'Animales encontrados'),
    none: text('No animals match.', 'No hay animales que coincidan.'),
    /** An animal without a status is `unlisted`. */
    statuses: {
      available: text('Available', 'Disponible'),
      pending: text('Reserved', 'Reservado'),
      sold: text('Adopted', 'Adoptado'),
      unlisted: text('Not published', 'Sin publicar'),
      left: text('No longer here', 'Ya no está'),
    } as Words,
    /** Why an animal is in the gallery or not, by status. */
    why: {
      available: text('In the gallery.', 'En la galería.'),
      pending: text('In the gallery, marked as reserved.', 'En la galería, con la marca de reserva.'),
      sold: text('Not in the gallery: already adopted.', 'Fuera de la galería: ya tiene un hogar.'),
      unlisted: text('Not in the gallery: not published yet.', 'Fuera de la galería: todavía sin publicar.'),
    } as Words,
    noPhoto: text('No photo', 'Sin foto'),
    publish: text('Publish', 'Publicar'),
    publishName: (name: string) => text(`Publish ${name}`, `Publicar a ${name}`),
  },
  /** The page of one animal. */
  animal: {
    ...care,
    fields,
    addTitle: text('Add an animal', 'Añadir un animal'),
    addHint: text(
      'A name and a type are enough. You can add the rest later.',
      'Bastan un nombre y un tipo. Lo demás puede añadirlo después.',
    ),
    save: text('Save', 'Guardar'),
    saveAdd: text('Add animal', 'Añadir animal'),
    saveAnother: text('Save and add another', 'Guardar y añadir otro'),
    cancel: text('Cancel', 'Cancelar'),
    publishNow: text('Publish in the gallery right away', 'Publicar en la galería de inmediato'),
    publishNowHint: text(
      'Otherwise the animal is saved without being published. You can publish it later.',
      'Si no, el animal se guarda sin publicar. Puede publicarlo más adelante.',
    ),
    wrong: text('Please fix the following', 'Corrija lo siguiente'),
    inGallery: text('View in the gallery', 'Ver en la galería'),
    /** Warnings about missing information. A full stop, or a colon and names, follow the text. */
    gaps: {
      organization: {
        text: text(
          'In the gallery without an organization, so people do not see which shelter to contact',
          'En la galería sin organización, así que no se ve con qué refugio hay que contactar',
        ),
        fill: text('Choose an organization', 'Elegir una organización'),
      },
      photo: {
        text: text(
          'In the gallery without a photo, although animals with photos find a home sooner',
          'En la galería sin foto, aunque con fotos se encuentra antes un hogar',
        ),
        fill: text('Add photos', 'Añadir fotos'),
      },
    },
    /** The name of the other animal follows, as a link. */
    sameChip: text(
      'Another animal has the same microchip, so this may be a duplicate:',
      'Otro animal tiene el mismo microchip, así que este puede ser un duplicado:',
    ),
    /** The buttons that change the status, by the new status. */
    moves: {
      available: text('Make available again', 'Marcar de nuevo como disponible'),
      pending: text('Mark as reserved', 'Marcar como reservado'),
      sold: text('Mark as adopted', 'Marcar como adoptado'),
    } as Words,
    publish: text('Publish in the gallery', 'Publicar en la galería'),
    sections: {
      photos: text('Photos', 'Fotos'),
      details: text('Details', 'Datos'),
      orders: text('Adoptions', 'Adopciones'),
      history: text('History', 'Historial'),
    },
    remove: text('Remove this animal', 'Eliminar este animal'),
    removeTitle: (name: string) => text(`Remove ${name}?`, `¿Eliminar a ${name}?`),
    removeHint: text(
      'Remove only records that were created by mistake. The record, its photos and its history are deleted for ' +
        'good. If the animal found a home, use “Mark as adopted” instead.',
      'Elimine solo fichas creadas por error. La ficha, sus fotos y su historial se borran para siempre. Si el ' +
        'animal encontró un hogar, use «Marcar como adoptado».',
    ),
    removeYes: text('Yes, remove', 'Sí, eliminar'),
    removeNo: text('No, go back', 'No, volver'),
    /** The page that asks who has adopted the animal. */
    adopted: {
      title: (name: string) => text(`Who is adopting ${name}?`, `¿Quién adopta a ${name}?`),
      who: text('Adopted by', 'Adopta'),
      someoneElse: text('Someone else', 'Otra persona'),
      notSaid: text('Don’t record who', 'No registrar quién'),
      choose: text('Choose who adopts.', 'Elija quién adopta.'),
      ifSomeoneElse: text('If it is someone else', 'Si es otra persona'),
      fields: { name: text('Name', 'Nombre'), email: text('E-mail', 'Correo electrónico') } as Words,
      consequences: (name: string, count: number) =>
        text(
          count === 0
            ? `There are no open applications for ${name}.`
            : `The other open applications for ${name} are declined because of the adoption.`,
          count === 0
            ? `No hay solicitudes abiertas de ${name}.`
            : `Las demás solicitudes abiertas de ${name} se rechazan a causa de la adopción.`,
        ),
      emailed: text(
        'People who applied with the form get an e-mail about it.',
        'Quienes enviaron su solicitud con el formulario reciben un correo sobre ello.',
      ),
      yes: text('Mark as adopted', 'Marcar como adoptado'),
      no: text('No, go back', 'No, volver'),
    },
    conflict: {
      title: text(
        'Someone else changed this animal while you were editing',
        'Otra persona cambió este animal mientras usted lo editaba',
      ),
      advice: text(
        'Your changes haven’t been saved. The form below has your changes, plus theirs in all other fields. Check ' +
          'the fields that you both changed, then save again.',
        'Sus cambios no se guardaron. El formulario tiene sus cambios y, en los demás campos, los de la otra ' +
          'persona. Revise los campos que ambos cambiaron y guarde de nuevo.',
      ),
      field: text('Field', 'Campo'),
      theirs: text('Their version', 'La versión de la otra persona'),
      yours: text('Your version', 'Su versión'),
      empty: text('empty', 'vacío'),
    },
    history: {
      none: text('No changes since the animal was added.', 'Sin cambios desde que se añadió el animal.'),
      formerStaff: text('Former staff member', 'Antiguo miembro del personal'),
      key: (name: string) => text(`API key “${name}”`, `Clave de API «${name}»`),
      unknown: text('Unknown API key', 'Clave de API desconocida'),
      nothing: text('empty', 'vacío'),
      photos: {
        added: (count: number) =>
          text(
            count === 1 ? 'Added a photo.' : `Added ${count} photos.`,
            count === 1 ? 'Se añadió una foto.' : `Se añadieron ${count} fotos.`,
          ),
        removed: (count: number) =>
          text(
            count === 1 ? 'Removed a photo.' : `Removed ${count} photos.`,
            count === 1 ? 'Se eliminó una foto.' : `Se eliminaron ${count} fotos.`,
          ),
        moved: text('Changed the order of the photos.', 'Se cambió el orden de las fotos.'),
        described: (count: number) =>
          text(
            count === 1
              ? 'Changed the description of a photo.'
              : `Changed the descriptions of ${count} photos.`,
            count === 1
              ? 'Se cambió la descripción de una foto.'
              : `Se cambiaron las descripciones de ${count} fotos.`,
          ),
      },
    },
    orders: {
      erased: text('Name erased', 'Nombre borrado'),
      statuses: {
        placed: text('Open', 'Abierta'),
        approved: text('Approved', 'Aprobada'),
        completed: text('Completed', 'Completada'),
        cancelled: text('Cancelled', 'Cancelada'),
      } as Words,
      decisions: {
        approved: text('Approve adoption', 'Aprobar la adopción'),
        completed: text('Complete adoption', 'Completar la adopción'),
        cancelled: text('Cancel adoption', 'Cancelar la adopción'),
      } as Words,
    },
  },
  /** The photos of an animal or an organization. */
  photos: {
    add: text('Add photos', 'Añadir fotos'),
    addHint: text(
      'Choose several at once, take them with your phone, or drop or paste them here. Up to 15 MB each.',
      'Elija varias a la vez, tómelas con el teléfono, o suéltelas o péguelas aquí. Hasta 15 MB cada una.',
    ),
    newHint: text(
      'Choose several at once, or take them with your phone. Up to 15 MB each.',
      'Elija varias a la vez o tómelas con el teléfono. Hasta 15 MB cada una.',
    ),
    again: text('Please choose the photos again.', 'Elija las fotos otra vez.'),
    partly: text('The animal was added without these photos:', 'El animal se añadió sin estas fotos:'),
    upload: text('Upload', 'Subir'),
    numbered: (name: string, number: number) =>
      text(`Photo ${number} of ${name}`, `Foto ${number} de ${name}`),
    alt: (number: number) =>
      text(
        `Description of photo ${number} (alt text)`,
        `Descripción de la foto ${number} (texto alternativo)`,
      ),
    altHint: text('What the photo shows', 'Qué muestra la foto'),
    saveAlt: text('Save', 'Guardar'),
    saveAltOf: (number: number) =>
      text(`Save the description of photo ${number}`, `Guardar la descripción de la foto ${number}`),
    first: text('Make first', 'Poner en primer lugar'),
    makeFirst: (number: number) =>
      text(`Make first: photo ${number}`, `Poner en primer lugar: foto ${number}`),
    up: (number: number) => text(`Move photo ${number} forward`, `Mover la foto ${number} hacia adelante`),
    down: (number: number) => text(`Move photo ${number} back`, `Mover la foto ${number} hacia atrás`),
    remove: text('Remove', 'Eliminar'),
    removeOf: (number: number) => text(`Remove photo ${number}`, `Eliminar la foto ${number}`),
    wrong: (number: number, why: string) => text(`Photo ${number}: ${why}`, `Foto ${number}: ${why}`),
    altWrong: text(
      'The description can have up to 500 characters, on one line.',
      'La descripción puede tener hasta 500 caracteres, en una sola línea.',
    ),
    none: text('Choose at least one photo.', 'Elija al menos una foto.'),
    failed: text(
      'The photo could not be sent. Check your connection, then try again.',
      'No se pudo enviar la foto. Compruebe su conexión e inténtelo de nuevo.',
    ),
    progress: text('Uploading photo {number} of {count}', 'Subiendo la foto {number} de {count}'),
  },
}
