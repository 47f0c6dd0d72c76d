import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import { hashToken, newToken } from '../http/token.ts'
import { counterOfAddress } from '../limits/address.ts'
import { MAX_CHARACTERS, requireGoodPassword } from './common-passwords.ts'
import { inLine } from './in-line.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { foldEmail, wrong } from './person.ts'
import * as staff from './store.ts'
import { type Slots, slotsOf, waitOf } from './tries.ts'

type Needed = Pick<Context, 'db' | 'write' | 'clock' | 'cursorSecret'>

/** What became of a try to sign in. `refused` says of nobody whether they have an account. */
export type SignIn =
  | { outcome: 'signedIn'; token: string; staffId: number }
  | { outcome: 'refused' }
  | { outcome: 'wait'; retryAfterSeconds: number }

interface Tried {
  email: string
  password: string
  /** Of the client, as the server sees it. */
  address: string | undefined
}

/**
 * Signs somebody in who knows their password.
 *
 * @returns with a new token for the cookie
 * @throws {ApiError} service_unavailable when too many try at once
 */
export async function signIn(context: Needed, { email, password, address }: Tried): Promise<SignIn> {
  const { db, write, clock, cursorSecret } = context
  const folded = foldEmail(email)
  const slots = slotsOf(cursorSecret, folded, counterOfAddress(address))
  const retryAfterMs = await countTry(context, slots)
  if (retryAfterMs > 0) return waitFor(retryAfterMs)
  // PostgreSQL takes no NUL, which no address has.
  const found = folded.includes('\0') ? undefined : await staff.findByEmail(db, folded)
  // Whether there is such an account, and whether it has a password, takes the same time and says the same.
  const kept = password.length <= 2 * MAX_CHARACTERS ? found?.password : undefined
  const isRight = await verifyPassword(password.slice(0, 2 * MAX_CHARACTERS), kept)
  if (!isRight || !found || !kept) return { outcome: 'refused' }
  const { token, hash } = newToken()
  const begun = await write(changes.beginSession, { staffId: found.id, password: kept, hash }, clock())
  if (!begun) return { outcome: 'refused' }
  await write(changes.forgiveTry, slots, clock())
  return { outcome: 'signedIn', token, staffId: found.id }
}

/** One at a time: those who wait for each other's counters would hold all connections to PostgreSQL meanwhile. */
const inTurn = inLine(1, 64)

function countTry({ db, write, clock }: Needed, { account, address }: Slots): Promise<number> {
  const slots = [account, address]
  return inTurn(async () => {
    const retryAfterMs = await waitOf(db, slots, clock())
    return retryAfterMs > 0 ? retryAfterMs : write(changes.countTry, slots, clock())
  })
}

function waitFor(retryAfterMs: number): SignIn {
  return { outcome: 'wait', retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }
}

/** Ends a session at once, in every process. */
export async function signOut({ write }: Pick<Context, 'write'>, token: string): Promise<void> {
  const hash = hashToken(token)
  if (hash !== undefined) await write(changes.endSession, hash)
}

/**
 * Gives somebody who is signed in another password. All their sessions are over, and a new one begins.
 *
 * @returns as `signIn`; `refused` where the present password is another one
 * @throws {ApiError} validation_failed for a new password that others would guess
 */
export async function changePassword(
  context: Needed,
  staffId: number,
  { current, password, address }: { current: string; password: string; address: string | undefined },
): Promise<SignIn> {
  const { db, write, clock, cursorSecret } = context
  const found = await staff.find(db, staffId)
  if (!found?.password) return { outcome: 'refused' }
  if (password === current) throw samePassword()
  await requireGoodPassword(password, found)
  const slots = slotsOf(cursorSecret, foldEmail(found.email), counterOfAddress(address))
  const retryAfterMs = await countTry(context, slots)
  if (retryAfterMs > 0) return waitFor(retryAfterMs)
  if (!(await verifyPassword(current, found.password))) return { outcome: 'refused' }
  const { token, hash } = newToken()
  const kept = { before: found.password, password: await hashPassword(password), session: hash }
  if (!(await write(changes.changePassword, staffId, kept, clock()))) return { outcome: 'refused' }
  await write(changes.forgiveTry, slots, clock())
  return { outcome: 'signedIn', token, staffId }
}

function samePassword(): ApiError {
  return new ApiError('validation_failed', {
    details: [wrong('password', 'This is the password that you have. Choose another one.')],
  })
}
