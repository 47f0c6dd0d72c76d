import type { FastifyBaseLogger } from 'fastify'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Write } from '../db/write.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** The maximum time that one start may count for the period in which the service was stopped. */
const MAX_CREDITED_MS = DAY_MS
/**
 * The minimum known time between two starts that count stopped time. Starts that follow sooner count nothing.
 */
const MIN_BETWEEN_CREDITS_MS = HOUR_MS
/**
 * The minimum advance that is written to the store. An idle service therefore does not write in every round.
 */
const MIN_WRITE_INTERVAL_MS = 10 * 60_000
/** A larger difference between the two clocks is logged. */
const MAX_DIFFERENCE_MS = HOUR_MS

interface KnownTime {
  at: number
  credited_at: number
}

/**
 * Advances the known time, which is a lower limit for the current time. The known time is never ahead of the
 * machine's clock, and never advances faster than the steady clock, which cannot be set.
 * @param now the clock of the machine, in Unix milliseconds
 * @param seen the known time that the last call returned, plus the time since then by the steady clock;
 * undefined after a start
 * @param isErasurePending whether any personal data is still to be erased
 */
export async function advance(
  db: Db,
  now: number,
  seen: number | undefined,
  isErasurePending: boolean,
): Promise<number> {
  const stored = await readKnownTime(db, now)
  // If no erasure is pending, nothing depends on the known time, so it follows the machine's clock. A machine
  // whose clock is set late then starts with the right time.
  const next = isErasurePending
    ? nextTime(stored, now, seen)
    : { at: now, credited_at: Math.min(now, stored.credited_at) }
  const moved = next.at - stored.at
  if (moved >= 0 && moved < MIN_WRITE_INTERVAL_MS && next.credited_at === stored.credited_at) return next.at
  // The condition on `at` matches no row if another process has advanced the time since the read.
  await db.updateTable('known_time').set(next).where('at', '=', stored.at).execute()
  return next.at
}

/** The row of a store in which an erasure was recorded before the clock was read for the first time. */
export const TIME_NOT_KNOWN = { name: 'known', at: 0, credited_at: 0 } as const

async function readKnownTime(db: Db, now: number): Promise<KnownTime> {
  const query = db.selectFrom('known_time').select(['at', 'credited_at'])
  const before = await query.executeTakeFirst()
  if (before && before.at !== TIME_NOT_KNOWN.at) return before
  const first = { at: now, credited_at: now }
  await db
    .insertInto('known_time')
    .values({ name: 'known', ...first })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet(first).where('known_time.at', '=', TIME_NOT_KNOWN.at),
    )
    .execute()
  return query.executeTakeFirstOrThrow()
}

function nextTime({ at, credited_at }: KnownTime, now: number, seen?: number): KnownTime {
  if (seen !== undefined) return { at: Math.max(at, Math.min(seen, now)), credited_at }
  if (now <= at || at - credited_at < MIN_BETWEEN_CREDITS_MS) return { at, credited_at }
  const credited = Math.min(now, at + MAX_CREDITED_MS)
  return { at: credited, credited_at: credited }
}

interface Clocks {
  /** The machine's clock, which can be set. Unix time in milliseconds. */
  clock: () => number
  /** The monotonic clock, which cannot be set. Milliseconds since an arbitrary moment. */
  steady: () => number
}

/** @returns a function that advances and returns the known time. It logs once if the two clocks differ */
export function trackKnownTime(
  write: Write,
  { clock, steady }: Clocks,
  logger: FastifyBaseLogger,
): () => Promise<number> {
  let last: { at: number; steadyAt: number } | undefined
  let isLogged = false
  return async () => {
    const [now, steadyAt] = [clock(), steady()]
    const seen = last && last.at + Math.floor(steadyAt - last.steadyAt)
    const at = await write(changes.advanceKnownTime, now, seen)
    last = { at, steadyAt }
    const differs = Math.abs(now - at) > MAX_DIFFERENCE_MS
    if (differs && !isLogged) logDifference(logger, now, at)
    isLogged = differs
    return at
  }
}

function logDifference(logger: FastifyBaseLogger, now: number, at: number): void {
  const [machine, storeTime] = [new Date(now).toISOString(), new Date(at).toISOString()]
  const effect =
    'personal data is erased by the earlier of the two. Check the clock; see docs/operating.md, "Check the clock"'
  logger.warn(
    `the clock of this machine says ${machine}, but the store has counted to ${storeTime}: ${effect}`,
  )
}
