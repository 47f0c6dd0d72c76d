import { type Once, type OnceOnly, runOnce } from './once.ts'
import type { Db } from './tables.ts'

/**
 * A store function that changes data. It runs inside a transaction, which it takes first, and throws
 * to undo itself.
 */
export type Change<Args extends unknown[], Result> = (db: Db, ...args: Args) => Promise<Result>

/** Runs a change; the promise resolves when its effect is on the disk, and rejects when nothing of it is. */
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
  /** Finishes what was asked for, then gives the database free. */
  close(): Promise<void>
}

/** Each change in a transaction of its own: for commands, which make few. */
export function transactionWriter(db: Db): Writer {
  return {
    write: (change, ...args) => db.transaction().execute((inside) => change(inside, ...args)),
    writeOnce: (once, change, ...args) =>
      db.transaction().execute((inside) => runOnce(inside, once, () => change(inside, ...args))),
    close: () => db.destroy(),
  }
}
