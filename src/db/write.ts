import { type ArgsOf, type Change, type Changes, changeName, type ResultOf } from './change.ts'
import { isConflict } from './engine-errors.ts'
import { type IdempotentRequest, type OnceResult, runOnce } from './once.ts'
import type { Db } from './tables.ts'

/** A change that writes nothing. Running this change shows whether the store accepts changes. */
export async function probeWrite(): Promise<void> {}

/** The subjects of versions: changes of the data of cached pages, changes of API keys, and all commits. */
export type Versioned = 'pages' | 'keys' | 'commits'

/**
 * Runs a change in a transaction. The promise resolves when the change is on the disk, and rejects if nothing
 * was changed. After service_unavailable, the change may or may not have been made.
 */
export type Write = <Fn extends Change>(change: Fn, ...args: ArgsOf<Fn>) => Promise<ResultOf<Fn>>

/** Runs a change for a request that must take effect only once. */
export type WriteOnce = <Fn extends Change>(
  once: IdempotentRequest,
  change: Fn,
  ...args: ArgsOf<Fn>
) => Promise<OnceResult<ResultOf<Fn>>>

export interface Writer {
  write: Write
  writeOnce: WriteOnce
  /**
   * Rejects while the store accepts no changes, as after a disk failure or on a read-only server. Cannot
   * detect a full disk, which fails only when something is written.
   */
  ready(): Promise<void>
  /** Finishes all pending changes, then closes the database. */
  close(): Promise<void>
}

export function getChange(list: Changes, name: string): Change {
  const change = list[name]
  if (!change) throw new Error(`the list of changes does not contain ${name}`)
  return change
}

/** The last change of every transaction. It updates the search index for the changed animals. */
const LAST = 'indexAnimals'
/** How many animals one transaction indexes. A job indexes the rest, such as all animals after a copy. */
const MAX_STEPS = 4

/** Changes that concern no animal. They must work even when indexing fails. */
const COUNTERS = ['saveCounters', 'removeExpiredCounters', 'probeWrite']

/** @param names of the changes that the transaction made */
export async function finishTransaction(db: Db, list: Changes, names: string[]): Promise<void> {
  if (names.every((name) => COUNTERS.includes(name))) return
  const last = getChange(list, LAST)
  for (let step = 0; step < MAX_STEPS && (await last(db)) === true; step += 1);
}

/** The maximum number of attempts of a change when concurrent changes make it fail. */
export const MAX_ATTEMPTS = 4

/**
 * Creates a writer that runs each change in its own transaction. On PostgreSQL, several run at once.
 * @param committed called after each commit, before the promise of the change resolves
 */
export function transactionWriter(db: Db, list: Changes, committed: () => void = () => undefined): Writer {
  async function commit<Result>(name: string, run: (inside: Db) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await db.transaction().execute(async (inside) => {
          const changed = await run(inside)
          await finishTransaction(inside, list, [name])
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
    write: (change, ...args) => commit(changeName(change), (inside) => change(inside, ...args)),
    writeOnce: (once, change, ...args) =>
      commit(changeName(change), (inside) => runOnce(inside, once, () => change(inside, ...args))),
    // `servePostgres` replaces this with a check for a read-only server.
    ready: async () => undefined,
    close: () => db.destroy(),
  }
}
