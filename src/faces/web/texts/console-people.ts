import type { Role } from '../../../access.ts'
import { text, type Words } from '../../../http/language.ts'
import type { LinkKind } from '../../../staff/links.ts'
import { NEEDS_HTTPS } from '../../../staff/session-cookie.ts'

export const people = {
  /** The pages for people who are not signed in yet. */
  signIn: {
    title: text('Sign in', 'Iniciar sesión'),
    email: text('E-mail address', 'Correo electrónico'),
    password: text('Password', 'Contraseña'),
    passwordHint: (min: number) =>
      text(
        `At least ${min} characters. Four unrelated words work well.`,
        `Al menos ${min} caracteres. Por ejemplo, cuatro palabras sin relación entre sí.`,
      ),
    showPassword: text('Show', 'Mostrar'),
    button: text('Sign in', 'Iniciar sesión'),
    lost: text(
      'No password yet, or forgot it? Ask a manager of your shelter for a new link.',
      '¿Aún no tiene contraseña o la olvidó? Pida un enlace nuevo a una persona responsable de su refugio.',
    ),
    wrong: text('Please fix the following', 'Corrija lo siguiente'),
    notices: {
      signedOut: text('You are signed out.', 'Cerró la sesión.'),
      signedOutAll: text('You are signed out on all devices.', 'Cerró la sesión en todos los dispositivos.'),
    },
    problems: {
      wrong: text(
        'The e-mail address or the password is incorrect. Check both and try again.',
        'El correo electrónico o la contraseña no son correctos. Revíselos e inténtelo de nuevo.',
      ),
      wait: (minutes: number) =>
        text(
          minutes === 1
            ? 'Too many attempts. Wait a minute, then try again.'
            : `Too many attempts. Wait ${minutes} minutes, then try again.`,
          minutes === 1
            ? 'Demasiados intentos. Espere un minuto e inténtelo de nuevo.'
            : `Demasiados intentos. Espere ${minutes} minutos e inténtelo de nuevo.`,
        ),
      email: text(
        'Enter an e-mail address, e.g. ana@shelter.example.',
        'Escriba una dirección de correo, p. ej. ana@refugio.example.',
      ),
      emailTaken: text(
        'An account with this e-mail address already exists. Enter a different address.',
        'Ya existe una cuenta con este correo electrónico. Escriba una dirección distinta.',
      ),
      emailIsYours: text(
        'An account with this e-mail address already exists. If it is yours, sign in with it, or ask for an invitation to a different address.',
        'Ya existe una cuenta con este correo electrónico. Si es suya, inicie sesión con ella o pida una invitación para otra dirección.',
      ),
      name: text('Enter a name with 1 to 200 characters.', 'Escriba un nombre de 1 a 200 caracteres.'),
      tooShort: (min: number) =>
        text(
          `The password must have at least ${min} characters.`,
          `La contraseña debe tener al menos ${min} caracteres.`,
        ),
      tooLong: (max: number) =>
        text(
          `The password can have up to ${max} characters.`,
          `La contraseña puede tener hasta ${max} caracteres.`,
        ),
      common: text(
        'This password is too easy to guess. Choose a different one, such as four unrelated words.',
        'Esta contraseña es demasiado fácil de adivinar. Elija otra, por ejemplo cuatro palabras sin relación entre sí.',
      ),
      samePassword: text(
        'This is your current password. Choose a different one.',
        'Es su contraseña actual. Elija una distinta.',
      ),
      role: text(
        'Choose a role. An admin cannot belong to an organization.',
        'Elija una función. Quien administra no puede pertenecer a una organización.',
      ),
      organization: text(
        'This organization does not exist. Choose another one.',
        'Esta organización no existe. Elija otra.',
      ),
    },
    needsHttps: {
      title: text('You cannot sign in at this address', 'En esta dirección no se puede iniciar sesión'),
      advice: text(
        'This page was opened over plain http. Other people on the network could read your password, and your browser would not keep you signed in.',
        'Esta página se abrió por http sin cifrar. Otras personas en la red podrían leer su contraseña, y su navegador no mantendría la sesión abierta.',
      ),
      how: text(
        [
          'Open the address that starts with https, if there is one.',
          `If you operate this service: ${NEEDS_HTTPS}`,
        ],
        [
          'Abra la dirección que empieza con https, si la hay.',
          'Si usted administra este servicio: ponga delante un proxy con TLS e indíquelo en TRUST_PROXY, o abra la consola en la propia máquina, en localhost.',
        ],
      ),
    },
  },
  /** The page of a one-time link. */
  join: {
    titles: {
      first: text('Create the first account', 'Crear la primera cuenta'),
      invitation: text('Welcome! Set up your account', 'Le damos la bienvenida. Prepare su cuenta'),
      reset: text('Choose a new password', 'Elegir una contraseña nueva'),
    } as Words<LinkKind>,
    leads: {
      first: text(
        'This account can do everything here: invite people, create API keys and change organizations.',
        'Esta cuenta puede hacerlo todo aquí: invitar a personas, crear claves de API y cambiar organizaciones.',
      ),
      invitation: text(
        'Choose the password you will sign in with.',
        'Elija la contraseña con la que iniciará sesión.',
      ),
      reset: text(
        'The new password replaces the old one and signs you out on all devices.',
        'La contraseña nueva sustituye a la anterior y cierra su sesión en todos los dispositivos.',
      ),
    } as Words<LinkKind>,
    name: text('Your name', 'Su nombre'),
    nameHint: text(
      'Shown to others next to your changes.',
      'Se muestra a los demás junto a los cambios que usted haga.',
    ),
    password: text('Password', 'Contraseña'),
    buttons: {
      first: text('Create account', 'Crear cuenta'),
      invitation: text('Set password and sign in', 'Guardar la contraseña e iniciar sesión'),
      reset: text('Save password', 'Guardar contraseña'),
    } as Words<LinkKind>,
    over: {
      title: text('This link is no longer valid', 'Este enlace ya no es válido'),
      advice: text(
        [
          'A link works once and expires after three days. A new link replaces earlier ones.',
          'If you already have a password, sign in. Otherwise ask the person who invited you for a new link. The operator of this service can also create one, with the command “adoptable staff”.',
        ],
        [
          'Un enlace funciona una sola vez y caduca a los tres días. Un enlace nuevo sustituye a los anteriores.',
          'Si ya tiene contraseña, inicie sesión. Si no, pida un enlace nuevo a quien le invitó. Quien administra este servicio también puede crear uno, con el comando «adoptable staff».',
        ],
      ),
      toSignIn: text('Sign in', 'Iniciar sesión'),
    },
  },
  /** The pages of the people with an account. */
  people: {
    title: text('People', 'Personas'),
    lead: text('Everyone who can sign in here.', 'Todas las personas que pueden iniciar sesión aquí.'),
    invite: text('Invite someone', 'Invitar a alguien'),
    inviteTitle: text('Invite someone', 'Invitar a alguien'),
    inviteLead: text(
      'The invitation is a link. The person opens it to choose a password. The link works once and expires after three days.',
      'La invitación es un enlace. La persona lo abre para elegir una contraseña. El enlace funciona una sola vez y caduca a los tres días.',
    ),
    inviteButton: text('Create invitation', 'Crear invitación'),
    name: text('Name', 'Nombre'),
    role: text('Role', 'Función'),
    roleHints: {
      viewer: text(
        'sees animals and statistics, but cannot change anything',
        've animales y estadísticas, pero no puede cambiar nada',
      ),
      staff: text(
        'adds and changes animals, and decides who adopts them',
        'añade y cambia animales, y decide quién los adopta',
      ),
      manager: text(
        'does the work of staff, invites people, creates API keys, and changes the organization’s details',
        'hace el trabajo del personal, invita a personas, crea claves de API y modifica los datos de la organización',
      ),
      admin: text(
        'can do everything, in every organization',
        'puede hacerlo todo, en todas las organizaciones',
      ),
    } as Words<Role>,
    organization: text('Organization', 'Organización'),
    organizationHint: text(
      'A person in an organization works only with its animals.',
      'Quien pertenece a una organización solo trabaja con sus animales.',
    ),
    everywhere: text('All organizations', 'Todas las organizaciones'),
    you: text('You', 'Usted'),
    invited: text('invited, has not joined yet', 'invitación pendiente'),
    since: text('Account created on', 'Cuenta creada el'),
    toList: text('Back to people', 'Volver a las personas'),
    invitedTitle: (name: string) => text(`Invitation for ${name}`, `Invitación para ${name}`),
    linkTitle: (name: string) => text(`New link for ${name}`, `Enlace nuevo para ${name}`),
    sent: (email: string) =>
      text(
        `The link was sent to ${email}. You can also pass it on yourself.`,
        `El enlace se envió a ${email}. También puede entregarlo usted.`,
      ),
    sentAlone: (email: string) =>
      text(
        `The link was sent to ${email} and is not shown here. If the e-mail does not arrive, create a new link.`,
        `El enlace se envió a ${email} y no se muestra aquí. Si el correo no llega, cree un enlace nuevo.`,
      ),
    notSent: (email: string) =>
      text(
        `The link could not be sent to ${email}. Wait a minute, then create a new link on this person’s page.`,
        `No se pudo enviar el enlace a ${email}. Espere un minuto y cree otro en la página de esta persona.`,
      ),
    handOver: (email: string) =>
      text(
        `Send this link to ${email} in a private message.`,
        `Envíe este enlace a ${email} en un mensaje privado.`,
      ),
    link: text('Link', 'Enlace'),
    onlyOnce: text(
      'Copy it now: it is not shown again. Anyone who has it can use it.',
      'Cópielo ahora: no se volverá a mostrar. Cualquiera que lo tenga puede usarlo.',
    ),
    copy: text('Copy', 'Copiar'),
    copied: text('Copied.', 'Copiado.'),
    thisIsYou: text('This is your own account.', 'Esta es su propia cuenta.'),
    above: text(
      'Only someone with this role or a higher one can change this account.',
      'Solo alguien con esta función o una superior puede cambiar esta cuenta.',
    ),
    newLink: text('New link', 'Enlace nuevo'),
    newLinkHint: text(
      'For a forgotten password. The current password works until the person uses the link.',
      'Para una contraseña olvidada. La actual funciona hasta que la persona use el enlace.',
    ),
    newLinkInvited: text(
      'For an invitation that was lost or has expired. The earlier link stops working.',
      'Para una invitación perdida o caducada. El enlace anterior deja de funcionar.',
    ),
    newLinkButton: text('Create new link', 'Crear un enlace nuevo'),
    remove: text('Remove account', 'Eliminar cuenta'),
    removeTitle: (name: string) => text(`Remove the account of ${name}?`, `¿Eliminar la cuenta de ${name}?`),
    removeHint: text(
      'This person is signed out immediately, and their name and e-mail address are erased. Their changes stay in the history, under “Former staff member”.',
      'La sesión de esta persona se cierra de inmediato y se borran su nombre y su correo. Sus cambios quedan en el historial, a nombre de «Antiguo miembro del personal».',
    ),
  },
  /** The page of one's own account. */
  account: {
    title: text('Your account', 'Su cuenta'),
    password: text('Password', 'Contraseña'),
    passwordHint: text(
      'If you change it, you are signed out on all other devices.',
      'Si la cambia, se cierra su sesión en todos los demás dispositivos.',
    ),
    current: text('Current password', 'Contraseña actual'),
    next: text('New password', 'Contraseña nueva'),
    change: text('Change password', 'Cambiar contraseña'),
    wrongPassword: text(
      'This is not your current password. Try again.',
      'No es su contraseña actual. Inténtelo de nuevo.',
    ),
    everywhere: text('Other devices', 'Otros dispositivos'),
    everywhereHint: text(
      'Sign out here and on all other devices, for example if you lost one.',
      'Cierre la sesión aquí y en todos los demás dispositivos, por ejemplo si perdió uno.',
    ),
    everywhereButton: text('Sign out everywhere', 'Cerrar todas las sesiones'),
  },
}
