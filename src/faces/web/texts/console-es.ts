import { animal } from './console-animal-es.ts'
import { animals } from './console-animals-es.ts'
import { applicationNotices, applications, questions } from './console-applications-es.ts'
import type { console as english } from './console-en.ts'
import { importWords } from './console-import-es.ts'
import { keys } from './console-keys-es.ts'
import { organization, usage } from './console-office-es.ts'
import { account, people, peopleNotices } from './console-people-es.ts'
import { photos } from './console-photos-es.ts'
import { join, signIn } from './console-sign-in-es.ts'

export const console: typeof english = {
  title: 'Consola',
  nav: {
    start: 'Inicio',
    animals: 'Animales',
    applications: 'Solicitudes',
    import: 'Importar',
    organization: 'Organización',
    usage: 'Uso',
    people: 'Personas',
    keys: 'Claves',
  },
  roles: { viewer: 'Lectura', staff: 'Personal', manager: 'Responsable', admin: 'Administración' },
  signOut: 'Cerrar sesión',
  toStart: 'A la página de inicio',
  signedOut: {
    title: 'Su sesión ha terminado',
    advice:
      'No se ha guardado nada y no se ha perdido nada: inicie sesión en otra ventana, vuelva a esta y cárguela de nuevo.',
    link: 'Iniciar sesión en otra ventana',
  },
  notices: {
    ...applicationNotices,
    ...peopleNotices,
    added: 'El animal está añadido. Ahora añada fotos: con fotos encuentran antes un hogar.',
    addedAnother: 'El animal está añadido. Aquí tiene un formulario vacío para el siguiente.',
    organizationAdded:
      'La organización está añadida. Elíjala al añadir sus animales y al invitar a su equipo.',
    saved: 'Sus cambios están guardados.',
    unchanged: 'No había nada que guardar.',
    deleted: 'El animal está eliminado.',
    gone: 'El animal ya no está.',
    available: 'El animal ya está en la galería.',
    pending: 'El animal está marcado como reservado.',
    sold: 'El animal está marcado como adoptado. ¡Estupendo!',
    photosAdded: 'Las fotos están añadidas.',
    photoChanged: 'Las fotos están cambiadas.',
    photoRemoved: 'La foto está eliminada.',
    approved: 'La solicitud está aprobada.',
    completed: 'La adopción está completa y el animal tiene un hogar. ¡Estupendo!',
    cancelled: 'La solicitud está cancelada y el animal vuelve a estar disponible.',
  },
  errors: {
    insufficient_access: 'Su función no le permite hacer esto, o no se envió desde una página de la consola.',
    other_organization: 'Esto pertenece a otra organización.',
    pet_not_found: 'No existe este animal, o pertenece a otra organización.',
    photo_not_found: 'Esta foto ya no existe.',
    organization_not_found: 'No existe esta organización.',
    application_not_found: 'No existe esta solicitud, o pertenece a otra organización.',
    order_not_found: 'No existe esta solicitud.',
    order_open: 'Hay una solicitud abierta para este animal. Complétela o cancélela primero.',
    order_closed: 'Esta solicitud ya está cerrada.',
    pet_not_available: 'Este animal ya no está disponible.',
    invalid_status_transition: 'Esto no puede seguir al estado actual del animal.',
    external_id_exists: 'Otro animal tiene este número propio.',
    too_many_photos: 'Ya hay 20 fotos. Elimine una primero.',
    invalid_image: 'Esta imagen no se puede usar. Elija JPEG, PNG, WebP, AVIF o GIF.',
    unsupported_media_type: 'Esto no se puede leer. Las fotos pueden ser JPEG, PNG, WebP, AVIF o GIF.',
    payload_too_large: 'Es demasiado grande. Una foto puede tener 15 MB y un formulario 256 kB.',
    idempotency_key_reused:
      'Este formulario ya se guardó una vez con otro contenido. Mire primero lo que añadió; guardar ahora lo añade otra vez.',
    idempotency_key_in_use: 'Este formulario se está guardando. Espere un momento y mire la lista.',
  },
  otherError: 'Esto no se pudo hacer. Abra la página de nuevo e inténtelo otra vez.',
  start: {
    title: 'Inicio',
    numbers: 'Animales por estado',
    noPhotos: 'En la galería sin foto',
    noPhotosNone: 'Todos los animales de la galería tienen foto.',
    longest: 'Esperan desde hace más tiempo',
    longestNone: 'Ningún animal espera.',
    latest: 'Últimos cambios',
    latestNone: 'Todavía no ha cambiado nada.',
    allOfThem: 'Mostrar todos',
    noOrganization:
      'Primero va su refugio: los animales y las preguntas a quien adopta pertenecen a una organización.',
    empty: 'Todavía no hay animales. Añada el primero: bastan un nombre y una especie para empezar.',
  },
  animals,
  animal,
  applications,
  questions,
  photos,
  signIn,
  join,
  people,
  account,
  keys,
  import: importWords,
  organization,
  usage,
}
