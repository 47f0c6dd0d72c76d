import type { BanRule } from '../config.ts'
import type { Db } from '../db/tables.ts'
import type { Write } from '../db/write.ts'
import type { Limits } from '../plans.ts'
import type { Caller, Limiter, Ruling } from './limiter.ts'
import * as counters from './store.ts'
import { DAY_MS, judge, MINUTE_MS, type State, UNKNOWN, type Window } from './window.ts'

/** Addresses counted one by one. Those beyond share a counter: no flood grows memory or resets anyone. */
const MOST_ADDRESSES = 50_000
const OTHER_ADDRESSES = 'ip:others'

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
  ban: BanRule
}

/** A limiter for one process: exact in memory, and persisted ahead in leases. */
export async function memoryLimiter({ db, write, clock, ban }: Options): Promise<Limiter> {
  const entries = new Map<string, Entry>()
  let addresses = 0
  for (const row of await counters.list(db, clock())) add(row.caller, stateOf(row))

  function add(name: string, state: State): Entry {
    const entry: Entry = { state, saved: rowOf(name, state, ban), saving: undefined }
    entries.set(name, entry)
    if (isAddress(name)) addresses += 1
    return entry
  }

  function entryOf(name: string): Entry {
    const known = entries.get(name)
    if (known) return known
    return isAddress(name) && addresses >= MOST_ADDRESSES && name !== OTHER_ADDRESSES
      ? entryOf(OTHER_ADDRESSES)
      : add(name, UNKNOWN)
  }

  /** Resolves once the store covers what was charged; callers that wait together share one write. */
  async function cover(entry: Entry, charged: State, caller: Caller): Promise<void> {
    while (!covers(entry.saved, charged)) {
      entry.saving ??= lease(entry, caller).finally(() => {
        entry.saving = undefined
      })
      await entry.saving
    }
  }

  async function lease(entry: Entry, { limits }: Caller): Promise<void> {
    const row = rowOf(entry.saved.caller, ahead(entry.state, limits), ban)
    await write(counters.saveCounters, [row])
    entry.saved = row
  }

  return {
    take(caller) {
      const entry = entryOf(caller.name)
      const { verdict, state } = judge(entry.state, caller.limits, caller.ban, clock())
      entry.state = state
      if (covers(entry.saved, state)) return verdict
      return cover(entry, state, caller).then(
        () => verdict,
        (lost: unknown): Ruling => ({ ...verdict, lost }),
      )
    },
    async sweep() {
      const now = clock()
      for (const [name, { state, saving }] of entries) {
        if (saving || expiryOf(state, ban) > now) continue
        entries.delete(name)
        if (isAddress(name)) addresses -= 1
      }
      await write(counters.removeExpiredCounters, now)
    },
    async close() {
      const now = clock()
      const rows = [...entries.values()].map(({ state, saved }) => rowOf(saved.caller, state, ban))
      const live = rows.filter(({ expires_at }) => expires_at > now)
      if (live.length > 0) await write(counters.saveCounters, live)
    },
  }
}

function isAddress(name: string): boolean {
  return name.startsWith('ip:')
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

/** Also when the store already knows the window after: what was charged to this one then no longer counts. */
function coversWindow(startedAt: number, used: number, window: Window, lengthMs: number): boolean {
  if (window.used === 0 || startedAt >= window.startedAt + lengthMs) return true
  return startedAt >= window.startedAt && used >= window.used
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
