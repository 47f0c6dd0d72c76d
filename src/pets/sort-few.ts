import { blockOf } from '../search/bits.ts'
import { evaluate } from '../search/evaluate.ts'
import type { Question } from '../search/question.ts'
import { readSearched } from './changed.ts'
import { type Candidates, comparePositions, idsIn, MOST_BLOCKS, type Position, type Search } from './order.ts'
import { keysOf, type SearchedRow } from './tokens.ts'

// Few animals are sorted here. In an order of the store the next of them may be far away.

/** So many are few at most. */
const MOST_SORTED = 2_000
/** Of as many matches as the square root of so many times all animals, a page costs as much either way. */
const PAGE = 20

/** All that a question finds; undefined where they are many, or nobody can tell within the work. */
export async function findFew(search: Search, question: Question): Promise<number[] | undefined> {
  const { db, recent, work, highest } = search
  const most = Math.min(MOST_SORTED, Math.sqrt(PAGE * highest))
  const ids: number[] = []
  let count = 1
  for (let block = blockOf(highest); block >= 0; block -= count) {
    count = Math.min(count * 4, MOST_BLOCKS)
    const blocks = Array.from({ length: Math.min(count, block + 1) }, (_, index) => block - index)
    for (const id of idsIn(blocks, await evaluate(db, recent, question, blocks, work), 'desc')) {
      ids.push(id)
      if (ids.length > most) return undefined
    }
    if (work.left < 0) return undefined
  }
  return ids
}

/** By the name of an order, where an animal stands in it. */
type Keys = ReadonlyMap<string, string>

/** @param keyOf undefined for an animal that is not wanted after all */
export async function* sortFew(
  search: Search,
  ids: number[],
  keyOf: (keys: Keys) => number | string | undefined,
  direction: 'asc' | 'desc',
  after: Position | undefined,
): Candidates {
  const keys = await keysOfAll(search, ids)
  const compare =
    direction === 'asc' ? comparePositions : (one: Position, other: Position) => comparePositions(other, one)
  const found = ids.flatMap((id) => {
    const known = keys.get(id)
    const key = known && keyOf(known)
    return key === undefined ? [] : [{ id, position: [key, id] as const }]
  })
  const behind = after ? found.filter(({ position }) => compare(position, after) > 0) : found
  yield behind.sort((one, other) => compare(one.position, other.position))
  return undefined
}

async function keysOfAll({ db, recent }: Search, ids: number[]): Promise<Map<number, Keys>> {
  const unchanged = ids.filter((id) => !recent.animals.has(id))
  const rows = await readSearched(db, unchanged)
  const read = rows.map(([id, , ...row]): [number, Keys] => [id, new Map(keysOf(row as SearchedRow))])
  const changed = ids.flatMap((id): [number, Keys][] => {
    const animal = recent.animals.get(id)
    return animal ? [[id, animal.keys]] : []
  })
  return new Map([...read, ...changed])
}
