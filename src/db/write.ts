import { type Once, type OnceOnly, runOnce } from './once.ts'
import type { Db } from './tables.ts'
import { isConflict } from './violation.ts'

/**
 * A store function that changes data. It runs inside a transaction, which it takes first, and throws
 * to undo itself.
 */
export type Change<Args extends unknown[], Result> = (db: Db, ...args: Args) => Promise<Result>

/** A change that needs the store and leaves it as it is. */
export const nothing: Change<[], void> = async () => undefined

/**
 * Runs a change; the promise resolves when its effect is on the disk. It rejects when nothing of it is, or
 * with service_unavailable, when nobody can say.
 */
export type Write = <Args extends unknown[], Result>(
  change: Change<Args, Result>,
  ...args: Args
) => Promise<Result>

/** The same, for a request that is to take effect only once. */
export type WriteOnce = <Args extends unknown[], Result>(
  once: Once,
  change: Change<Args, Result>,
  ...args: Args
) => Promise<OnceOnly<Result>>

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

/** Changes of others may undo one of ours so often before that is an error. */
const MOST_ATTEMPTS = 4

/**
 * Each change in a transaction of its own, several at once where the database can.
 *
 * @param committed is called when something was, before the change is answered
 */
export function transactionWriter(db: Db, committed: () => void = () => undefined): Writer {
  async function commit<Result>(change: (inside: Db) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await db.transaction().execute(change)
        committed()
        return result
      } catch (error) {
        if (!isConflict(error) || attempt === MOST_ATTEMPTS) throw error
      }
    }
  }
  return {
    write: (change, ...args) => commit((inside) => change(inside, ...args)),
    writeOnce: (once, change, ...args) =>
      commit((inside) => runOnce(inside, once, () => change(inside, ...args))),
    // A server answers for its own disk; who serves asks it whether it takes changes.
    ready: async () => undefined,
    close: () => db.destroy(),
  }
}
