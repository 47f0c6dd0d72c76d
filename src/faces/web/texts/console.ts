import { animals } from './console-animals.ts'
import { applications } from './console-applications.ts'
import { importWords } from './console-import.ts'
import { organization } from './console-organization.ts'
import { people } from './console-people.ts'
import { statistics } from './console-statistics.ts'
import { webhooks } from './console-webhooks.ts'

/** The texts of the console. Its larger parts have separate files. */
const en = {
  title: 'Console',
  nav: {
    start: 'Overview',
    animals: 'Animals',
    applications: 'Applications',
    import: 'Import',
    statistics: 'Statistics',
    organization: 'Organization',
    usage: 'API usage',
    people: 'People',
    keys: 'API keys',
    webhooks: 'Webhooks',
    events: 'Recent events',
  },
  roles: { viewer: 'Viewer', staff: 'Staff', manager: 'Manager', admin: 'Admin' } as Record<string, string>,
  signOut: 'Sign out',
  toStart: 'Go to the overview',
  signedOut: {
    title: 'You are signed out',
    advice:
      'Your changes haven’t been saved, but they aren’t lost. Sign in in another window, then come back to this window and reload it.',
    link: 'Sign in in another window',
  },
  /** Notices after a change, by their name in the next page's URL. */
  notices: {
    added: 'Animal added. Now add photos: animals with photos find a home sooner.',
    addedAnother: 'Animal added. Fill in the form again to add the next one.',
    organizationAdded: 'Organization added. You can now add animals to it and invite its people.',
    saved: 'Changes saved.',
    unchanged: 'There were no changes to save.',
    selectedChanged: 'Done for all selected animals.',
    deleted: 'Animal removed.',
    gone: 'This animal has already been removed.',
    available: 'The animal is now in the gallery.',
    pending: 'Animal marked as reserved.',
    sold: 'Animal marked as adopted. Congratulations!',
    outcomeSaved: 'Outcome saved.',
    outcomeRemoved: 'Outcome removed. The animal is not published; publish it if people can adopt it again.',
    noteAdded: 'Note added.',
    noteRemoved: 'Note removed.',
    addedWithPhotos: 'Animal and photos added.',
    photosAdded: 'Photos added.',
    photoChanged: 'Photos updated.',
    photoRemoved: 'Photo removed.',
    approved: 'Adoption approved.',
    completed: 'Adoption complete: this animal has a home. Congratulations!',
    cancelled: 'Adoption cancelled. The animal is available again.',
    application_in_review: 'The application is now in review.',
    application_approved: 'Application approved. The animal is reserved, and the adoption is open.',
    application_declined: 'Application declined.',
    application_withdrawn: 'Application marked as withdrawn.',
    application_saved: 'Reply and note saved.',
    questions_saved: 'Questions saved. New applicants now answer them.',
    welcome: 'Welcome! You are signed in.',
    personRemoved: 'Account removed.',
    personGone: 'This account has already been removed.',
    passwordChanged: 'Password changed. You are signed out on all other devices.',
    keyRevoked: 'Key revoked. Requests with this key are now refused.',
    keyGone: 'This key has already been revoked.',
    webhookOn: 'The webhook is on. New events are being sent.',
    webhookOff: 'The webhook is off.',
    webhookRemoved: 'Webhook removed.',
    testSent: 'The test is being sent. Reload the page to see the result.',
    sentAgain: 'Sending again. Reload the page to see the result.',
  } as Record<string, string>,
  /** Messages for errors that people may see, by code. */
  errors: {
    insufficient_access:
      'Your role does not allow this, or the form was not sent from the console. Open the page again and retry, or ask a manager of your shelter.',
    other_organization: 'This belongs to another organization. Only its own staff can change it.',
    pet_not_found:
      'This animal does not exist, or it belongs to another organization. Search for it in the list of animals.',
    photo_not_found: 'This photo has already been removed.',
    organization_not_found: 'This organization does not exist.',
    application_not_found:
      'This application does not exist, or it is for an animal of another organization. Search for it in the list of applications.',
    order_not_found: 'This adoption does not exist.',
    followed_animal: 'This animal is a copy from another installation. Change it there.',
    followed_organization: 'This organization is a copy from another installation. Change it there.',
    order_open: 'This animal has an open adoption. Complete or cancel the adoption first.',
    order_closed: 'This adoption is already closed.',
    pet_not_available: 'This animal is no longer available.',
    invalid_status_transition:
      'The status of this animal has changed. Reload the page to see which changes are possible now.',
    external_id_exists: 'Another animal already has this shelter ID. Enter a different one.',
    too_many_photos: 'There are already 20 photos, which is the limit. Remove one before you add another.',
    rate_limit_exceeded:
      'Too many requests at once. Wait a minute, or until your upload or import has finished, then try again.',
    invalid_image: 'This file is not a valid image. Choose a JPEG, PNG, WebP, AVIF or GIF file.',
    unsupported_media_type: 'This file type is not supported. Choose a JPEG, PNG, WebP, AVIF or GIF file.',
    payload_too_large: 'This is too large. A photo can be up to 15 MB, and a form up to 256 kB.',
    idempotency_key_reused:
      'This form was already saved with different content. Check what was added: if you save now, you add another one.',
    webhook_not_found: 'This webhook does not exist or has been removed.',
    delivery_not_found: 'This delivery has been removed, or it is being sent right now. Reload the page.',
    too_many_webhooks:
      'There are already 100 webhooks, which is the limit. Remove one before you add another.',
    idempotency_key_in_use: 'This form is being saved right now. Wait a moment, then check the list.',
  } as Record<string, string>,
  /** The message for errors that are not in `errors`. */
  otherError: 'This did not work. Reload the page, then try again.',
  start: {
    title: 'Overview',
    numbers: 'Animals by status',
    /** The word after a number of animals with a status. */
    counted: (status: string, _count: number) => animals.en.animals.statuses[status] ?? status,
    noPhotos: 'In the gallery without a photo',
    noPhotosNone: 'Every animal in the gallery has a photo.',
    longest: 'Waiting the longest',
    longestNone: 'No animals are waiting.',
    latest: 'Latest changes',
    latestNone: 'No changes yet.',
    allOfThem: 'Show all',
    noOrganization: 'Start with your shelter: animals and application questions belong to an organization.',
    empty: 'There are no animals yet. Add the first one: a name and a type are enough to start.',
  },
  ...animals.en,
  ...applications.en,
  ...organization.en,
  ...people.en,
  ...webhooks.en,
  import: importWords.en,
  statistics: statistics.en,
}

