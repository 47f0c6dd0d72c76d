import type { BanRule } from '../config.ts'
import { changes } from '../db/change.ts'
import { type Claim, Taken } from '../db/claim.ts'
import type { Db } from '../db/tables.ts'
import type { Write } from '../db/write.ts'
import { ApiError } from '../errors.ts'
import { type Accounts, rememberAccounts } from './accounts.ts'
import type { Account, Limiter, Ruling } from './limiter.ts'
import { ahead, type Counter, covers, expiryOf, list, rowOf, stateOf } from './store.ts'
import { judge, moveState, type State, UNKNOWN } from './window.ts'

interface Entry {
  state: State
  /** What the store says may have been used. A crash falls back to it: a few fewer, never one more. */
  saved: Counter
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
  const entries = rememberAccounts((name): Entry => {
    return { state: UNKNOWN, saved: rowOf(name, UNKNOWN, ban), saving: undefined }
  })
  for (const saved of await list(db, clock())) {
    Object.assign(entries.get(saved.caller), { saved, state: stateOf(saved) })
  }
  const { keep, cover, move } = persist(entries, options)
  let swept = false

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
      const forgot = entries.forget(({ state, saving }) => !saving && expiryOf(state, ban) <= time)
      // The first one removes what an earlier process left; a store that nobody asks is left alone then.
      if (swept && !forgot) return
      await write(changes.removeExpiredCounters, time, claim?.token)
      swept = true
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
function persist(entries: Accounts<Entry>, { write, clock, ban, claim }: Options) {
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
      if (live.length > 0) await write(changes.saveCounters, live, claim?.token)
    })
    keeping = kept.catch(() => undefined)
    return kept
  }

  /** Resolves once the store covers what was charged; callers that wait together share one write. */
  async function cover(entry: Entry, charged: State, caller: Account): Promise<void> {
    const since = movedMs
    while (!covers(entry.saved, moveState(charged, movedMs - since))) {
      entry.saving ??= lease(entry, caller).finally(() => {
        entry.saving = undefined
      })
      await entry.saving
    }
  }

  async function lease(entry: Entry, { limits }: Account): Promise<void> {
    await keeping
    const since = movedMs
    const row = rowOf(entry.saved.caller, ahead(entry.state, limits), ban)
    await write(changes.saveCounters, [row], claim?.token)
    if (since === movedMs) entry.saved = row
  }

  return { keep, cover, move }
}

/** What the store says is by the clock as it was: nothing is covered until it is written again. */
function moveEntry(entry: Entry, byMs: number, ban: BanRule): void {
  entry.state = moveState(entry.state, byMs)
  entry.saved = rowOf(entry.saved.caller, UNKNOWN, ban)
}
