import type { Db } from '../db/tables.ts'
import { type Bits, blockOf, firstIdOf, hasBit, offsetsDown, offsetsIn } from '../search/bits.ts'
import { evaluate, takeTurns, type Work } from '../search/evaluate.ts'
import { idsWith, walk } from '../search/orders.ts'
import { type Clause, matches, type Question } from '../search/question.ts'
import type { Recent } from '../search/recent.ts'
import type { Near } from './filters.ts'
import { AT } from './tokens.ts'

// The animals that a question finds, in every order that there is. Each reads as much as the work allows,
// and then says from where to go on.

/**
 * The values by which an animal comes where it does: of an order by ids the number of its part, and its
 * id.
 */
export type Position = readonly [key: number | string, id: number]

export interface Candidate {
  id: number
  position: Position
}

/** Ends where there is nothing more, or returns from where to go on. */
export type Candidates = AsyncGenerator<Candidate[], Position | undefined>

export interface Search {
  db: Db
  recent: Recent
  work: Work
  /** No animal has a higher id. */
  highest: number
}

/** So many animals are handed over, or read from an order, at once. */
const CHUNK = 256
/** So many blocks are read at once: few at first, since most pages need no more. */
const MOST_BLOCKS = 32

/** By their ids, one part after the other: what an earlier part has, a later one has not. */
export async function* byId(
  { db, recent, work, highest }: Search,
  parts: Question[],
  direction: 'asc' | 'desc',
  after: Position | undefined,
): Candidates {
  const [firstPart, firstAfter] = (after ?? [0, direction === 'asc' ? 0 : highest + 1]) as [number, number]
  for (let part = firstPart; part < parts.length; part += 1) {
    const question = parts[part] as Question
    const behind = part === firstPart ? firstAfter : direction === 'asc' ? 0 : highest + 1
    const step = direction === 'asc' ? 1 : -1
    const last = direction === 'asc' ? blockOf(highest) : 0
    let block = blockOf(direction === 'asc' ? behind + 1 : behind - 1)
    for (let count = 1; block * step <= last * step; count = Math.min(count * 4, MOST_BLOCKS)) {
      const left = Math.min(count, (last - block) * step + 1)
      const blocks = Array.from({ length: left }, (_, index) => block + index * step)
      const found = await evaluate(db, recent, question, blocks, work)
      let chunk: Candidate[] = []
      for (const id of idsIn(blocks, found, direction)) {
        if (id * step > behind * step) chunk.push({ id, position: [part, id] })
        if (chunk.length < CHUNK) continue
        yield chunk
        chunk = []
      }
      yield chunk
      block += left * step
      if (work.left < 0) return [part, direction === 'asc' ? firstIdOf(block) - 1 : firstIdOf(block + 1)]
    }
  }
  return undefined
}

function* idsIn(blocks: number[], found: Map<number, Bits>, direction: 'asc' | 'desc'): Generator<number> {
  for (const block of blocks) {
    const bits = found.get(block)
    if (!bits) continue
    for (const offset of direction === 'asc' ? offsetsIn(bits) : offsetsDown(bits))
      yield firstIdOf(block) + offset
  }
}

/** Tells of single animals whether a question finds them. */
function tester({ db, recent, work }: Search, question: Question) {
  const blocks = new Map<number, Bits>()
  return async (id: number): Promise<boolean> => {
    if (question.clauses.length === 0) return true
    const block = blockOf(id)
    let bits = blocks.get(block)
    if (!bits) {
      const found = await evaluate(db, recent, question, [block], work)
      bits = found.get(block) as Bits
      blocks.set(block, bits)
    }
    return hasBit(bits, id - firstIdOf(block))
  }
}

/** What an animal of an order costs of the work, whether it is found or not. */
const WALKED = 2

