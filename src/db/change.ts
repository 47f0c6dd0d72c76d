import type { Db } from './tables.ts'

/**
 * A store function that changes data. It runs inside a transaction, which it takes first, and throws
 * to undo itself.
 */
// biome-ignore lint/suspicious/noExplicitAny: a list holds changes of every shape; Write knows each one's own.
export type Change = (db: Db, ...args: any[]) => Promise<any>

/** Changes by their names, which is how another thread is asked for one. */
export type Changes = Record<string, Change>

/** The types of the changes, which src/changes.ts declares here. */
// biome-ignore lint/suspicious/noEmptyInterface: src/changes.ts fills it
export interface ChangeList {}

/** Every change of the data. `write(changes.updatePet, …)` makes one; src/changes.ts fills the list. */
export const changes = {} as ChangeList

const names = new WeakMap<Change, string>()

/** Adds changes to the list. */
export function listChanges(listed: Changes): void {
  Object.assign(changes, listed)
  for (const [name, change] of Object.entries(listed)) names.set(change, name)
}

/** The name of a change, by which another thread is asked for it. */
export function nameOf(change: Change): string {
  const name = names.get(change)
  if (name === undefined) throw new Error(`a change is missing in src/changes.ts: ${change?.name}`)
  return name
}

/** What a change takes after the store. */
export type ArgsOf<Fn extends Change> = Fn extends (db: Db, ...args: infer Args) => Promise<unknown>
  ? Args
  : never

export type ResultOf<Fn extends Change> = Fn extends (...args: never) => Promise<infer Result>
  ? Result
  : never
