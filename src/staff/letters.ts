import type { Language } from '../http/language.ts'
import type { Letter } from '../mail/mail.ts'
import type { LinkKind } from './links.ts'

interface About {
  name: string
  link: string
}

/** What comes with a link by e-mail. */
const LETTERS = {
  en: {
    invitation: ({ name, link }: About) => ({
      subject: 'Your account',
      text: `Hello ${name},

you have got an account to work with the animals here. Choose your password at this address:

${link}

It works once, within three days. If you did not expect this message, you need do nothing.
`,
    }),
    reset: ({ name, link }: About) => ({
      subject: 'A new password',
      text: `Hello ${name},

choose a new password at this address:

${link}

It works once, within three days. The password that you have works until then. If you did not ask for
this, tell whoever runs this service.
`,
    }),
  },
  es: {
    invitation: ({ name, link }: About) => ({
      subject: 'Su cuenta',
      text: `Hola, ${name}:

Tiene una cuenta para trabajar con los animales. Elija su contraseña en esta dirección:

${link}

Funciona una sola vez, durante tres días. Si no esperaba este mensaje, no tiene que hacer nada.
`,
    }),
    reset: ({ name, link }: About) => ({
      subject: 'Una contraseña nueva',
      text: `Hola, ${name}:

Elija una contraseña nueva en esta dirección:

${link}

Funciona una sola vez, durante tres días. Hasta entonces vale la contraseña que tiene. Si no la ha
pedido, avise a quien administra este servicio.
`,
    }),
  },
} satisfies Record<Language, unknown>

export function letterOf(
  kind: Exclude<LinkKind, 'first'>,
  { email, name, link, language = 'en' }: About & { email: string; language?: Language | undefined },
): Letter {
  return { to: email, ...LETTERS[language][kind]({ name, link }) }
}
