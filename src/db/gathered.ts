import { sql } from 'kysely'
import { ApiError } from '../errors.ts'
import { dialectOf } from './dialect.ts'
import { type Arrays, arraysOf, givenRows } from './given-rows.ts'
import { KEPT_MS, keptResult, type Once, textOf } from './once.ts'
import { prepared } from './prepared.ts'
import type { Db } from './tables.ts'

/** One who asks for a change, which is to be made once only, or not. */
export interface Call {
  // biome-ignore lint/suspicious/noExplicitAny: write() gives each change its own type
  args: any[]
  once: Once | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: as with Call
export type Outcome = PromiseSettledResult<any>

/**
 * A change for many at once, each of whom is refused alone. It throws where it cannot say whose fault it is:
 * then they are tried one by one.
 */
// biome-ignore lint/suspicious/noExplicitAny: as with Call
export type GatheredChange = (db: Db, calls: any[]) => Promise<Outcome[]>

/** Changes that have such a form, by their names. */
export type Gathered = Record<string, GatheredChange>

interface Claim {
  scope: string
  fingerprint: string
  expires_at: number
}
const CLAIM = { scope: 'text', fingerprint: 'text', expires_at: 'bigint' } as const

/** As in once.ts, for many. */
const claimEach = prepared<Arrays<Claim>, [scope: string]>((db, fill) =>
  db
    .insertInto('idempotency')
    .columns(['scope', 'fingerprint', 'expires_at'])
    .expression(({ selectFrom }) =>
      selectFrom(givenRows<Claim>(CLAIM, fill))
        .select(['given.scope', 'given.fingerprint', 'given.expires_at'])
        .where(dialectOf(db).takeInHand(sql.ref('given.scope'))),
    )
    .onConflict((conflict) =>
      conflict
        .column('scope')
        .doUpdateSet(({ ref }) => ({
          fingerprint: ref('excluded.fingerprint'),
          result: null,
          expires_at: ref('excluded.expires_at'),
        }))
        .where(({ eb, ref }) =>
          eb('idempotency.expires_at', '<=', eb(ref('excluded.expires_at'), '-', KEPT_MS)),
        ),
    )
    .returning('scope'),
)

interface Result {
  scope: string
  result: string | null
}
const RESULT = { scope: 'text', result: 'text' } as const

const keepEach = prepared<Arrays<Result>, never>((db, fill) =>
  db
    .updateTable('idempotency')
    .from(givenRows<Result>(RESULT, fill))
    .set(({ ref }) => ({ result: ref('given.result') }))
    .whereRef('idempotency.scope', '=', 'given.scope'),
)

/** `change` for many, with what `runOnce` does for one. No two of them are of the same scope. */
export async function runEachOnce(db: Db, calls: Call[], change: GatheredChange): Promise<Outcome[]> {
  const claims = calls.flatMap(({ once }) => (once ? [claimOf(once)] : []))
  const claimed = new Set(claims.length > 0 ? (await claimEach(db, arraysOf(CLAIM, claims))).flat() : [])
  const fresh = calls.filter(({ once }) => !once || claimed.has(once.scope))
  const made = await change(
    db,
    fresh.map(({ args }) => args),
  )
  const outcomes = new Map(fresh.map((call, index) => [call, made[index] as Outcome]))
  await keepResults(db, outcomes)
  return Promise.all(calls.map((call) => answer(db, call, outcomes.get(call))))
}

const claimOf = ({ scope, fingerprint, now }: Once): Claim => ({
  scope,
  fingerprint,
  expires_at: now + KEPT_MS,
})

async function keepResults(db: Db, outcomes: Map<Call, Outcome>): Promise<void> {
  const kept: Result[] = []
  const refused: string[] = []
  for (const [{ once }, outcome] of outcomes) {
    if (outcome.status === 'rejected') requireRefusal(outcome.reason)
    if (!once) continue
    if (outcome.status === 'rejected') refused.push(once.scope)
    else kept.push({ scope: once.scope, result: textOf(outcome.value) })
  }
  if (kept.length > 0) await keepEach(db, arraysOf(RESULT, kept))
  // Who is refused leaves nothing behind, and may try again.
  if (refused.length > 0) await db.deleteFrom('idempotency').where('scope', 'in', refused).execute()
}

async function answer(db: Db, { once }: Call, outcome: Outcome | undefined): Promise<Outcome> {
  if (outcome?.status === 'rejected' || !once) return outcome as Outcome
  if (outcome) return { status: 'fulfilled', value: { result: outcome.value, replayed: false } }
  try {
    return { status: 'fulfilled', value: { result: await keptResult(db, once), replayed: true } }
  } catch (reason) {
    requireRefusal(reason)
    return { status: 'rejected', reason }
  }
}

/** @throws what is not an answer to the one who asks, and may have ended the transaction */
function requireRefusal(reason: unknown): void {
  if (!(reason instanceof ApiError && reason.status < 500)) throw reason
}
