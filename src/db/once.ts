import { ApiError } from '../errors.ts'
import { dialectOf } from './dialect.ts'
import { prepareQuery } from './prepared.ts'
import type { Db } from './tables.ts'

/** Identifies a request that must take effect only once, however often the client sends it. */
export interface IdempotentRequest {
  /** SHA-256 of the caller, the operation and the Idempotency-Key, in hexadecimal. */
  scope: string
  /** SHA-256 of the content. The same scope with another fingerprint is an error of the client. */
  fingerprint: string
  /** Unix time in milliseconds. */
  now: number
}

export interface OnceResult<Result> {
  result: Result
  /** Whether `result` is the stored result of an earlier request. */
  replayed: boolean
}

export const RESULT_LIFETIME_MS = 86_400_000

interface ClaimValues extends IdempotentRequest {
  expiresAt: number
}

const claimRow = prepareQuery<ClaimValues, { scope: string }>((db, fill) =>
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
        .where(dialectOf(db).tryLock(fill('scope'))),
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

const storeResult = prepareQuery<{ scope: string; result: string | null }, never>((db, fill) =>
  db
    .updateTable('idempotency')
    .set({ result: fill('result') })
    .where('scope', '=', fill('scope')),
)

/**
 * Runs a change and stores its result in the same transaction. For 24 hours, the same request gets the stored
 * result. A failed change stores nothing and may be retried.
 * @throws {ApiError} idempotency_key_reused, idempotency_key_in_use
 */
export async function runOnce<Result>(
  db: Db,
  once: IdempotentRequest,
  change: () => Promise<Result>,
): Promise<OnceResult<Result>> {
  // Only one of two concurrent transactions can insert this row.
  const [claimed] = await claimRow(db, { ...once, expiresAt: once.now + RESULT_LIFETIME_MS })
  if (!claimed) {
    const stored = await findStoredResult<Result>(db, once)
    if (!stored) throw new ApiError('idempotency_key_in_use')
    return { ...stored, replayed: true }
  }
  const result = await change()
  await storeResult(db, { scope: once.scope, result: serializeResult(result) })
  return { result, replayed: false }
}

/** Converts a result to stored JSON without personal data, or to null if the change returns nothing. */
export function serializeResult(result: unknown): string | null {
  return JSON.stringify(result, withoutUnstored) ?? null
}

/** The members of results that are not stored: personal data, which must be erasable, and secrets. */
const UNSTORED = ['adopter', 'personal', 'secret']

/** Removes secrets and personal data. A replay reads the personal data from the order or application. */
function withoutUnstored(member: string, value: unknown): unknown {
  return UNSTORED.includes(member) ? undefined : value
}

/** Finds the stored result of the same request, if any. @throws {ApiError} idempotency_key_reused */
export async function findStoredResult<Result>(
  db: Db,
  { scope, fingerprint, now }: IdempotentRequest,
): Promise<{ result: Result } | undefined> {
  const stored = await db
    .selectFrom('idempotency')
    .select(['fingerprint', 'result'])
    .where('scope', '=', scope)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!stored) return undefined
  if (stored.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused')
  return { result: JSON.parse(stored.result ?? 'null') }
}

/** Finds stored results. @returns the scopes of the results for which `fits` returns true */
export async function findStoredScopes(db: Db, fits: (result: string) => boolean): Promise<string[]> {
  const found: string[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: { scope: string; result: string | null }[] = await db
      .selectFrom('idempotency')
      .select(['scope', 'result'])
      .where('scope', '>', after)
      .orderBy('scope')
      .limit(READ_BATCH_SIZE)
      .execute()
    for (const { scope, result } of rows) if (result !== null && fits(result)) found.push(scope)
    after = rows[READ_BATCH_SIZE - 1]?.scope
  }
  return found
}

export async function replaceResults(
  db: Db,
  scopes: string[],
  replace: (result: string) => string,
): Promise<void> {
  const rows = db.selectFrom('idempotency').select(['scope', 'result']).where('scope', 'in', scopes)
  for (const { scope, result } of await rows.execute())
    if (result !== null) await storeResult(db, { scope, result: replace(result) })
}

const READ_BATCH_SIZE = 1_000