const es: typeof en = {
  title: 'Consola',
  nav: {
    start: 'Resumen',
    animals: 'Animales',
    applications: 'Solicitudes',
    import: 'Importar',
    statistics: 'Estadísticas',
    organization: 'Organización',
    usage: 'Uso de la API',
    people: 'Personas',
    keys: 'Claves de API',
    webhooks: 'Webhooks',
    events: 'Eventos recientes',
  },
  roles: { viewer: 'Lectura', staff: 'Personal', manager: 'Responsable', admin: 'Administración' },
  signOut: 'Cerrar sesión',
  toStart: 'Ir al resumen',
  signedOut: {
    title: 'Su sesión se cerró',
    advice:
      'Sus cambios no se guardaron, pero tampoco se perdieron. Inicie sesión en otra ventana, vuelva a esta y recárguela.',
    link: 'Iniciar sesión en otra ventana',
  },
  notices: {
    added: 'Animal añadido. Ahora añada fotos: con fotos se encuentra antes un hogar.',
    addedAnother: 'Animal añadido. Rellene de nuevo el formulario para añadir el siguiente.',
    organizationAdded: 'Organización añadida. Ya puede añadirle animales e invitar a su equipo.',
    saved: 'Cambios guardados.',
    unchanged: 'No había cambios que guardar.',
    selectedChanged: 'Hecho con todos los animales seleccionados.',
    deleted: 'Animal eliminado.',
    gone: 'Este animal ya se había eliminado.',
    available: 'El animal ya está en la galería.',
    pending: 'Animal marcado como reservado.',
    sold: 'Animal marcado como adoptado. ¡Felicidades!',
    outcomeSaved: 'Salida guardada.',
    outcomeRemoved: 'Salida quitada. El animal está sin publicar; publíquelo si se puede volver a adoptar.',
    noteAdded: 'Nota añadida.',
    noteRemoved: 'Nota eliminada.',
    addedWithPhotos: 'Animal y fotos añadidos.',
    photosAdded: 'Fotos añadidas.',
    photoChanged: 'Fotos actualizadas.',
    photoRemoved: 'Foto eliminada.',
    approved: 'Adopción aprobada.',
    completed: 'Adopción completada: el animal ya tiene un hogar. ¡Felicidades!',
    cancelled: 'Adopción cancelada. El animal vuelve a estar disponible.',
    application_in_review: 'La solicitud está ahora en revisión.',
    application_approved: 'Solicitud aprobada. El animal queda reservado y la adopción, abierta.',
    application_declined: 'Solicitud rechazada.',
    application_withdrawn: 'Solicitud marcada como retirada.',
    application_saved: 'Respuesta y nota guardadas.',
    questions_saved: 'Preguntas guardadas. Las nuevas solicitudes ya las incluyen.',
    welcome: '¡Le damos la bienvenida! Ha iniciado sesión.',
    personRemoved: 'Cuenta eliminada.',
    personGone: 'Esta cuenta ya se había eliminado.',
    passwordChanged: 'Contraseña cambiada. Se cerró su sesión en los demás dispositivos.',
    keyRevoked: 'Clave revocada. A partir de ahora se rechazan las peticiones que la usen.',
    keyGone: 'Esta clave ya se había revocado.',
    webhookOn: 'El webhook está activo. Ya se envían los eventos nuevos.',
    webhookOff: 'El webhook está desactivado.',
    webhookRemoved: 'Webhook eliminado.',
    testSent: 'La prueba se está enviando. Recargue la página para ver el resultado.',
    sentAgain: 'Se está enviando de nuevo. Recargue la página para ver el resultado.',
  },
  errors: {
    insufficient_access:
      'Su función no lo permite, o el formulario no se envió desde la consola. Abra la página de nuevo e inténtelo otra vez, o pídaselo a una persona responsable de su refugio.',
    other_organization:
      'Esto pertenece a otra organización. Solo puede cambiarlo el personal de esa organización.',
    pet_not_found: 'Este animal no existe o pertenece a otra organización. Búsquelo en la lista de animales.',
    photo_not_found: 'Esta foto ya se había eliminado.',
    organization_not_found: 'Esta organización no existe.',
    application_not_found:
      'Esta solicitud no existe o es para un animal de otra organización. Búsquela en la lista de solicitudes.',
    order_not_found: 'Esta adopción no existe.',
    followed_animal: 'Este animal es una copia de otra instalación. Modifíquelo allí.',
    followed_organization: 'Esta organización es una copia de otra instalación. Modifíquela allí.',
    order_open: 'Este animal tiene una adopción abierta. Complétela o cancélela primero.',
    order_closed: 'Esta adopción ya está cerrada.',
    pet_not_available: 'Este animal ya no está disponible.',
    invalid_status_transition:
      'El estado de este animal cambió. Recargue la página para ver qué cambios son posibles ahora.',
    external_id_exists: 'Otro animal ya tiene este n.º del refugio. Escriba uno distinto.',
    too_many_photos: 'Ya hay 20 fotos, que es el límite. Elimine una antes de añadir otra.',
    rate_limit_exceeded:
      'Demasiadas peticiones a la vez. Espere un minuto, o a que termine su subida o importación, y vuelva a intentarlo.',
    invalid_image: 'Este archivo no es una imagen válida. Elija un archivo JPEG, PNG, WebP, AVIF o GIF.',
    unsupported_media_type:
      'Este tipo de archivo no se admite. Elija un archivo JPEG, PNG, WebP, AVIF o GIF.',
    payload_too_large:
      'Es demasiado grande. Una foto puede ocupar hasta 15 MB y un formulario, hasta 256 kB.',
    idempotency_key_reused:
      'Este formulario ya se guardó con otro contenido. Compruebe lo que añadió: si guarda ahora, añadirá otro más.',
    webhook_not_found: 'Este webhook no existe o se eliminó.',
    delivery_not_found: 'Esta entrega se eliminó o se está enviando ahora mismo. Recargue la página.',
    too_many_webhooks: 'Ya hay 100 webhooks, que es el límite. Elimine uno antes de añadir otro.',
    idempotency_key_in_use:
      'Este formulario se está guardando en este momento. Espere un poco y compruebe la lista.',
  },
  otherError: 'No se pudo hacer. Recargue la página e inténtelo de nuevo.',
  start: {
    title: 'Resumen',
    numbers: 'Animales por estado',
    counted(status, count) {
      const plurals: Record<string, string> = {
        available: 'Disponibles',
        pending: 'Reservados',
        sold: 'Adoptados',
      }
      return (count === 1 ? undefined : plurals[status]) ?? animals.es.animals.statuses[status] ?? status
    },
    noPhotos: 'En la galería sin foto',
    noPhotosNone: 'Todos los animales de la galería tienen foto.',
    longest: 'Llevan más tiempo esperando',
    longestNone: 'No hay animales esperando.',
    latest: 'Últimos cambios',
    latestNone: 'Todavía no hay cambios.',
    allOfThem: 'Mostrar todos',
    noOrganization:
      'Empiece por su refugio: los animales y las preguntas de las solicitudes pertenecen a una organización.',
    empty: 'Todavía no hay animales. Añada el primero: para empezar bastan un nombre y un tipo.',
  },
  ...animals.es,
  ...applications.es,
  ...organization.es,
  ...people.es,
  ...webhooks.es,
  import: importWords.es,
  statistics: statistics.es,
}

export const console = { en, es }
