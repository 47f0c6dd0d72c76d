import type { Db } from './tables.ts'

/** A store function that changes data. Its first argument is a transaction. To roll back, it throws. */
// biome-ignore lint/suspicious/noExplicitAny: a list contains changes with any arguments; `Write` has the type of each
export type Change = (db: Db, ...args: any[]) => Promise<any>

/** Changes by name. A message to the writer thread contains the name of its change. */
export type Changes = Record<string, Change>

/** The types of all changes; src/changes.ts adds them by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: src/changes.ts fills it
export interface ChangeList {}

/** Every change, filled by src/changes.ts. Usage: `write(changes.updatePet, …)`. */
export const changes = {} as ChangeList

const names = new WeakMap<Change, string>()

export function registerChanges(listed: Changes): void {
  Object.assign(changes, listed)
  for (const [name, change] of Object.entries(listed)) names.set(change, name)
}

/** @throws if the change is not registered */
export function changeName(change: Change): string {
  const name = names.get(change)
  if (name === undefined) throw new Error(`src/changes.ts does not list the change ${change?.name}`)
  return name
}

/** The arguments of a change without `db`. */
export type ArgsOf<Fn extends Change> = Fn extends (db: Db, ...args: infer Args) => Promise<unknown>
  ? Args
  : never

export type ResultOf<Fn extends Change> = Fn extends (...args: never) => Promise<infer Result>
  ? Result
  : never
