import { blockOf } from '../search/bits.ts'
import type { Question } from '../search/question.ts'
import {
  type Candidate,
  type Candidates,
  comparePositions,
  foundIn,
  MOST_BLOCKS,
  type Position,
  type Search,
} from './order.ts'
import { keyIn, type Order, readInSteps, readOrdered } from './order-keys.ts'

// Few animals are sorted here. In an order of the store the next of them may be far away.

/** So many are few at most. */
const MOST_SORTED = 2_000
/** Of as many matches as the square root of so many times all animals, a page costs as much either way. */
const PAGE = 20

/**
 * All that a question finds; undefined where they are many, or nobody can tell within the work.
 *
 * @param mostFew more than these are not few
 */
export async function findFew(
  search: Search,
  question: Question,
  mostFew = MOST_SORTED,
): Promise<number[] | undefined> {
  const { work, highest } = search
  const most = Math.min(mostFew, MOST_SORTED, Math.sqrt(PAGE * highest))
  const found: number[] = []
  let count = 1
  for (let block = blockOf(highest); block >= 0; block -= count) {
    count = Math.min(count * 4, MOST_BLOCKS)
    const blocks = Array.from({ length: Math.min(count, block + 1) }, (_, index) => block - index)
    for await (const { ids } of foundIn(search, question, blocks, 'desc', highest + 1)) {
      found.push(...ids)
      if (found.length > most || work.left < 0) return undefined
    }
  }
  return found
}

/** @param positionOf makes a position of a key; undefined for an animal that is not wanted after all */
export async function* sortFew(
  search: Search,
  ids: number[],
  order: Order,
  positionOf: (key: string) => number | string | undefined,
  direction: 'asc' | 'desc',
  after: Position | undefined,
): Candidates {
  const compare =
    direction === 'asc' ? comparePositions : (one: Position, other: Position) => comparePositions(other, one)
  const found: Candidate[] = []
  for (const [id, key] of await keysOfAll(search, ids, order)) {
    const position = key === undefined ? undefined : positionOf(key)
    if (position !== undefined) found.push({ id, position: [position, id] })
  }
  const behind = after ? found.filter(({ position }) => compare(position, after) > 0) : found
  yield behind.sort((one, other) => compare(one.position, other.position))
  return undefined
}

async function keysOfAll(
  { db, recent }: Search,
  ids: number[],
  order: Order,
): Promise<[id: number, key: string | undefined][]> {
  const found: [number, string | undefined][] = []
  const unchanged = ids.filter((id) => !recent.animals.has(id))
  for (const id of ids) if (recent.animals.has(id)) found.push([id, recent.animals.get(id)?.keys.get(order)])
  for await (const [id, ...row] of readInSteps(db, unchanged, readOrdered))
    found.push([id, keyIn(order, row)])
  return found
}
