import type { IncomingMessage } from 'node:http'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import { hashToken, newToken } from '../http/token.ts'
import { counterOfAddress } from '../limits/accounts.ts'
import { MAX_CHARACTERS, requireGoodPassword, verifyPassword } from './passwords.ts'
import { foldEmail, invalidMember } from './roles.ts'
import { passwordTag, provenPasswordTag } from './session-cookie.ts'
import * as staff from './store.ts'
import { type CounterSlots, chooseSlots, getRetryAfterMs, slotNumbers } from './tries.ts'

type SignInContext = Pick<Context, 'db' | 'write' | 'clock' | 'cursorSecret' | 'hashPassword'>

/** The outcome of a try to sign in. The outcome `refused` does not reveal whether the account exists. */
export type SignInResult =
  /** The password is the stored hash. */
  | { outcome: 'signedIn'; token: string; email: string; password: string }
  | { outcome: 'refused' }
  | { outcome: 'wait'; retryAfterSeconds: number }

interface SignInForm {
  email: string
  password: string
  /** The client's address, as the server sees it. */
  address: string | undefined
  request: Pick<IncomingMessage, 'headers'>
}

/** Signs a person in by their password. @returns the outcome, with a new token for the session cookie */
export async function signIn(
  context: SignInContext,
  { email, password, address, request }: SignInForm,
): Promise<SignInResult> {
  const { db, write, clock, cursorSecret } = context
  const folded = foldEmail(email)
  const isTrusted = await hasSignedInBefore(context, request, folded)
  const counters = chooseSlots(
    cursorSecret,
    folded,
    counterOfAddress(address),
    isTrusted ? 'trusted browser' : undefined,
  )
  const retryAfterMs = await countTry(context, counters)
  if (retryAfterMs > 0) return waitResult(retryAfterMs)
  // No address contains NUL, and PostgreSQL rejects it.
  const account = folded.includes('\0') ? undefined : await staff.findByEmail(db, folded)
  // The answer and its time are the same for an unknown account and for one without a password.
  const storedPassword = password.length <= 2 * MAX_CHARACTERS ? account?.password : undefined
  const isRight = await verifyPassword(password.slice(0, 2 * MAX_CHARACTERS), storedPassword)
  if (!isRight || !account || !storedPassword) return { outcome: 'refused' }
  const { token, hash } = newToken()
  const hasBegun = await write(
    changes.beginSession,
    { staffId: account.id, password: storedPassword, hash },
    clock(),
  )
  if (!hasBegun) return { outcome: 'refused' }
  await write(changes.forgetSignInTries, counters, clock())
  return { outcome: 'signedIn', token, email: account.email, password: storedPassword }
}

/**
 * Checks if this browser has signed in to the account with its current password. Looks the account up only
 * for a browser with a proof, so the response time does not reveal to strangers whether the account exists.
 */
async function hasSignedInBefore(
  { db, clock, cursorSecret }: SignInContext,
  request: Pick<IncomingMessage, 'headers'>,
  email: string,
): Promise<boolean> {
  const tag = provenPasswordTag(cursorSecret, request, email, clock())
  if (tag === undefined) return false
  const account = await staff.findByEmail(db, email)
  return tag === passwordTag(cursorSecret, account?.password ?? '')
}

async function countTry({ db, write, clock }: SignInContext, counters: CounterSlots): Promise<number> {
  const numbers = slotNumbers(counters)
  const retryAfterMs = await getRetryAfterMs(db, numbers, clock())
  return retryAfterMs > 0 ? retryAfterMs : write(changes.countSignInTry, numbers, clock())
}

function waitResult(retryAfterMs: number): SignInResult {
  return { outcome: 'wait', retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }
}

/** Ends a session. The next request is signed out in every process. */
export async function signOut({ write }: Pick<Context, 'write'>, token: string): Promise<void> {
  const hash = hashToken(token)
  if (hash !== undefined) await write(changes.endSession, hash)
}

/**
 * Changes the password of a person who is signed in. Ends all their sessions and begins a new one.
 * @returns as `signIn`; `refused` when `current` is not the current password
 * @throws {ApiError} validation_failed when the new password is easy to guess or the same as the current one
 */
export async function changePassword(
  context: SignInContext,
  staffId: number,
  { current, password }: { current: string; password: string },
): Promise<SignInResult> {
  const { db, write, clock, cursorSecret } = context
  const account = await staff.find(db, staffId)
  if (!account?.password) return { outcome: 'refused' }
  if (password === current) throw samePassword()
  await requireGoodPassword(password, account)
  // Only people who are signed in to the account use this counter.
  const counters = chooseSlots(cursorSecret, foldEmail(account.email), '', 'signed in')
  const retryAfterMs = await countTry(context, counters)
  if (retryAfterMs > 0) return waitResult(retryAfterMs)
  if (!(await verifyPassword(current, account.password))) return { outcome: 'refused' }
  const { token, hash } = newToken()
  const change = { before: account.password, password: await context.hashPassword(password), session: hash }
  if (!(await write(changes.changePassword, staffId, change, clock()))) return { outcome: 'refused' }
  await write(changes.forgetSignInTries, counters, clock())
  return { outcome: 'signedIn', token, email: account.email, password: change.password }
}

function samePassword(): ApiError {
  return new ApiError('validation_failed', {
    details: [invalidMember('password', 'This is already your password. Choose another one.')],
  })
}
