import { ApiError } from '../errors.ts'
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

const KEPT_MS = 86_400_000

/**
 * Runs a change and keeps its result, both in the transaction it is called in; within 24 hours the same
 * request gets the kept result instead. A change that fails leaves nothing behind, and may be tried again.
 *
 * @throws {ApiError} idempotency_key_reused
 */
export async function runOnce<Result>(
  db: Db,
  { scope, fingerprint, now }: Once,
  change: () => Promise<Result>,
): Promise<OnceOnly<Result>> {
  // Claimed first: where two transactions can run at once, the second waits here for the end of the first.
  const claim = { fingerprint, result: null, expires_at: now + KEPT_MS }
  const claimed = await db
    .insertInto('idempotency')
    .values({ scope, ...claim })
    .onConflict((conflict) =>
      conflict.column('scope').doUpdateSet(claim).where('idempotency.expires_at', '<=', now),
    )
    .returning('scope')
    .executeTakeFirst()
  if (!claimed) return { result: await keptResult(db, scope, fingerprint), replayed: true }
  const result = await change()
  await db
    .updateTable('idempotency')
    .set({ result: JSON.stringify(result) })
    .where('scope', '=', scope)
    .execute()
  return { result, replayed: false }
}

async function keptResult<Result>(db: Db, scope: string, fingerprint: string): Promise<Result> {
  const kept = await db
    .selectFrom('idempotency')
    .select(['fingerprint', 'result'])
    .where('scope', '=', scope)
    .executeTakeFirstOrThrow()
  if (kept.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused')
  return JSON.parse(kept.result ?? 'null')
}

/** So many at most are removed in one transaction, which other changes wait for. */
const MOST_REMOVED = 5_000

/** @returns whether there are more */
export async function removeExpiredResults(db: Db, now: number): Promise<boolean> {
  const expired = db
    .selectFrom('idempotency')
    .select('scope')
    .where('expires_at', '<=', now)
    .limit(MOST_REMOVED)
  const { numDeletedRows } = await db
    .deleteFrom('idempotency')
    .where('scope', 'in', expired)
    .executeTakeFirstOrThrow()
  return numDeletedRows === BigInt(MOST_REMOVED)
}
