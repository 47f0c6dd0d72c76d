import type { Role } from '../../../access.ts'
import type { LinkKind } from '../../../staff/links.ts'
import { NEEDS_HTTPS } from '../../../staff/session-cookie.ts'

const en = {
  /** The pages for people who are not signed in yet. */
  signIn: {
    title: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    passwordHint: (min: number) => `At least ${min} characters. Four unrelated words work well.`,
    showPassword: 'Show',
    button: 'Sign in',
    lost: 'No password yet, or forgot it? Ask a manager of your shelter for a new link.',
    wrong: 'Please fix the following',
    notices: {
      signedOut: 'You are signed out.',
      signedOutAll: 'You are signed out on all devices.',
    },
    problems: {
      wrong: 'The e-mail address or the password is incorrect. Check both and try again.',
      wait: (minutes: number) =>
        minutes === 1
          ? 'Too many attempts. Wait a minute, then try again.'
          : `Too many attempts. Wait ${minutes} minutes, then try again.`,
      email: 'Enter an e-mail address, e.g. ana@shelter.example.',
      emailTaken: 'An account with this e-mail address already exists. Enter a different address.',
      emailIsYours:
        'An account with this e-mail address already exists. If it is yours, sign in with it, or ask for an invitation to a different address.',
      name: 'Enter a name with 1 to 200 characters.',
      tooShort: (min: number) => `The password must have at least ${min} characters.`,
      tooLong: (max: number) => `The password can have up to ${max} characters.`,
      common: 'This password is too easy to guess. Choose a different one, such as four unrelated words.',
      samePassword: 'This is your current password. Choose a different one.',
      role: 'Choose a role. An admin cannot belong to an organization.',
      organization: 'This organization does not exist. Choose another one.',
    },
    needsHttps: {
      title: 'You cannot sign in at this address',
      advice:
        'This page was opened over plain http. Other people on the network could read your password, and your browser would not keep you signed in.',
      how: [
        'Open the address that starts with https, if there is one.',
        `If you operate this service: ${NEEDS_HTTPS}`,
      ],
    },
  },
  /** The page of a one-time link. */
  join: {
    titles: {
      first: 'Create the first account',
      invitation: 'Welcome! Set up your account',
      reset: 'Choose a new password',
    } as Record<LinkKind, string>,
    leads: {
      first: 'This account can do everything here: invite people, create API keys and change organizations.',
      invitation: 'Choose the password you will sign in with.',
      reset: 'The new password replaces the old one and signs you out on all devices.',
    } as Record<LinkKind, string>,
    name: 'Your name',
    nameHint: 'Shown to others next to your changes.',
    password: 'Password',
    buttons: {
      first: 'Create account',
      invitation: 'Set password and sign in',
      reset: 'Save password',
    } as Record<LinkKind, string>,
    over: {
      title: 'This link is no longer valid',
      advice: [
        'A link works once and expires after three days. A new link replaces earlier ones.',
        'If you already have a password, sign in. Otherwise ask the person who invited you for a new link. The operator of this service can also create one, with the command “adoptable staff”.',
      ],
      toSignIn: 'Sign in',
    },
  },
  /** The pages of the people with an account. */
  people: {
    title: 'People',
    lead: 'Everyone who can sign in here.',
    invite: 'Invite someone',
    inviteTitle: 'Invite someone',
    inviteLead:
      'The invitation is a link. The person opens it to choose a password. The link works once and expires after three days.',
    inviteButton: 'Create invitation',
    name: 'Name',
    role: 'Role',
    roleHints: {
      viewer: 'sees animals and statistics, but cannot change anything',
      staff: 'adds and changes animals, and decides who adopts them',
      manager:
        'does the work of staff, invites people, creates API keys, and changes the organization’s details',
      admin: 'can do everything, in every organization',
    } as Record<Role, string>,
    organization: 'Organization',
    organizationHint: 'A person in an organization works only with its animals.',
    everywhere: 'All organizations',
    you: 'You',
    invited: 'invited, has not joined yet',
    since: 'Account created on',
    toList: 'Back to people',
    invitedTitle: (name: string) => `Invitation for ${name}`,
    linkTitle: (name: string) => `New link for ${name}`,
    sent: (email: string) => `The link was sent to ${email}. You can also pass it on yourself.`,
    sentAlone: (email: string) =>
      `The link was sent to ${email} and is not shown here. If the e-mail does not arrive, create a new link.`,
    notSent: (email: string) =>
      `The link could not be sent to ${email}. Wait a minute, then create a new link on this person’s page.`,
    handOver: (email: string) => `Send this link to ${email} in a private message.`,
    link: 'Link',
    onlyOnce: 'Copy it now: it is not shown again. Anyone who has it can use it.',
    copy: 'Copy',
    copied: 'Copied.',
    thisIsYou: 'This is your own account.',
    above: 'Only someone with this role or a higher one can change this account.',
    newLink: 'New link',
    newLinkHint: 'For a forgotten password. The current password works until the person uses the link.',
    newLinkInvited: 'For an invitation that was lost or has expired. The earlier link stops working.',
    newLinkButton: 'Create new link',
    remove: 'Remove account',
    removeTitle: (name: string) => `Remove the account of ${name}?`,
    removeHint:
      'This person is signed out immediately, and their name and e-mail address are erased. Their changes stay in the history, under “Former staff member”.',
  },
  /** The page of one's own account. */
  account: {
    title: 'Your account',
    password: 'Password',
    passwordHint: 'If you change it, you are signed out on all other devices.',
    current: 'Current password',
    next: 'New password',
    change: 'Change password',
    wrongPassword: 'This is not your current password. Try again.',
    everywhere: 'Other devices',
    everywhereHint: 'Sign out here and on all other devices, for example if you lost one.',
    everywhereButton: 'Sign out everywhere',
  },
}

