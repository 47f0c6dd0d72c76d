import type { Role } from '../../../access.ts'
import type { LinkKind } from '../../../staff/links.ts'
import { NEEDS_HTTPS } from '../../../staff/session-cookie.ts'

const en = {
  /** Words for those who are not signed in yet. */
  signIn: {
    title: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    passwordHint: (least: number) =>
      `At least ${least} characters. Four words that do not belong together are good.`,
    showPassword: 'Show',
    button: 'Sign in',
    lost: 'No password, or lost it? Ask a manager of your shelter for a new link.',
    wrong: 'Please look at this again',
    notices: {
      signedOut: 'You are signed out.',
      signedOutAll: 'You are signed out, here and everywhere else.',
    },
    problems: {
      wrong: 'The e-mail address or the password is not right.',
      wait: (minutes: number) =>
        minutes === 1
          ? 'That was tried too often. Wait a minute, then try again.'
          : `That was tried too often. Wait ${minutes} minutes, then try again.`,
      email: 'This has to be an e-mail address, such as ana@shelter.example.',
      emailTaken: 'Somebody has an account with this e-mail address already.',
      name: 'Give a name of 1 to 200 characters.',
      tooShort: (least: number) => `The password needs at least ${least} characters.`,
      tooLong: (most: number) => `The password can have at most ${most} characters.`,
      common:
        'Many people would think of this password. Choose another, such as four words that do not belong together.',
      samePassword: 'This is the password that you have. Choose another one.',
      role: 'Choose a role. An admin belongs to no organization.',
      organization: 'There is no such organization.',
    },
    needsHttps: {
      title: 'Nobody can sign in at this address',
      advice:
        'This page was opened over plain http, where everybody on the way could read a password, and where browsers keep no session.',
      how: [
        'Open the address that begins with https, where there is one.',
        `For whoever runs this service: ${NEEDS_HTTPS}`,
      ],
    },
  },
  /** Words of the page that a one-time link leads to. */
  join: {
    titles: {
      first: 'Make the first account',
      invitation: 'Welcome',
      reset: 'Choose a new password',
    } as Record<LinkKind, string>,
    leads: {
      first:
        'It belongs to you, and may do everything here: invite others, give keys to programs, change organizations.',
      invitation: 'Choose the password with which you will sign in from now on.',
      reset: 'It takes the place of the one you had, and signs you out everywhere else.',
    } as Record<LinkKind, string>,
    name: 'Your name',
    nameHint: 'Others see it beside what you do.',
    password: 'Password',
    buttons: {
      first: 'Make the account',
      invitation: 'Start',
      reset: 'Save the password',
    } as Record<LinkKind, string>,
    over: {
      title: 'This link is not good any more',
      advice: [
        'A link works once, within three days, and a new one ends those before.',
        'If you have a password already, sign in. Otherwise ask whoever invited you for a new link. Whoever runs this service can make one too, with the command “adoptable staff”.',
      ],
      toSignIn: 'Sign in',
    },
  },
  /** Words about people with an account. */
  people: {
    title: 'People',
    lead: 'Everybody who can sign in here.',
    invite: 'Invite somebody',
    inviteTitle: 'Invite somebody',
    inviteLead: 'They get a link by which they choose their own password. It works once, within three days.',
    inviteButton: 'Make the invitation',
    name: 'Name',
    role: 'Role',
    roleHints: {
      viewer: 'sees animals and numbers, and changes nothing',
      staff: 'adds and changes animals, and decides who adopts them',
      manager: 'also invites people, makes keys, and changes the organization',
      admin: 'may do everything, in every organization',
    } as Record<Role, string>,
    organization: 'Organization',
    organizationHint: 'Whoever belongs to one works with its animals alone.',
    everywhere: 'Every organization',
    you: 'You',
    invited: 'has not joined yet',
    since: 'Account since',
    toList: 'Back to the people',
    invitedTitle: (name: string) => `${name} is invited`,
    linkTitle: (name: string) => `A new link for ${name}`,
    sent: (email: string) => `The link was sent to ${email}. You can also hand it over yourself.`,
    handOver: (email: string) => `Send this link to ${email}, in a message that nobody else reads.`,
    link: 'Link',
    onlyOnce: 'It is shown only now. Whoever has it can use it.',
    copy: 'Copy',
    copied: 'Copied.',
    thisIsYou: 'This is you.',
    above: 'Only somebody with this role or a higher one decides about this person.',
    newLink: 'New link',
    newLinkHint: 'For a password that was lost. The one they have works until they follow the link.',
    newLinkInvited: 'For an invitation that was lost or is over. The one before ends.',
    newLinkButton: 'Make a new link',
    remove: 'Remove the account',
    removeTitle: (name: string) => `Remove the account of ${name}?`,
    removeHint:
      'They are signed out at once, and their name and address are erased. What they did stays in the history, as done by a former member of staff.',
  },
  /** Words about the own account. */
  account: {
    title: 'Your account',
    password: 'Password',
    passwordHint: 'A change signs you out everywhere else.',
    current: 'Present password',
    next: 'New password',
    change: 'Change the password',
    wrongPassword: 'This is not your present password.',
    everywhere: 'Other devices',
    everywhereHint: 'Signs you out here and on every other device, such as one that was lost.',
    everywhereButton: 'Sign out everywhere',
  },
}

