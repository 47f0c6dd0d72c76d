import type { signIn as english, join as englishJoin } from './console-sign-in-en.ts'

export const signIn: typeof english = {
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
}

export const join: typeof englishJoin = {
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
}
