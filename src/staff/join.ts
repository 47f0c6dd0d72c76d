import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { Language } from '../http/language.ts'
import { hashToken, newToken } from '../http/token.ts'
import type { Authority } from './accounts.ts'
import { requireGoodPassword } from './common-passwords.ts'
import { letterOf } from './letters.ts'
import { findLink, type OpenLink } from './links.ts'
import { hashPassword } from './passwords.ts'
import { type NewPerson, requirePerson } from './person.ts'

/** Where a link leads: request-log.ts keeps what stands behind it out of the log. */
export const JOIN_PATH = '/console/join/'

/** @param origin under which people reach the service */
export function linkOf(origin: string, token: string): string {
  return `${origin}${JOIN_PATH}${token}`
}

/** The origin that people can open: the one that was set, or else the one that the server listens on. */
export function originOf({ origin, baseUrlIsSet }: Config, address: string): string {
  return baseUrlIsSet ? origin : address
}

/** Somebody who may choose a password by a link. Whoever made it has to hand it over: it is nowhere else. */
export interface Invited {
  staffId: number
  token: string
}

type Needed = Pick<Context, 'write' | 'clock'>

/**
 * Sends somebody their link, where there is a mail server. It stays good in any case.
 *
 * @param origin under which people reach the service
 * @returns whether it was sent
 */
export async function sendLink(
  { db, clock, mail }: Pick<Context, 'db' | 'clock' | 'mail'>,
  token: string,
  { origin, language }: { origin: string; language?: Language | undefined },
): Promise<boolean> {
  const link = mail && (await readLink({ db, clock }, token))
  if (!link?.staff || link.kind === 'first') return false
  return mail?.send(letterOf(link.kind, { ...link.staff, link: linkOf(origin, token), language })) ?? false
}

/**
 * @param by absent for a command, which may all
 * @throws {ApiError} validation_failed, insufficient_access
 */
export async function invite(
  { write, clock }: Needed,
  person: NewPerson,
  by: Authority | undefined,
): Promise<Invited> {
  requirePerson(person)
  const { token, hash } = newToken()
  return { staffId: await write(changes.inviteStaff, person, by, hash, clock()), token }
}

/**
 * A link for somebody who has lost theirs, or their password.
 *
 * @returns undefined when there is nobody with this id
 * @throws {ApiError} insufficient_access
 */
export async function reset(
  { write, clock }: Needed,
  staffId: number,
  by: Authority | undefined,
): Promise<Invited | undefined> {
  const { token, hash } = newToken()
  return (await write(changes.resetStaff, staffId, by, hash, clock())) ? { staffId, token } : undefined
}

/** What a link is for, without using it up: mail programs open links that nobody has clicked. */
export async function readLink(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  token: string,
): Promise<OpenLink | undefined> {
  const hash = hashToken(token)
  return hash === undefined ? undefined : findLink(db, hash, clock())
}

/**
 * Uses a link up: the person has their password, and is signed in.
 *
 * @param chosen with e-mail and name for the link that makes the first account, whose admin that is
 * @returns the token of the session for the cookie; undefined when the link is over
 * @throws {ApiError} validation_failed; the link can then be tried again
 */
export async function join(
  context: Pick<Context, 'db' | 'write' | 'clock'>,
  token: string,
  chosen: { password: string; email?: string; name?: string },
): Promise<{ token: string; staffId: number } | undefined> {
  const { write, clock } = context
  const link = await readLink(context, token)
  if (!link) return undefined
  const { email = '', name = '' } = chosen
  if (!link.staff) requirePerson({ email, name, role: 'admin' })
  await requireGoodPassword(chosen.password, link.staff ?? { email, name })
  const session = newToken()
  const use = {
    password: await hashPassword(chosen.password),
    session: session.hash,
    ...(!link.staff && { first: { email, name } }),
  }
  const followed = await write(changes.followLink, hashToken(token) ?? '', use, clock())
  return followed && { token: session.token, staffId: followed.staffId }
}
