import { text, type Words } from '../../../http/language.ts'
import { animals } from './console-animals.ts'
import { applications } from './console-applications.ts'
import { importWords } from './console-import.ts'
import { organization } from './console-organization.ts'
import { people } from './console-people.ts'
import { statistics } from './console-statistics.ts'
import { webhooks } from './console-webhooks.ts'

/** Statuses whose word after a number is a plural. */
const PLURALS: Words = {
  available: text('Available', 'Disponibles'),
  pending: text('Reserved', 'Reservados'),
  sold: text('Adopted', 'Adoptados'),
}

/** The texts of the console. Its larger parts have separate files. */
export const console = {
  title: text('Console', 'Consola'),
  nav: {
    start: text('Overview', 'Resumen'),
    animals: text('Animals', 'Animales'),
    applications: text('Applications', 'Solicitudes'),
    import: text('Import', 'Importar'),
    statistics: text('Statistics', 'Estadísticas'),
    organization: text('Organization', 'Organización'),
    usage: text('API usage', 'Uso de la API'),
    people: text('People', 'Personas'),
    keys: text('API keys', 'Claves de API'),
    webhooks: text('Webhooks', 'Webhooks'),
    events: text('Recent events', 'Eventos recientes'),
  },
  roles: {
    viewer: text('Viewer', 'Lectura'),
    staff: text('Staff', 'Personal'),
    manager: text('Manager', 'Responsable'),
    admin: text('Admin', 'Administración'),
  } as Words,
  signOut: text('Sign out', 'Cerrar sesión'),
  toStart: text('Go to the overview', 'Ir al resumen'),
  signedOut: {
    title: text('You are signed out', 'Su sesión se cerró'),
    advice: text(
      'Your changes haven’t been saved, but they aren’t lost. Sign in in another window, then come back to this window and reload it.',
      'Sus cambios no se guardaron, pero tampoco se perdieron. Inicie sesión en otra ventana, vuelva a esta y recárguela.',
    ),
    link: text('Sign in in another window', 'Iniciar sesión en otra ventana'),
  },
  /** Notices after a change, by their name in the next page's URL. */
  notices: {
    added: text(
      'Animal added. Now add photos: animals with photos find a home sooner.',
      'Animal añadido. Ahora añada fotos: con fotos se encuentra antes un hogar.',
    ),
    addedAnother: text(
      'Animal added. Fill in the form again to add the next one.',
      'Animal añadido. Rellene de nuevo el formulario para añadir el siguiente.',
    ),
    organizationAdded: text(
      'Organization added. You can now add animals to it and invite its people.',
      'Organización añadida. Ya puede añadirle animales e invitar a su equipo.',
    ),
    saved: text('Changes saved.', 'Cambios guardados.'),
    unchanged: text('There were no changes to save.', 'No había cambios que guardar.'),
    selectedChanged: text('Done for all selected animals.', 'Hecho con todos los animales seleccionados.'),
    deleted: text('Animal removed.', 'Animal eliminado.'),
    gone: text('This animal has already been removed.', 'Este animal ya se había eliminado.'),
    available: text('The animal is now in the gallery.', 'El animal ya está en la galería.'),
    pending: text('Animal marked as reserved.', 'Animal marcado como reservado.'),
    sold: text('Animal marked as adopted. Congratulations!', 'Animal marcado como adoptado. ¡Felicidades!'),
    outcomeSaved: text('Outcome saved.', 'Salida guardada.'),
    outcomeRemoved: text(
      'Outcome removed. The animal is not published; publish it if people can adopt it again.',
      'Salida quitada. El animal está sin publicar; publíquelo si se puede volver a adoptar.',
    ),
    noteAdded: text('Note added.', 'Nota añadida.'),
    noteRemoved: text('Note removed.', 'Nota eliminada.'),
    addedWithPhotos: text('Animal and photos added.', 'Animal y fotos añadidos.'),
    photosAdded: text('Photos added.', 'Fotos añadidas.'),
    photoChanged: text('Photos updated.', 'Fotos actualizadas.'),
    photoRemoved: text('Photo removed.', 'Foto eliminada.'),
    approved: text('Adoption approved.', 'Adopción aprobada.'),
    completed: text(
      'Adoption complete: this animal has a home. Congratulations!',
      'Adopción completada: el animal ya tiene un hogar. ¡Felicidades!',
    ),
    cancelled: text(
      'Adoption cancelled. The animal is available again.',
      'Adopción cancelada. El animal vuelve a estar disponible.',
    ),
    application_in_review: text('The application is now in review.', 'La solicitud está ahora en revisión.'),
    application_approved: text(
      'Application approved. The animal is reserved, and the adoption is open.',
      'Solicitud aprobada. El animal queda reservado y la adopción, abierta.',
    ),
    application_declined: text('Application declined.', 'Solicitud rechazada.'),
    application_withdrawn: text('Application marked as withdrawn.', 'Solicitud marcada como retirada.'),
    application_saved: text('Reply and note saved.', 'Respuesta y nota guardadas.'),
    questions_saved: text(
      'Questions saved. New applicants now answer them.',
      'Preguntas guardadas. Las nuevas solicitudes ya las incluyen.',
    ),
    welcome: text('Welcome! You are signed in.', '¡Le damos la bienvenida! Ha iniciado sesión.'),
    personRemoved: text('Account removed.', 'Cuenta eliminada.'),
    personGone: text('This account has already been removed.', 'Esta cuenta ya se había eliminado.'),
    passwordChanged: text(
      'Password changed. You are signed out on all other devices.',
      'Contraseña cambiada. Se cerró su sesión en los demás dispositivos.',
    ),
    keyRevoked: text(
      'Key revoked. Requests with this key are now refused.',
      'Clave revocada. A partir de ahora se rechazan las peticiones que la usen.',
    ),
    keyGone: text('This key has already been revoked.', 'Esta clave ya se había revocado.'),
    webhookOn: text(
      'The webhook is on. New events are being sent.',
      'El webhook está activo. Ya se envían los eventos nuevos.',
    ),
    webhookOff: text('The webhook is off.', 'El webhook está desactivado.'),
    webhookRemoved: text('Webhook removed.', 'Webhook eliminado.'),
    testSent: text(
      'The test is being sent. Reload the page to see the result.',
      'La prueba se está enviando. Recargue la página para ver el resultado.',
    ),
    sentAgain: text(
      'Sending again. Reload the page to see the result.',
      'Se está enviando de nuevo. Recargue la página para ver el resultado.',
    ),
  } as Words,
  /** Messages for errors that people may see, by code. */
  errors: {
    insufficient_access: text(
      'Your role does not allow this, or the form was not sent from the console. Open the page again and retry, or ask a manager of your shelter.',
      'Su función no lo permite, o el formulario no se envió desde la consola. Abra la página de nuevo e inténtelo otra vez, o pídaselo a una persona responsable de su refugio.',
    ),
    other_organization: text(
      'This belongs to another organization. Only its own staff can change it.',
      'Esto pertenece a otra organización. Solo puede cambiarlo el personal de esa organización.',
    ),
    pet_not_found: text(
      'This animal does not exist, or it belongs to another organization. Search for it in the list of animals.',
      'Este animal no existe o pertenece a otra organización. Búsquelo en la lista de animales.',
    ),
    photo_not_found: text('This photo has already been removed.', 'Esta foto ya se había eliminado.'),
    organization_not_found: text('This organization does not exist.', 'Esta organización no existe.'),
    application_not_found: text(
      'This application does not exist, or it is for an animal of another organization. Search for it in the list of applications.',
      'Esta solicitud no existe o es para un animal de otra organización. Búsquela en la lista de solicitudes.',
    ),
    order_not_found: text('This adoption does not exist.', 'Esta adopción no existe.'),
    followed_animal: text(
      'This animal is a copy from another installation. Change it there.',
      'Este animal es una copia de otra instalación. Modifíquelo allí.',
    ),
    followed_organization: text(
      'This organization is a copy from another installation. Change it there.',
      'Esta organización es una copia de otra instalación. Modifíquela allí.',
    ),
    order_open: text(
      'This animal has an open adoption. Complete or cancel the adoption first.',
      'Este animal tiene una adopción abierta. Complétela o cancélela primero.',
    ),
    order_closed: text('This adoption is already closed.', 'Esta adopción ya está cerrada.'),
    pet_not_available: text('This animal is no longer available.', 'Este animal ya no está disponible.'),
    invalid_status_transition: text(
      'The status of this animal has changed. Reload the page to see which changes are possible now.',
      'El estado de este animal cambió. Recargue la página para ver qué cambios son posibles ahora.',
    ),
    external_id_exists: text(
      'Another animal already has this shelter ID. Enter a different one.',
      'Otro animal ya tiene este n.º del refugio. Escriba uno distinto.',
    ),
    too_many_photos: text(
      'There are already 20 photos, which is the limit. Remove one before you add another.',
      'Ya hay 20 fotos, que es el límite. Elimine una antes de añadir otra.',
    ),
    rate_limit_exceeded: text(
      'Too many requests at once. Wait a minute, or until your upload or import has finished, then try again.',
      'Demasiadas peticiones a la vez. Espere un minuto, o a que termine su subida o importación, y vuelva a intentarlo.',
    ),
    invalid_image: text(
      'This file is not a valid image. Choose a JPEG, PNG, WebP, AVIF or GIF file.',
      'Este archivo no es una imagen válida. Elija un archivo JPEG, PNG, WebP, AVIF o GIF.',
    ),
    unsupported_media_type: text(
      'This file type is not supported. Choose a JPEG, PNG, WebP, AVIF or GIF file.',
      'Este tipo de archivo no se admite. Elija un archivo JPEG, PNG, WebP, AVIF o GIF.',
    ),
    payload_too_large: text(
      'This is too large. A photo can be up to 15 MB, and a form up to 256 kB.',
      'Es demasiado grande. Una foto puede ocupar hasta 15 MB y un formulario, hasta 256 kB.',
    ),
    idempotency_key_reused: text(
      'This form was already saved with different content. Check what was added: if you save now, you add another one.',
      'Este formulario ya se guardó con otro contenido. Compruebe lo que añadió: si guarda ahora, añadirá otro más.',
    ),
    webhook_not_found: text(
      'This webhook does not exist or has been removed.',
      'Este webhook no existe o se eliminó.',
    ),
    delivery_not_found: text(
      'This delivery has been removed, or it is being sent right now. Reload the page.',
      'Esta entrega se eliminó o se está enviando ahora mismo. Recargue la página.',
    ),
    too_many_webhooks: text(
      'There are already 100 webhooks, which is the limit. Remove one before you add another.',
      'Ya hay 100 webhooks, que es el límite. Elimine uno antes de añadir otro.',
    ),
    idempotency_key_in_use: text(
      'This form is being saved right now. Wait a moment, then check the list.',
      'Este formulario se está guardando en este momento. Espere un poco y compruebe la lista.',
    ),
  } as Words,
  /** The message for errors that are not in `errors`. */
  otherError: text(
    'This did not work. Reload the page, then try again.',
    'No se pudo hacer. Recargue la página e inténtelo de nuevo.',
  ),
  start: {
    title: text('Overview', 'Resumen'),
    numbers: text('Animals by status', 'Animales por estado'),
    /** The word after a number of animals with a status. */
    counted: (status: string, count: number) =>
      (count === 1 ? undefined : PLURALS[status]) ?? animals.animals.statuses[status] ?? text(status, status),
    noPhotos: text('In the gallery without a photo', 'En la galería sin foto'),
    noPhotosNone: text(
      'Every animal in the gallery has a photo.',
      'Todos los animales de la galería tienen foto.',
    ),
    longest: text('Waiting the longest', 'Llevan más tiempo esperando'),
    longestNone: text('No animals are waiting.', 'No hay animales esperando.'),
    latest: text('Latest changes', 'Últimos cambios'),
    latestNone: text('No changes yet.', 'Todavía no hay cambios.'),
    allOfThem: text('Show all', 'Mostrar todos'),
    noOrganization: text(
      'Start with your shelter: animals and application questions belong to an organization.',
      'Empiece por su refugio: los animales y las preguntas de las solicitudes pertenecen a una organización.',
    ),
    empty: text(
      'There are no animals yet. Add the first one: a name and a type are enough to start.',
      'Todavía no hay animales. Añada el primero: para empezar bastan un nombre y un tipo.',
    ),
  },
  ...animals,
  ...applications,
  ...organization,
  ...people,
  ...webhooks,
  import: importWords,
  statistics,
}
