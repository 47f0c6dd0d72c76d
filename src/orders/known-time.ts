import type { FastifyBaseLogger } from 'fastify'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Write } from '../db/write.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** Of the time during which the service was stopped, so much at most counts for each start. */
const MAX_CREDITED_MS = DAY_MS
/** A start counts stopped time only when this much passed since the last that did: not restarts in a row. */
const MIN_BETWEEN_CREDITS_MS = HOUR_MS
/** It is written when it has moved on by so much, and not for every round of a service that nobody asks. */
const WRITTEN_EVERY_MS = 10 * 60_000
/** Two clocks further apart than this are told to the operator. */
const TOLD_MS = HOUR_MS

interface Known {
  at: number
  credited_at: number
}

/**
 * Moves on the time that the store knows has passed. It never runs ahead of the machine's clock, nor faster
 * than a clock that nobody can set.
 *
 * @param now, seen as in the change `advanceKnownTime`
 * @param anyWaits whether a person is to be erased one day
 */
export async function advance(
  db: Db,
  now: number,
  seen: number | undefined,
  anyWaits: boolean,
): Promise<number> {
  const known = await knownBefore(db, now)
  // Without anything to erase there is nothing to protect: a machine that learns the time late starts right.
  const next = anyWaits
    ? nextTime(known, now, seen)
    : { at: now, credited_at: Math.min(now, known.credited_at) }
  const moved = next.at - known.at
  if (moved >= 0 && moved < WRITTEN_EVERY_MS && next.credited_at === known.credited_at) return next.at
  // Another process may have moved it meanwhile, on the same grounds.
  await db.updateTable('known_time').set(next).where('at', '=', known.at).execute()
  return next.at
}

async function knownBefore(db: Db, now: number): Promise<Known> {
  const known = db.selectFrom('known_time').select(['at', 'credited_at'])
  const before = await known.executeTakeFirst()
  if (before) return before
  await db
    .insertInto('known_time')
    .values({ name: 'known', at: now, credited_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return known.executeTakeFirstOrThrow()
}

function nextTime({ at, credited_at }: Known, now: number, seen?: number): Known {
  if (seen !== undefined) return { at: Math.max(at, Math.min(seen, now)), credited_at }
  if (now <= at || at - credited_at < MIN_BETWEEN_CREDITS_MS) return { at, credited_at }
  const credited = Math.min(now, at + MAX_CREDITED_MS)
  return { at: credited, credited_at: credited }
}

interface Clocks {
  /** Of the machine, Unix time in milliseconds; somebody may set it. */
  clock: () => number
  /** Milliseconds since any moment; nobody can set it. */
  steady: () => number
}

/** @returns a function that moves the known time on, and returns it; the log hears when clocks come apart */
export function knownTime(
  write: Write,
  { clock, steady }: Clocks,
  logger: FastifyBaseLogger,
): () => Promise<number> {
  let last: { at: number; steadyAt: number } | undefined
  let told = false
  return async () => {
    const [now, steadyAt] = [clock(), steady()]
    const seen = last && last.at + Math.floor(steadyAt - last.steadyAt)
    const at = await write(changes.advanceKnownTime, now, seen)
    last = { at, steadyAt }
    const apart = Math.abs(now - at) > TOLD_MS
    if (apart && !told) tell(logger, now, at)
    told = apart
    return at
  }
}

function tell(logger: FastifyBaseLogger, now: number, at: number): void {
  const [machine, known] = [new Date(now).toISOString(), new Date(at).toISOString()]
  const waits = 'adopters are erased only when both say so. Check the clock; docs/operating.md, "The clock"'
  logger.warn(`this machine says that it is ${machine}, the store knows of the time up to ${known}: ${waits}`)
}
