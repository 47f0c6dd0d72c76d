import type { BanRule } from '../config.ts'
import { type Claim, Taken } from '../db/claim.ts'
import type { Db } from '../db/tables.ts'
import type { Write } from '../db/write.ts'
import { ApiError } from '../errors.ts'
import type { Limits } from '../plans.ts'
import { type Callers, rememberCallers } from './callers.ts'
import type { Caller, Limiter, Ruling } from './limiter.ts'
import * as counters from './store.ts'
import { DAY_MS, judge, MINUTE_MS, moveState, type State, UNKNOWN, type Window } from './window.ts'

interface Entry {
  state: State
  /** What the store says may have been used. A crash falls back to it: a few fewer, never one more. */
  saved: counters.Counter
  saving: Promise<void> | undefined
}

interface Options {
  db: Db
  write: Write
  clock: () => number
  /** By how many milliseconds the clock was set since the last call; absent of one that is never set. */
  moved?: () => number
  ban: BanRule
  /** Absent where nobody else can claim the store. */
  claim?: Claim | undefined
}

/** A limiter for one process: exact in memory, and persisted ahead in leases. */
export async function memoryLimiter(options: Options): Promise<Limiter> {
  const { db, write, clock, moved = () => 0, ban, claim } = options
  const entries = rememberCallers((name): Entry => {
    return { state: UNKNOWN, saved: rowOf(name, UNKNOWN, ban), saving: undefined }
  })
  for (const saved of await counters.list(db, clock())) {
    Object.assign(entries.get(saved.caller), { saved, state: stateOf(saved) })
  }
  const { keep, cover, move } = persist(entries, options)

  /** The time, once everything that is remembered has been told by how much the clock was set. */
  function now(): number {
    const byMs = moved()
    if (byMs !== 0) {
      move(byMs)
      // For those who do not ask again before the next start; of the others each request sees to it.
      keep().catch(() => undefined)
    }
    return clock()
  }

  return {
    take(caller) {
      const time = now()
      const entry = entries.get(caller.name)
      const { verdict, state } = judge(entry.state, caller.limits, caller.ban, time)
      const doubt = claim?.doubt()
      if (doubt) return { ...verdict, lost: doubt }
      entry.state = state
      if (covers(entry.saved, state)) return verdict
      return cover(entry, state, caller).then(
        () => verdict,
        (lost: unknown): Ruling => ({ ...verdict, lost }),
      )
    },
    async ready() {
      const cause = claim?.doubt()
      if (cause) throw new ApiError('service_unavailable', { cause })
    },
    async sweep() {
      const time = now()
      entries.forget(({ state, saving }) => !saving && expiryOf(state, ban) <= time)
      await write('removeExpiredCounters', time, claim?.token)
    },
    async close() {
      now()
      await keep().catch((error: Error) => {
        // Whoever counts now has read all that this process served.
        if (!(error.cause instanceof Taken)) throw error
      })
    },
  }
}

/** What brings entries into the store. */
function persist(entries: Callers<Entry>, { write, clock, ban, claim }: Options) {
  let movedMs = 0
  /** The latest write of all entries. */
  let keeping: Promise<unknown> = Promise.resolve()

  function move(byMs: number): void {
    movedMs += byMs
    for (const entry of entries.all()) moveEntry(entry, byMs, ban)
  }

  /**
   * Writes the exact figures of all. They are lower than those of a lease, and PostgreSQL may commit two
   * writes in any order: leases that were begun are waited for, and the next ones wait for this.
   */
  function keep(): Promise<void> {
    const begun = [keeping, ...entries.all().map(({ saving }) => saving)]
    const kept = Promise.allSettled(begun).then(async () => {
      const rows = entries.all().map(({ state, saved }) => rowOf(saved.caller, state, ban))
      const live = rows.filter(({ expires_at }) => expires_at > clock())
      if (live.length > 0) await write('saveCounters', live, claim?.token)
    })
    keeping = kept.catch(() => undefined)
    return kept
  }

  /** Resolves once the store covers what was charged; callers that wait together share one write. */
  async function cover(entry: Entry, charged: State, caller: Caller): Promise<void> {
    const since = movedMs
    while (!covers(entry.saved, moveState(charged, movedMs - since))) {
      entry.saving ??= lease(entry, caller).finally(() => {
        entry.saving = undefined
      })
      await entry.saving
    }
  }

  async function lease(entry: Entry, { limits }: Caller): Promise<void> {
    await keeping
    const since = movedMs
    const row = rowOf(entry.saved.caller, ahead(entry.state, limits), ban)
    await write('saveCounters', [row], claim?.token)
    if (since === movedMs) entry.saved = row
  }

  return { keep, cover, move }
}

/** What the store says is by the clock as it was: nothing is covered until it is written again. */
function moveEntry(entry: Entry, byMs: number, ban: BanRule): void {
  entry.state = moveState(entry.state, byMs)
  entry.saved = rowOf(entry.saved.caller, UNKNOWN, ban)
}

/** A twentieth of the limit, 1,000 at most: what a crash may cost a caller. */
function leaseOf(limit: number): number {
  return Math.min(Math.ceil(limit / 20), 1_000)
}

function ahead(state: State, limits: Limits): State {
  return {
    ...state,
    minute: reserve(state.minute, limits.perMinute),
    day: reserve(state.day, limits.perDay),
  }
}

function reserve({ startedAt, used }: Window, limit: number): Window {
  return { startedAt, used: Math.max(used, Math.min(limit, used + leaseOf(limit))) }
}

function covers(saved: counters.Counter, { minute, day, bannedUntil }: State): boolean {
  return (
    coversWindow(saved.minute_started_at, saved.minute_used, minute, MINUTE_MS) &&
    coversWindow(saved.day_started_at, saved.day_used, day, DAY_MS) &&
    saved.banned_until >= bannedUntil
  )
}

/**
 * Also when the store already knows the window after: what was charged to this one then no longer counts. Its
 * start may be a little earlier by now: one that was moved beyond the clock is pulled back to it.
 */
function coversWindow(startedAt: number, used: number, window: Window, lengthMs: number): boolean {
  if (window.used === 0 || startedAt >= window.startedAt + lengthMs) return true
  return startedAt > window.startedAt - lengthMs && used >= window.used
}

function stateOf(row: counters.Counter): State {
  return {
    minute: { startedAt: row.minute_started_at, used: row.minute_used },
    day: { startedAt: row.day_started_at, used: row.day_used },
    refusedAt: [],
    bannedUntil: row.banned_until,
    banSeconds: row.ban_seconds,
  }
}

function rowOf(caller: string, state: State, ban: BanRule): counters.Counter {
  return {
    caller,
    minute_started_at: state.minute.startedAt,
    minute_used: state.minute.used,
    day_started_at: state.day.startedAt,
    day_used: state.day.used,
    banned_until: state.bannedUntil,
    ban_seconds: state.banSeconds,
    expires_at: expiryOf(state, ban),
  }
}

function expiryOf({ minute, day, bannedUntil }: State, ban: BanRule): number {
  const banEnd = bannedUntil === 0 ? 0 : bannedUntil + ban.memorySeconds * 1_000
  return Math.max(minute.startedAt + MINUTE_MS, day.startedAt + DAY_MS, banEnd)
}
