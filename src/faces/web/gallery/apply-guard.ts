import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import { makeCursor, readCursor } from '../../../http/cursor.ts'
import { hashToken, newToken } from '../../../http/token.ts'
import { counterOfAddress } from '../../../limits/address.ts'

// What keeps programs from filling a shelter's desk, without a third party and without script.

/** Faster nobody fills in a form, and later it is another day. */
const LEAST_MS = 3_000
const MOST_MS = 24 * 3_600_000

const HOUR_MS = 3_600_000
export const MOST_AN_HOUR = 20

/** Of a form for an animal: when it was made, and the private link that its application will have. */
const scopeOf = (petId: number): string => JSON.stringify(['apply', petId])

/** What a form brings along, signed: sent twice it is one application, as both have one link. */
export function newFormToken({ cursorSecret, clock }: Context, petId: number): string {
  return makeCursor(cursorSecret, scopeOf(petId), [clock(), newToken().token])
}

export type FormVerdict = { link: { token: string; hash: string } } | { problem: 'tooFast' | 'tooOld' }

/** What can be said of a form that was sent by its token alone; a damaged one is too old. */
export function judgeForm({ cursorSecret, clock }: Context, petId: number, sent: string): FormVerdict {
  try {
    const [madeAt, token] = readCursor<[number, string]>(cursorSecret, scopeOf(petId), sent)
    const age = clock() - madeAt
    if (age < 0 || age > MOST_MS) return { problem: 'tooOld' }
    if (age < LEAST_MS) return { problem: 'tooFast' }
    return { link: { token, hash: hashToken(token) as string } }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { problem: 'tooOld' }
  }
}

/**
 * Counts an application for the address of its sender, by the hours of the clock: the limiter, which all
 * processes share, knows minutes and days.
 *
 * @throws {ApiError} service_unavailable where nobody can count
 * @returns in how many milliseconds another one may come; undefined when this one may
 */
export async function countApplication(
  { limiter, clock }: Context,
  { ip }: FastifyRequest,
): Promise<number | undefined> {
  const now = clock()
  const hour = Math.floor(now / HOUR_MS)
  const { outcome, lost } = await limiter.take({
    name: `${counterOfAddress(ip)}/applies/${hour}`,
    limits: { perMinute: MOST_AN_HOUR, perDay: MOST_AN_HOUR },
  })
  if (lost !== undefined) throw new ApiError('service_unavailable', { cause: lost })
  return outcome === 'allowed' ? undefined : (hour + 1) * HOUR_MS - now
}
