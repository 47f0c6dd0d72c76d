import type { Language } from '../http/language.ts'
import { withoutBidiControls } from '../http/text.ts'
import type { Email } from '../mail/mail.ts'
import type { LinkKind } from './links.ts'

interface LinkContent {
  name: string
  link: string
}

const EMAILS = {
  en: {
    invitation: ({ name, link }: LinkContent) => ({
      subject: 'Set up your account',
      text: `Hello ${name},

You have been invited to help manage animals for adoption. To choose your password, open this link:

${link}

The link works once and expires in three days. If you already have an account with this e-mail address,
ask for an invitation to a different address. If you did not expect this message, you can ignore it.
`,
    }),
    reset: ({ name, link }: LinkContent) => ({
      subject: 'Reset your password',
      text: `Hello ${name},

To choose a new password, open this link:

${link}

The link works once and expires in three days. Your current password works until you choose a new one. If
you did not ask for this, please tell the administrator of this service.
`,
    }),
  },
  es: {
    invitation: ({ name, link }: LinkContent) => ({
      subject: 'Prepare su cuenta',
      text: `Hola, ${name}:

Recibió una invitación para ayudar a gestionar animales en adopción.
Para elegir su contraseña, abra este enlace:

${link}

El enlace funciona una sola vez y caduca a los tres días. Si ya tiene una cuenta con este correo
electrónico, pida una invitación para otra dirección. Si no esperaba este mensaje, puede ignorarlo.
`,
    }),
    reset: ({ name, link }: LinkContent) => ({
      subject: 'Restablezca su contraseña',
      text: `Hola, ${name}:

Para elegir una contraseña nueva, abra este enlace:

${link}

El enlace funciona una sola vez y caduca a los tres días. Su contraseña actual sigue siendo válida hasta
que elija otra. Si no pidió este cambio, avise a la persona que administra este servicio.
`,
    }),
  },
} satisfies Record<Language, unknown>

export function emailWithLink(
  kind: Exclude<LinkKind, 'first'>,
  { email, name, link, language = 'en' }: LinkContent & { email: string; language?: Language | undefined },
): Email {
  return { to: email, ...EMAILS[language][kind]({ name: withoutBidiControls(name), link }) }
}
