import { ApiError } from '../errors.ts'
import { dialectOf } from './dialect.ts'
import { prepared } from './prepared.ts'
import type { Db } from './tables.ts'

/** Names a request that is to take effect only once, however often it is sent. */
export interface Once {
  /** Who asks what under which Idempotency-Key: a SHA-256 in hexadecimal. */
  scope: string
  /** SHA-256 of what is asked for; another one under the same scope is a mistake of the client. */
  fingerprint: string
  /** Unix time in milliseconds. */
  now: number
}

export interface OnceOnly<Result> {
  result: Result
  /** Whether this is the result of an earlier request, and nothing was done now. */
  replayed: boolean
}

export const KEPT_MS = 86_400_000

interface Claim extends Once {
  expiresAt: number
}

const claim = prepared<Claim, { scope: string }>((db, fill) =>
  db
    .insertInto('idempotency')
    .columns(['scope', 'fingerprint', 'expires_at'])
    .expression(
      db
        .selectNoFrom(({ val }) => [
          val(fill('scope')).as('scope'),
          val(fill('fingerprint')).as('fingerprint'),
          val(fill('expiresAt')).as('expires_at'),
        ])
        .where(dialectOf(db).takeInHand(fill('scope'))),
    )
    .onConflict((conflict) =>
      conflict
        .column('scope')
        .doUpdateSet(({ ref }) => ({
          fingerprint: ref('excluded.fingerprint'),
          result: null,
          expires_at: ref('excluded.expires_at'),
        }))
        .where('idempotency.expires_at', '<=', fill('now')),
    )
    .returning('scope'),
)

const keep = prepared<{ scope: string; result: string | null }, never>((db, fill) =>
  db
    .updateTable('idempotency')
    .set({ result: fill('result') })
    .where('scope', '=', fill('scope')),
)

/**
 * Runs a change and keeps its result, both in the transaction it is called in; within 24 hours the same
 * request gets the kept result instead. A change that fails leaves nothing behind, and may be tried again.
 *
 * @throws {ApiError} idempotency_key_reused, idempotency_key_in_use
 */
export async function runOnce<Result>(
  db: Db,
  once: Once,
  change: () => Promise<Result>,
): Promise<OnceOnly<Result>> {
  // Claimed first: where two transactions can run at once, the second ends here, or gets what the first kept.
  const [claimed] = await claim(db, { ...once, expiresAt: once.now + KEPT_MS })
  if (!claimed) {
    const kept = await findResult<Result>(db, once)
    if (!kept) throw new ApiError('idempotency_key_in_use')
    return { ...kept, replayed: true }
  }
  const result = await change()
  await keep(db, { scope: once.scope, result: textOf(result) })
  return { result, replayed: false }
}

/** What is kept of a result. Of a change that gives nothing back there is no text. */
export function textOf(result: unknown): string | null {
  return JSON.stringify(result, withoutPeople) ?? null
}

/** Under these names changes give back what is erased one day. */
const PEOPLE = ['adopter', 'personal']

/** What is erased one day stands in one place: a replay reads it from the order or application. */
function withoutPeople(member: string, value: unknown): unknown {
  return PEOPLE.includes(member) ? undefined : value
}

/**
 * The kept result of the same request; undefined when it has none, or its change is not committed yet.
 *
 * @throws {ApiError} idempotency_key_reused
 */
export async function findResult<Result>(
  db: Db,
  { scope, fingerprint, now }: Once,
): Promise<{ result: Result } | undefined> {
  const kept = await db
    .selectFrom('idempotency')
    .select(['fingerprint', 'result'])
    .where('scope', '=', scope)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!kept) return undefined
  if (kept.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused')
  return { result: JSON.parse(kept.result ?? 'null') }
}

/** So many at most are removed in one transaction, which other changes wait for. */
const MAX_REMOVED = 5_000

const expiredIn = (db: Db, now: number) =>
  db.selectFrom('idempotency').select('scope').where('expires_at', '<=', now)

/** @param now Unix time in milliseconds */
export async function hasExpiredResults(db: Db, now: number): Promise<boolean> {
  return (await expiredIn(db, now).limit(1).executeTakeFirst()) !== undefined
}

/** @returns whether there are more */
export async function removeExpiredResults(db: Db, now: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotency')
    .where('scope', 'in', expiredIn(db, now).limit(MAX_REMOVED))
    // Looked at again: a request may have renewed the row while this waited for it.
    .where('expires_at', '<=', now)
    .executeTakeFirstOrThrow()
  return numDeletedRows === BigInt(MAX_REMOVED)
}