/** In the order of a key. */
export async function* byKey(
  search: Search,
  question: Question,
  sort: string,
  direction: 'asc' | 'desc',
  after: Position | undefined,
): Candidates {
  const { db, recent, work } = search
  const isFound = tester(search, question)
  const up = direction === 'asc'
  let [key, id] = (after ?? (up ? ['', 0] : ['\u{10ffff}', 0])) as [string, number]
  const compare = up ? comparePositions : (one: Position, other: Position) => comparePositions(other, one)
  const changed = recentIn(recent, question, sort)
    .filter(({ position }) => compare(position, [key, id]) > 0)
    .sort((one, other) => compare(one.position, other.position))
  for (;;) {
    const rows = await walk(db, { sort, key, id, limit: CHUNK }, direction)
    work.left -= rows.length * WALKED
    const last = rows.at(-1)
    const chunk: Candidate[] = []
    for (const [rowKey, rowId] of rows) {
      const position = [rowKey, rowId] as const
      while (changed[0] && compare(changed[0].position, position) < 0)
        chunk.push(changed.shift() as Candidate)
      if (!recent.animals.has(rowId) && (await isFound(rowId))) chunk.push({ id: rowId, position })
    }
    if (rows.length < CHUNK) chunk.push(...changed)
    yield chunk
    if (rows.length < CHUNK || !last) return undefined
    ;[key, id] = last
    if (work.left < 0) return [key, id]
    await takeTurns(work)
  }
}

/** Those that have changed, with their position in an order. */
function recentIn({ animals }: Recent, question: Question, sort: string): Candidate[] {
  return [...animals].flatMap(([id, { tokens, keys }]) => {
    const key = keys.get(sort)
    return tokens && key !== undefined && matches(tokens, question)
      ? [{ id, position: [key, id] as const }]
      : []
  })
}

/** As the store compares keys: byte by byte. */
function comparePositions([key, id]: Position, [otherKey, otherId]: Position): number {
  if (key === otherKey) return id - otherId
  return Buffer.compare(Buffer.from(String(key)), Buffer.from(String(otherKey)))
}

/** The nearest first, and of those that are equally far the one with the lowest id. */
export async function* byDistance(
  search: Search,
  question: Question,
  near: Near,
  after: Position | undefined,
): Candidates {
  const { recent, work } = search
  // Whoever is in one of these places is near: to ask the index too would be to read all its places.
  const isOfPlaces = ({ tokens, prefixes }: Clause): boolean =>
    !prefixes && tokens.length === near.size && tokens.every((token) => near.has(token))
  const clauses = question.clauses.filter((clause) => !isOfPlaces(clause))
  const isFound = tester(search, { ...question, clauses })
  const changed = recentIn(recent, question, AT)
  const [behind, behindId] = (after ?? [-1, 0]) as [number, number]
  const rings = new Map<number, string[]>()
  for (const [place, meters] of near)
    if (meters >= behind) rings.set(meters, [...(rings.get(meters) ?? []), place])
  for (const [meters, places] of [...rings].sort(([one], [other]) => one - other)) {
    let from = meters === behind ? behindId : 0
    for (;;) {
      const { ids, to } = await ring(search, places, changed, from)
      const found: Candidate[] = []
      for (const id of ids)
        if (recent.animals.has(id) || (await isFound(id))) found.push({ id, position: [meters, id] })
      yield found
      if (work.left < 0) return [meters, to]
      await takeTurns(work)
      if (ids.length === 0 || to === Number.POSITIVE_INFINITY) break
      from = to
    }
  }
  return undefined
}

/** Animals of some places behind an id, in order, and up to which id these are all. */
async function ring({ db, recent, work }: Search, places: string[], changed: Candidate[], from: number) {
  const lists = await Promise.all(places.map((key) => idsWith(db, { sort: AT, key, id: from, limit: CHUNK })))
  work.left -= lists.reduce((sum, list) => sum + list.length * WALKED, places.length)
  const ends = lists.map((list) => (list.length < CHUNK ? Number.POSITIVE_INFINITY : (list.at(-1) ?? 0)))
  const to = Math.min(...ends)
  const known = lists.flat().filter((id) => !recent.animals.has(id))
  const fresh = changed.filter(({ position: [key] }) => places.includes(String(key))).map(({ id }) => id)
  const ids = [...known, ...fresh].filter((id) => id > from && id <= to).sort((one, other) => one - other)
  return { ids, to }
}
