import type {
  account as englishAccount,
  peopleNotices as englishNotices,
  people as englishPeople,
} from './console-people-en.ts'

export const people: typeof englishPeople = {
  title: 'Personas',
  lead: 'Todas las personas que pueden iniciar sesión aquí.',
  invite: 'Invitar a alguien',
  inviteTitle: 'Invitar a alguien',
  inviteLead:
    'Recibe un enlace con el que elige su propia contraseña. Funciona una sola vez, durante tres días.',
  inviteButton: 'Crear la invitación',
  name: 'Nombre',
  role: 'Función',
  roleHints: {
    viewer: 've animales y cifras y no cambia nada',
    staff: 'añade y cambia animales y decide quién los adopta',
    manager: 'además invita a personas, crea claves y cambia la organización',
    admin: 'puede hacerlo todo, en todas las organizaciones',
  },
  organization: 'Organización',
  organizationHint: 'Quien pertenece a una trabaja solo con sus animales.',
  everywhere: 'Todas las organizaciones',
  you: 'Usted',
  invited: 'aún no se ha incorporado',
  since: 'Cuenta desde',
  toList: 'Volver a las personas',
  invitedTitle: (name) => `${name} tiene una invitación`,
  linkTitle: (name) => `Un enlace nuevo para ${name}`,
  sent: (email) => `El enlace se envió a ${email}. También puede entregarlo usted.`,
  handOver: (email) => `Envíe este enlace a ${email}, en un mensaje que nadie más lea.`,
  link: 'Enlace',
  onlyOnce: 'Solo se muestra ahora. Quien lo tenga puede usarlo.',
  copy: 'Copiar',
  copied: 'Copiado.',
  thisIsYou: 'Es usted.',
  above: 'Solo alguien con esta función o una superior decide sobre esta persona.',
  newLink: 'Enlace nuevo',
  newLinkHint: 'Para una contraseña perdida. La que tiene vale hasta que siga el enlace.',
  newLinkInvited: 'Para una invitación perdida o caducada. La anterior deja de valer.',
  newLinkButton: 'Crear un enlace nuevo',
  remove: 'Eliminar la cuenta',
  removeTitle: (name) => `¿Eliminar la cuenta de ${name}?`,
  removeHint:
    'Su sesión termina de inmediato y se borran su nombre y su dirección. Lo que hizo queda en el historial, como hecho por alguien que fue del personal.',
}

export const account: typeof englishAccount = {
  title: 'Su cuenta',
  password: 'Contraseña',
  passwordHint: 'Un cambio cierra su sesión en todas las demás partes.',
  current: 'Contraseña actual',
  next: 'Contraseña nueva',
  change: 'Cambiar la contraseña',
  wrongPassword: 'No es su contraseña actual.',
  everywhere: 'Otros dispositivos',
  everywhereHint: 'Cierra su sesión aquí y en todos los demás dispositivos, por ejemplo uno perdido.',
  everywhereButton: 'Cerrar todas las sesiones',
}

export const peopleNotices: typeof englishNotices = {
  welcome: 'Ha iniciado sesión. ¡Le damos la bienvenida!',
  personRemoved: 'La cuenta está eliminada.',
  personGone: 'Esta cuenta ya no existe.',
  passwordChanged: 'Su contraseña está cambiada y su sesión está cerrada en todas las demás partes.',
  keyRevoked: 'La clave está revocada. Desde ahora se rechaza toda petición que la lleve.',
  keyGone: 'Esta clave ya estaba revocada.',
}
