import type { BanRule } from '../config.ts'
import { changes } from '../db/change.ts'
import { type Claim, ClaimTakenError } from '../db/claim.ts'
import type { Db } from '../db/tables.ts'
import type { Write } from '../db/write.ts'
import { ApiError } from '../errors.ts'
import { type Accounts, createAccounts } from './accounts.ts'
import type { Account, Limiter, LimiterVerdict } from './limiter.ts'
import { type Counter, covers, expiryOf, list, rowOf, stateOf, withLease } from './store.ts'
import { DAY_MS, evaluate, INITIAL_STATE, type State, shiftState } from './window.ts'

interface Entry {
  state: State
  /** The stored counter is never lower than the exact one, so a crash can cost requests but not add any. */
  saved: Counter
  saving: Promise<void> | undefined
}

interface Options {
  db: Db
  write: Write
  clock: () => number
  /** Milliseconds by which the clock was set since the last call. Absent for a clock that is never set. */
  applyClockChange?: () => number
  ban: BanRule
  /** Absent when no other process can claim the store. */
  claim?: Claim | undefined
}

/** Opens the limiter for a single process: exact in memory, and saved ahead of use in leases. */
export async function openMemoryLimiter(options: Options): Promise<Limiter> {
  const { db, write, clock, applyClockChange = () => 0, ban, claim } = options
  const entries = createAccounts((name): Entry => {
    return { state: INITIAL_STATE, saved: rowOf(name, INITIAL_STATE, ban), saving: undefined }
  })
  for (const saved of await list(db, clock())) {
    Object.assign(entries.get(saved.caller), { saved, state: stateOf(saved) })
  }
  const { saveAll, ensureSaved, shiftAll } = openPersistence(entries, options)
  let swept = false

  /** Returns the current time. If the clock was set, shifts all state first. */
  function now(): number {
    const byMs = applyClockChange()
    if (byMs !== 0) {
      shiftAll(byMs)
      // Saves the counters of callers that may send nothing more. If one does, its request saves the counter.
      saveAll().catch(() => undefined)
    }
    return clock()
  }

  return {
    take(caller) {
      const time = now()
      const entry = entries.get(caller.name)
      const { verdict, state } = evaluate(entry.state, caller.limits, caller.ban, time)
      const doubt = claim?.doubt()
      if (doubt) return { ...verdict, storeError: doubt }
      entry.state = state
      if (covers(entry.saved, state)) return verdict
      return ensureSaved(entry, state, caller).then(
        () => verdict,
        (storeError: unknown): LimiterVerdict => ({ ...verdict, storeError }),
      )
    },
    usedToday(name) {
      const day = entries.find(name)?.state.day
      return day !== undefined && day.startedAt > now() - DAY_MS ? day.used : 0
    },
    async ready() {
      const cause = claim?.doubt()
      if (cause) throw new ApiError('service_unavailable', { cause })
    },
    async sweep() {
      const time = now()
      const forgotAny = entries.forget(({ state, saving }) => !saving && expiryOf(state, ban) <= time)
      // The first sweep removes rows of an earlier process. Later sweeps write only if something expired.
      if (swept && !forgotAny) return
      await write(changes.removeExpiredCounters, time, claim?.token)
      swept = true
    },
    async close() {
      now()
      await saveAll().catch((error: Error) => {
        // Another process has claimed the store, and has already counted all requests of this process.
        if (!(error.cause instanceof ClaimTakenError)) throw error
      })
    },
  }
}

/** Writes entries to the store. */
function openPersistence(entries: Accounts<Entry>, { write, clock, ban, claim }: Options) {
  let shiftedMs = 0
  let lastSave: Promise<unknown> = Promise.resolve()

  function shiftAll(byMs: number): void {
    shiftedMs += byMs
    for (const entry of entries.all()) shiftEntry(entry, byMs, ban)
  }

  /**
   * Writes the exact counters, which are lower than the leased ones. PostgreSQL may commit concurrent writes
   * in any order, so `saveAll` waits for earlier lease writes, and later ones wait for it.
   */
  function saveAll(): Promise<void> {
    const earlier = [lastSave, ...entries.all().map(({ saving }) => saving)]
    const save = Promise.allSettled(earlier).then(async () => {
      const rows = entries.all().map(({ state, saved }) => rowOf(saved.caller, state, ban))
      const live = rows.filter(({ expires_at }) => expires_at > clock())
      if (live.length > 0) await write(changes.saveCounters, live, claim?.token)
    })
    lastSave = save.catch(() => undefined)
    return save
  }

  /** Resolves once the store has recorded what was charged. Concurrent callers share one write. */
  async function ensureSaved(entry: Entry, charged: State, caller: Account): Promise<void> {
    const shiftedBefore = shiftedMs
    while (!covers(entry.saved, shiftState(charged, shiftedMs - shiftedBefore))) {
      entry.saving ??= saveLease(entry, caller).finally(() => {
        entry.saving = undefined
      })
      await entry.saving
    }
  }

  async function saveLease(entry: Entry, { limits }: Account): Promise<void> {
    await lastSave
    const shiftedBefore = shiftedMs
    const row = rowOf(entry.saved.caller, withLease(entry.state, limits), ban)
    await write(changes.saveCounters, [row], claim?.token)
    if (shiftedBefore === shiftedMs) entry.saved = row
  }

  return { saveAll, ensureSaved, shiftAll }
}

/** Shifts the state of an entry. Marks the entry as unsaved, because its stored row has the old times. */
function shiftEntry(entry: Entry, byMs: number, ban: BanRule): void {
  entry.state = shiftState(entry.state, byMs)
  entry.saved = rowOf(entry.saved.caller, INITIAL_STATE, ban)
}
