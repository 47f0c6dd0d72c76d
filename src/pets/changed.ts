import { ROWS, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { takeTurns, work } from '../search/evaluate.ts'
import { ANY_TOKEN } from '../search/question.ts'
import { type Recent, type RecentAnimal, recentOf } from '../search/recent.ts'
import { stateOf } from '../search/state.ts'
import { keysOf, SEARCHED_COLUMNS, type SearchedRow, tokensOf } from './tokens.ts'

// Animals that have changed since the index was brought up to date, as this process knows them.

type Changed = [petId: number, version: number | null]

const readChanged = prepared<object, Changed>((db) =>
  db
    .selectFrom('search_change')
    .leftJoin('pet', 'pet.id', 'search_change.pet_id')
    .select(['search_change.pet_id', 'pet.version']),
)

type Numbered = [id: number, version: number, ...SearchedRow]

const readNumbered = prepared<Values, Numbered>(
  (db, fill, { rows }) =>
    db
      .selectFrom('pet')
      .select(['id', 'version', ...SEARCHED_COLUMNS])
      .where(
        'id',
        'in',
        Array.from({ length: Number(rows) }, (_, index) => fill(`id${index}`) as number),
      ),
  shapeOf,
)

/** @returns those that are there, in no order */
export async function readSearched(db: Db, ids: number[]): Promise<Numbered[]> {
  const found: Numbered[] = []
  for (let from = 0; from < ids.length; from += ROWS) {
    const some = ids.slice(from, from + ROWS).map((id) => ({ id }))
    found.push(...(await readNumbered(db, valuesOf(some, {}))))
  }
  return found
}

/** With the token that every animal has. */
export const allTokensOf = (row: SearchedRow): string[] => [ANY_TOKEN, ...tokensOf(row)]

export function searchedAnimal([, version, ...row]: Numbered): RecentAnimal {
  return { version, tokens: new Set(allTokensOf(row)), keys: new Map(keysOf(row)) }
}

const GONE: RecentAnimal = { version: undefined, tokens: undefined, keys: new Map() }

/** Tells which animals of some have changed since, and to which version; null for one that is gone. */
export async function changedAmong(db: Db, ids: number[]): Promise<Map<number, number | null>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('search_change')
    .leftJoin('pet', 'pet.id', 'search_change.pet_id')
    .select(['search_change.pet_id', 'pet.version'])
    .where('search_change.pet_id', 'in', ids)
    .execute()
  return new Map(rows.map(({ pet_id, version }) => [pet_id, version]))
}

export interface RecentReader {
  /** What has changed, all that was answered before it was asked for included. */
  read(): Promise<Recent>
  /** The next reading looks again, whatever the store says of changes. */
  forget(): void
}

/**
 * Reads what has changed, and keeps it: what is there already is not read again.
 *
 * @param version another one when an animal may have changed
 */
export function recentReader(db: Db, version: () => number): RecentReader {
  let current: Recent | undefined
  let seen: number | undefined
  let reading: Promise<Recent> | undefined
  let next: Promise<Recent> | undefined

  async function look(): Promise<Recent> {
    const at = version()
    if (current && at === seen) return current
    const state = await stateOf(db)
    const changed = await readChanged(db, {})
    const known = current?.animals
    const animals = new Map<number, RecentAnimal>()
    const unknown: number[] = []
    for (const [id, version] of changed) {
      const before = known?.get(id)
      if (version === null) animals.set(id, GONE)
      else if (before?.version === version) animals.set(id, before)
      else unknown.push(id)
    }
    const done = work(0)
    for (let from = 0; from < unknown.length; from += ROWS) {
      const rows = await readSearched(db, unknown.slice(from, from + ROWS))
      for (const row of rows) animals.set(row[0], searchedAnimal(row))
      await takeTurns(done)
    }
    // Removed since the changes were read.
    for (const id of unknown) if (!animals.has(id)) animals.set(id, GONE)
    current = recentOf(state, animals)
    seen = at
    return current
  }

  return {
    read() {
      if (!reading) {
        reading = look().finally(() => {
          reading = undefined
        })
        return reading
      }
      // The one under way may have begun before what the caller has to see.
      next ??= reading
        .catch(() => undefined)
        .then(() => {
          next = undefined
          return this.read()
        })
      return next
    },
    forget() {
      seen = undefined
    },
  }
}

/** No animal has a higher id. */
export async function highestId(db: Db): Promise<number> {
  const row = await db
    .selectFrom('pet')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst()
  return Number(row?.id ?? 0)
}
