import { inList, listOf } from '../db/list-parameter.ts'
import { ROWS, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Recent, type RecentAnimal, recentOf } from '../search/recent.ts'
import { stateOf } from '../search/state.ts'
import { takeTurns } from '../search/turns.ts'
import { keysOf } from './order-keys.ts'
import { SEARCHED_COLUMNS, type SearchedRow, tokensOf } from './tokens.ts'

// Animals that have changed since the index was brought up to date, as this process knows them.

type Changed = [petId: number, version: number | null]

const CHANGES_AT_ONCE = 1_000
/** Behind so many changes the index is brought up to date at once, and not by the next round of jobs. */
const MOST_RECENT = 2_000
/** Behind so many no search is answered until the index knows them: one with 95 tokens is 6.6 kB. */
export const MOST_CHANGED = 50_000

const readChanged = prepared<{ behind: number }, Changed>((db, fill) =>
  db
    .selectFrom('search_change')
    .leftJoin('pet', 'pet.id', 'search_change.pet_id')
    .select(['search_change.pet_id', 'pet.version'])
    .where('search_change.pet_id', '>', fill('behind'))
    .orderBy('search_change.pet_id')
    .limit(CHANGES_AT_ONCE),
)

async function* allChanged(db: Db): AsyncGenerator<Changed[]> {
  for (let behind = 0; ; ) {
    const some = await readChanged(db, { behind })
    yield some
    const last = some.at(-1)
    if (some.length < CHANGES_AT_ONCE || !last) return
    ;[behind] = last
    await takeTurns()
  }
}

function tooManyChanged(): ApiError {
  const cause = new Error(`the index of the search is behind by more than ${MOST_CHANGED} animals`)
  return new ApiError('service_unavailable', { cause })
}

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

export function searchedAnimal([, version, ...row]: Numbered): RecentAnimal {
  return { version, tokens: new Set(tokensOf(row)), keys: new Map(keysOf(row)) }
}

const GONE: RecentAnimal = { version: undefined, tokens: undefined, keys: new Map() }

const readChangedAmong = prepared<{ ids: unknown }, Changed>((db, fill) =>
  db
    .selectFrom('search_change')
    .leftJoin('pet', 'pet.id', 'search_change.pet_id')
    .select(['search_change.pet_id', 'pet.version'])
    .where('search_change.pet_id', 'in', inList(db, fill('ids'), 'bigint')),
)

/** Tells which animals of some have changed since, and to which version; null for one that is gone. */
export async function changedAmong(db: Db, ids: number[]): Promise<Map<number, number | null>> {
  if (ids.length === 0) return new Map()
  return new Map(await readChangedAmong(db, { ids: listOf(db, ids) }))
}

export interface RecentReader {
  /** What has changed, all that was answered before it was asked for included. */
  read(): Promise<Recent>
  /** The next reading looks again, whatever the store says of changes. */
  forget(): void
}

/** To make the tokens of an animal takes some 50 µs. */
const PARSED_AT_ONCE = 50

/**
 * Reads what has changed, and keeps it: what is there already is not read again.
 *
 * @param version another one when an animal may have changed
 * @param onBehind hears where the index should be brought up to date
 */
export function recentReader(db: Db, version: () => number, onBehind: () => void): RecentReader {
  let current: Recent | undefined
  let seen: number | undefined
  let reading: Promise<Recent> | undefined
  let next: Promise<Recent> | undefined

  async function look(): Promise<Recent> {
    const at = version()
    if (!current || at !== seen) {
      current = await lookAgain(current?.animals)
      seen = at
    }
    if (current.animals.size > MOST_RECENT) onBehind()
    return current
  }

  /** @throws {ApiError} service_unavailable where there are too many */
  async function lookAgain(known?: Recent['animals']): Promise<Recent> {
    const state = await stateOf(db)
    const animals = new Map<number, RecentAnimal>()
    const unknown: number[] = []
    for await (const some of allChanged(db)) {
      for (const [id, version] of some) {
        const before = known?.get(id)
        if (version === null) animals.set(id, GONE)
        else if (before?.version === version) animals.set(id, before)
        else unknown.push(id)
      }
      if (animals.size + unknown.length > MOST_CHANGED) {
        onBehind()
        throw tooManyChanged()
      }
    }
    for (let from = 0; from < unknown.length; from += PARSED_AT_ONCE) {
      const rows = await readSearched(db, unknown.slice(from, from + PARSED_AT_ONCE))
      for (const row of rows) animals.set(row[0], searchedAnimal(row))
      await takeTurns()
    }
    // Removed since the changes were read.
    for (const id of unknown) if (!animals.has(id)) animals.set(id, GONE)
    return recentOf(state, animals)
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

const readHighest = prepared<object, [id: number | null]>((db) =>
  db.selectFrom('pet').select(({ fn }) => fn.max('id').as('id')),
)

/** No animal has a higher id. */
export async function highestId(db: Db): Promise<number> {
  const [[id] = [null]] = await readHighest(db, {})
  return Number(id ?? 0)
}
