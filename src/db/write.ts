import { type ArgsOf, type Change, type Changes, nameOf, type ResultOf } from './change.ts'
import { type Once, type OnceOnly, runOnce } from './once.ts'
import type { Db } from './tables.ts'
import { isConflict } from './violation.ts'

/** A change that needs the store and leaves it as it is. */
export async function nothing(): Promise<void> {}

/**
 * Runs a change; the promise resolves when its effect is on the disk. It rejects when nothing of it is, or
 * with service_unavailable, when nobody can say.
 */
export type Write = <Fn extends Change>(change: Fn, ...args: ArgsOf<Fn>) => Promise<ResultOf<Fn>>

/** The same, for a request that is to take effect only once. */
export type WriteOnce = <Fn extends Change>(
  once: Once,
  change: Fn,
  ...args: ArgsOf<Fn>
) => Promise<OnceOnly<ResultOf<Fn>>>

export interface Writer {
  write: Write
  writeOnce: WriteOnce
  /**
   * Rejects while nothing can be written: a failure of the disk leaves in doubt what it holds, or the server
   * is only to be read. Whether there is room on a disk, a write alone can tell.
   */
  ready(): Promise<void>
  /** Finishes what was asked for, then gives the database free. */
  close(): Promise<void>
}

export function changeIn(list: Changes, name: string): Change {
  const change = list[name]
  if (!change) throw new Error(`the change ${name} is missing in the list of changes`)
  return change
}

/** The change that every transaction ends with: it brings up to date what follows from the others. */
const LAST = 'indexAnimals'
/** Of what is left, as after a copy, no transaction does more; a job does. */
const MAX_STEPS = 4

/** What counts requests changes no animal, and goes on whatever becomes of searches. */
const COUNTERS = ['saveCounters', 'removeExpiredCounters', 'nothing']

/** @param names of the changes that the transaction made */
export async function finish(db: Db, list: Changes, names: string[]): Promise<void> {
  if (names.every((name) => COUNTERS.includes(name))) return
  for (let step = 0; step < MAX_STEPS && (await list[LAST]?.(db)) === true; step += 1);
}

/** Changes of others may undo one of ours so often before that is an error. */
export const MAX_ATTEMPTS = 4

/**
 * Each change in a transaction of its own, several at once where the database can.
 *
 * @param committed is called when something was, before the change is answered
 */
export function transactionWriter(db: Db, list: Changes, committed: () => void = () => undefined): Writer {
  async function commit<Result>(name: string, run: (inside: Db) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await db.transaction().execute(async (inside) => {
          const changed = await run(inside)
          await finish(inside, list, [name])
          return changed
        })
        committed()
        return result
      } catch (error) {
        if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }
  return {
    write: (change, ...args) => commit(nameOf(change), (inside) => change(inside, ...args)),
    writeOnce: (once, change, ...args) =>
      commit(nameOf(change), (inside) => runOnce(inside, once, () => change(inside, ...args))),
    // A server answers for its own disk; who serves asks it whether it takes changes.
    ready: async () => undefined,
    close: () => db.destroy(),
  }
}
