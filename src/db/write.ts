import { type Once, type OnceOnly, runOnce } from './once.ts'
import type { Db } from './tables.ts'
import { isConflict } from './violation.ts'

/**
 * A store function that changes data. It runs inside a transaction, which it takes first, and throws
 * to undo itself.
 */
// biome-ignore lint/suspicious/noExplicitAny: a list holds changes of every shape; Write knows each one's own.
export type Change = (db: Db, ...args: any[]) => Promise<any>

/** Changes by their names, which is how another thread is asked for one. */
export type Changes = Record<string, Change>

/** The types of the one list, src/changes.ts, which declares them here. */
// biome-ignore lint/suspicious/noEmptyInterface: src/changes.ts fills it
export interface ChangeList {}

export type ChangeName = keyof ChangeList & string

/** What a change takes behind the store. */
export type ArgsOf<Name extends ChangeName> = ChangeList[Name] extends (
  db: Db,
  ...args: infer Args
) => Promise<unknown>
  ? Args
  : never

export type ResultOf<Name extends ChangeName> = ChangeList[Name] extends (
  ...args: never
) => Promise<infer Result>
  ? Result
  : never

/** A change that needs the store and leaves it as it is. */
export async function nothing(): Promise<void> {}

/**
 * Runs a change; the promise resolves when its effect is on the disk. It rejects when nothing of it is, or
 * with service_unavailable, when nobody can say.
 */
export type Write = <Name extends ChangeName>(name: Name, ...args: ArgsOf<Name>) => Promise<ResultOf<Name>>

/** The same, for a request that is to take effect only once. */
export type WriteOnce = <Name extends ChangeName>(
  once: Once,
  name: Name,
  ...args: ArgsOf<Name>
) => Promise<OnceOnly<ResultOf<Name>>>

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

export function changeIn(changes: Changes, name: string): Change {
  const change = changes[name]
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
export async function finish(db: Db, changes: Changes, names: string[]): Promise<void> {
  if (names.every((name) => COUNTERS.includes(name))) return
  for (let step = 0; step < MAX_STEPS && (await changes[LAST]?.(db)) === true; step += 1);
}

/** Changes of others may undo one of ours so often before that is an error. */
export const MOST_ATTEMPTS = 4

/**
 * Each change in a transaction of its own, several at once where the database can.
 *
 * @param committed is called when something was, before the change is answered
 */
export function transactionWriter(db: Db, changes: Changes, committed: () => void = () => undefined): Writer {
  async function commit<Result>(name: string, change: (inside: Db) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await db.transaction().execute(async (inside) => {
          const changed = await change(inside)
          await finish(inside, changes, [name])
          return changed
        })
        committed()
        return result
      } catch (error) {
        if (!isConflict(error) || attempt === MOST_ATTEMPTS) throw error
      }
    }
  }
  return {
    write: (name, ...args) => commit(name, (inside) => changeIn(changes, name)(inside, ...args)),
    writeOnce: (once, name, ...args) =>
      commit(name, (inside) => runOnce(inside, once, () => changeIn(changes, name)(inside, ...args))),
    // A server answers for its own disk; who serves asks it whether it takes changes.
    ready: async () => undefined,
    close: () => db.destroy(),
  }
}