const es: typeof en = {
  signIn: {
    title: 'Iniciar sesión',
    email: 'Correo electrónico',
    password: 'Contraseña',
    passwordHint: (min) => `Al menos ${min} caracteres. Por ejemplo, cuatro palabras sin relación entre sí.`,
    showPassword: 'Mostrar',
    button: 'Iniciar sesión',
    lost: '¿Aún no tiene contraseña o la olvidó? Pida un enlace nuevo a una persona responsable de su refugio.',
    wrong: 'Corrija lo siguiente',
    notices: {
      signedOut: 'Cerró la sesión.',
      signedOutAll: 'Cerró la sesión en todos los dispositivos.',
    },
    problems: {
      wrong: 'El correo electrónico o la contraseña no son correctos. Revíselos e inténtelo de nuevo.',
      wait: (minutes) =>
        minutes === 1
          ? 'Demasiados intentos. Espere un minuto e inténtelo de nuevo.'
          : `Demasiados intentos. Espere ${minutes} minutos e inténtelo de nuevo.`,
      email: 'Escriba una dirección de correo, p. ej. ana@refugio.example.',
      emailTaken: 'Ya existe una cuenta con este correo electrónico. Escriba una dirección distinta.',
      emailIsYours:
        'Ya existe una cuenta con este correo electrónico. Si es suya, inicie sesión con ella o pida una invitación para otra dirección.',
      name: 'Escriba un nombre de 1 a 200 caracteres.',
      tooShort: (min) => `La contraseña debe tener al menos ${min} caracteres.`,
      tooLong: (max) => `La contraseña puede tener hasta ${max} caracteres.`,
      common:
        'Esta contraseña es demasiado fácil de adivinar. Elija otra, por ejemplo cuatro palabras sin relación entre sí.',
      samePassword: 'Es su contraseña actual. Elija una distinta.',
      role: 'Elija una función. Quien administra no puede pertenecer a una organización.',
      organization: 'Esta organización no existe. Elija otra.',
    },
    needsHttps: {
      title: 'En esta dirección no se puede iniciar sesión',
      advice:
        'Esta página se abrió por http sin cifrar. Otras personas en la red podrían leer su contraseña, y su navegador no mantendría la sesión abierta.',
      how: [
        'Abra la dirección que empieza con https, si la hay.',
        'Si usted administra este servicio: ponga delante un proxy con TLS e indíquelo en TRUST_PROXY, o abra la consola en la propia máquina, en localhost.',
      ],
    },
  },
  join: {
    titles: {
      first: 'Crear la primera cuenta',
      invitation: 'Le damos la bienvenida. Prepare su cuenta',
      reset: 'Elegir una contraseña nueva',
    },
    leads: {
      first:
        'Esta cuenta puede hacerlo todo aquí: invitar a personas, crear claves de API y cambiar organizaciones.',
      invitation: 'Elija la contraseña con la que iniciará sesión.',
      reset: 'La contraseña nueva sustituye a la anterior y cierra su sesión en todos los dispositivos.',
    },
    name: 'Su nombre',
    nameHint: 'Se muestra a los demás junto a los cambios que usted haga.',
    password: 'Contraseña',
    buttons: {
      first: 'Crear cuenta',
      invitation: 'Guardar la contraseña e iniciar sesión',
      reset: 'Guardar contraseña',
    },
    over: {
      title: 'Este enlace ya no es válido',
      advice: [
        'Un enlace funciona una sola vez y caduca a los tres días. Un enlace nuevo sustituye a los anteriores.',
        'Si ya tiene contraseña, inicie sesión. Si no, pida un enlace nuevo a quien le invitó. Quien administra este servicio también puede crear uno, con el comando «adoptable staff».',
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
      'La invitación es un enlace. La persona lo abre para elegir una contraseña. El enlace funciona una sola vez y caduca a los tres días.',
    inviteButton: 'Crear invitación',
    name: 'Nombre',
    role: 'Función',
    roleHints: {
      viewer: 've animales y estadísticas, pero no puede cambiar nada',
      staff: 'añade y cambia animales, y decide quién los adopta',
      manager:
        'hace el trabajo del personal, invita a personas, crea claves de API y modifica los datos de la organización',
      admin: 'puede hacerlo todo, en todas las organizaciones',
    },
    organization: 'Organización',
    organizationHint: 'Quien pertenece a una organización solo trabaja con sus animales.',
    everywhere: 'Todas las organizaciones',
    you: 'Usted',
    invited: 'invitación pendiente',
    since: 'Cuenta creada el',
    toList: 'Volver a las personas',
    invitedTitle: (name) => `Invitación para ${name}`,
    linkTitle: (name) => `Enlace nuevo para ${name}`,
    sent: (email) => `El enlace se envió a ${email}. También puede entregarlo usted.`,
    sentAlone: (email) =>
      `El enlace se envió a ${email} y no se muestra aquí. Si el correo no llega, cree un enlace nuevo.`,
    notSent: (email) =>
      `No se pudo enviar el enlace a ${email}. Espere un minuto y cree otro en la página de esta persona.`,
    handOver: (email) => `Envíe este enlace a ${email} en un mensaje privado.`,
    link: 'Enlace',
    onlyOnce: 'Cópielo ahora: no se volverá a mostrar. Cualquiera que lo tenga puede usarlo.',
    copy: 'Copiar',
    copied: 'Copiado.',
    thisIsYou: 'Esta es su propia cuenta.',
    above: 'Solo alguien con esta función o una superior puede cambiar esta cuenta.',
    newLink: 'Enlace nuevo',
    newLinkHint: 'Para una contraseña olvidada. La actual funciona hasta que la persona use el enlace.',
    newLinkInvited: 'Para una invitación perdida o caducada. El enlace anterior deja de funcionar.',
    newLinkButton: 'Crear un enlace nuevo',
    remove: 'Eliminar cuenta',
    removeTitle: (name) => `¿Eliminar la cuenta de ${name}?`,
    removeHint:
      'La sesión de esta persona se cierra de inmediato y se borran su nombre y su correo. Sus cambios quedan en el historial, a nombre de «Antiguo miembro del personal».',
  },
  account: {
    title: 'Su cuenta',
    password: 'Contraseña',
    passwordHint: 'Si la cambia, se cierra su sesión en todos los demás dispositivos.',
    current: 'Contraseña actual',
    next: 'Contraseña nueva',
    change: 'Cambiar contraseña',
    wrongPassword: 'No es su contraseña actual. Inténtelo de nuevo.',
    everywhere: 'Otros dispositivos',
    everywhereHint: 'Cierre la sesión aquí y en todos los demás dispositivos, por ejemplo si perdió uno.',
    everywhereButton: 'Cerrar todas las sesiones',
  },
}

export const people = { en, es }
