import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import type { Language } from '../http/language.ts'
import { withoutBidiControls } from '../http/text.ts'
import { hashToken, newToken } from '../http/token.ts'
import type { Email } from '../mail/mail.ts'
import type { Authority } from './accounts.ts'
import { findLink, type LinkKind, type OpenLink } from './links.ts'
import { findPasswordProblems } from './passwords.ts'
import { findPersonProblems, type NewPerson, requirePerson } from './roles.ts'

/** The path of the page that a link opens. request-log.ts keeps the token at its end out of the log. */
export const JOIN_PATH = '/console/join/'

/** The address of a link. @param origin where people reach the service */
export function joinLink(origin: string, token: string): string {
  return `${origin}${JOIN_PATH}${token}`
}

/** The origin that people can open: BASE_URL if it is set, else the address that the server listens on. */
export function originOf({ origin, baseUrlIsSet }: Config, address: string): string {
  return baseUrlIsSet ? origin : address
}

/** A new link for choosing a password. The store has only a hash of the token: the caller passes it on. */
export interface PasswordLink {
  staffId: number
  token: string
}

type JoinContext = Pick<Context, 'write' | 'clock'>

/**
 * Sends a link by e-mail, if a mail server is configured. The link stays valid even if the e-mail fails.
 * @returns whether the e-mail was sent
 */
export async function sendLink(
  { db, clock, mail }: Pick<Context, 'db' | 'clock' | 'mail'>,
  token: string,
  { origin, language }: { origin: string; language?: Language | undefined },
): Promise<boolean> {
  const link = mail && (await readLink({ db, clock }, token))
  if (!link?.staff || link.kind === 'first') return false
  return (
    mail?.send(emailWithLink(link.kind, { ...link.staff, link: joinLink(origin, token), language })) ?? false
  )
}

/**
 * Adds an account for a person, who chooses a password with the returned link.
 * @param by undefined for a command, which may invite anybody
 * @throws {ApiError} validation_failed, insufficient_access
 */
export async function invite(
  { write, clock }: JoinContext,
  person: NewPerson,
  by: Authority | undefined,
): Promise<PasswordLink> {
  requirePerson(person)
  const { token, hash } = newToken()
  return { staffId: await write(changes.inviteStaff, person, by, hash, clock()), token }
}

/**
 * Makes a new link for a person who has lost the previous link or the password.
 * @returns undefined when no account has this id
 * @throws {ApiError} insufficient_access
 */
export async function issueResetLink(
  { write, clock }: JoinContext,
  staffId: number,
  by: Authority | undefined,
): Promise<PasswordLink | undefined> {
  const { token, hash } = newToken()
  return (await write(changes.resetStaff, staffId, by, hash, clock())) ? { staffId, token } : undefined
}

/** Reads a link without using it up: mail programs open links before a person clicks them. */
export async function readLink(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  token: string,
): Promise<OpenLink | undefined> {
  const hash = hashToken(token)
  return hash === undefined ? undefined : findLink(db, hash, clock())
}

/**
 * Uses a link up, stores the password and signs the person in.
 * @param chosen the password; for the first account, which becomes an admin, also e-mail and name
 * @returns the token for the session cookie, and the stored hash of the password; undefined if the link is no
 *   longer valid
 * @throws {ApiError} validation_failed; the person can then try the link again
 */
export async function join(
  context: Pick<Context, 'db' | 'write' | 'clock' | 'hashPassword'>,
  token: string,
  chosen: { password: string; email?: string; name?: string },
): Promise<{ token: string; staffId: number; password: string } | undefined> {
  const { write, clock } = context
  const link = await readLink(context, token)
  if (!link) return undefined
  const { email = '', name = '' } = { ...link.staff, ...chosen }
  const details = [
    ...findPersonProblems({ email, name, role: 'admin' }),
    ...(await findPasswordProblems(chosen.password, { email, name })),
  ]
  if (details.length > 0) throw new ApiError('validation_failed', { details })
  const session = newToken()
  const use = {
    password: await context.hashPassword(chosen.password),
    session: session.hash,
    ...(!link.staff && { first: { email, name } }),
  }
  const followed = await write(changes.followLink, hashToken(token) ?? '', use, clock())
  return followed && { token: session.token, staffId: followed.staffId, password: use.password }
}

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