const es: typeof en = {
  signIn: {
    title: 'Iniciar sesión',
    email: 'Correo electrónico',
    password: 'Contraseña',
    passwordHint: (least) =>
      `Al menos ${least} caracteres. Sirven bien cuatro palabras que no tengan que ver entre sí.`,
    showPassword: 'Mostrar',
    button: 'Iniciar sesión',
    lost: '¿No tiene contraseña o la ha perdido? Pida un enlace nuevo a una persona responsable de su refugio.',
    wrong: 'Revise esto, por favor',
    notices: {
      signedOut: 'Ha cerrado la sesión.',
      signedOutAll: 'Ha cerrado la sesión aquí y en todas partes.',
    },
    problems: {
      wrong: 'El correo electrónico o la contraseña no son correctos.',
      wait: (minutes) =>
        minutes === 1
          ? 'Se ha intentado demasiadas veces. Espere un minuto e inténtelo de nuevo.'
          : `Se ha intentado demasiadas veces. Espere ${minutes} minutos e inténtelo de nuevo.`,
      email: 'Debe ser una dirección de correo, como ana@shelter.example.',
      emailTaken: 'Ya existe una cuenta con este correo electrónico.',
      name: 'Escriba un nombre de 1 a 200 caracteres.',
      tooShort: (least) => `La contraseña necesita al menos ${least} caracteres.`,
      tooLong: (most) => `La contraseña puede tener como máximo ${most} caracteres.`,
      common:
        'Muchas personas pensarían en esta contraseña. Elija otra, por ejemplo cuatro palabras que no tengan que ver entre sí.',
      samePassword: 'Es la contraseña que ya tiene. Elija otra.',
      role: 'Elija una función. Quien administra no pertenece a ninguna organización.',
      organization: 'No existe esa organización.',
    },
    needsHttps: {
      title: 'En esta dirección no se puede iniciar sesión',
      advice:
        'Esta página se abrió por http sin cifrar: cualquiera en el camino podría leer una contraseña, y los navegadores no guardan la sesión.',
      how: [
        'Abra la dirección que empieza por https, si la hay.',
        'Para quien administra este servicio: ponga delante un proxy con TLS e indíquelo en TRUST_PROXY, o abra la consola en la propia máquina, en localhost.',
      ],
    },
  },
  join: {
    titles: {
      first: 'Crear la primera cuenta',
      invitation: 'Bienvenido, bienvenida',
      reset: 'Elegir una contraseña nueva',
    },
    leads: {
      first:
        'Es suya y puede hacerlo todo: invitar a otras personas, dar claves a programas, cambiar organizaciones.',
      invitation: 'Elija la contraseña con la que iniciará sesión a partir de ahora.',
      reset: 'Sustituye a la que tenía y cierra su sesión en todas las demás partes.',
    },
    name: 'Su nombre',
    nameHint: 'Los demás lo ven junto a lo que usted hace.',
    password: 'Contraseña',
    buttons: { first: 'Crear la cuenta', invitation: 'Empezar', reset: 'Guardar la contraseña' },
    over: {
      title: 'Este enlace ya no sirve',
      advice: [
        'Un enlace funciona una sola vez, durante tres días, y uno nuevo anula los anteriores.',
        'Si ya tiene contraseña, inicie sesión. Si no, pida un enlace nuevo a quien le invitó. Quien administra el servicio también puede crear uno con la orden «adoptable staff».',
      ],
      toSignIn: 'Iniciar sesión',
    },
  },
  people: {
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
  },
  account: {
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
  },
}

export const people = { en, es }
