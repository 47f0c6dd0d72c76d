import type { Db } from '../db/tables.ts'
import { type Bits, blockOf, firstIdOf, hasBit, offsetsDown, offsetsIn } from '../search/bits.ts'
import { evaluate } from '../search/evaluate.ts'
import { walk } from '../search/orders.ts'
import { matches, type Question } from '../search/question.ts'
import type { Recent } from '../search/recent.ts'
import { takeTurns } from '../search/turns.ts'
import { compareBytes } from '../search/words.ts'
import type { Work } from '../search/work.ts'
import { LOOKED_AT_ONCE, lookAt } from './look-at.ts'

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
export const CHUNK = 256
/** So many blocks are read at once: few at first, since most pages need no more. */
export const MOST_BLOCKS = 32

/** By their ids, one part after the other: what an earlier part has, a later one has not. */
export async function* byId(
  search: Search,
  parts: Question[],
  direction: 'asc' | 'desc',
  after: Position | undefined,
): Candidates {
  const { work, highest } = search
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
      for await (const { ids, lookedTo } of foundIn(search, question, blocks, direction, behind)) {
        yield ids.map((id) => ({ id, position: [part, id] }))
        if (lookedTo !== undefined && work.left < 0) return [part, lookedTo]
      }
      block += left * step
      if (work.left < 0) return [part, direction === 'asc' ? firstIdOf(block) - 1 : firstIdOf(block + 1)]
    }
  }
  return undefined
}

interface Some {
  ids: number[]
  /** Of animals that had to be looked at the last one, whether it fits or not. */
  lookedTo?: number
}

/** The animals that a question finds in some blocks, in order, behind an id. */
export async function* foundIn(
  search: Search,
  question: Question,
  blocks: number[],
  direction: 'asc' | 'desc',
  behind: number,
): AsyncGenerator<Some> {
  const { found, unsure } = await evaluate(search.db, search.recent, question, blocks, search.work)
  const look = async (ids: number[]): Promise<Some> => {
    const lookedTo = ids.at(-1)
    return { ids: await lookAt(search, question, ids), ...(lookedTo !== undefined && { lookedTo }) }
  }
  let ids: number[] = []
  for (const block of blocks) {
    const isSure = !unsure.has(block)
    if (!isSure) {
      yield { ids }
      ids = []
    }
    const bits = found.get(block) as Bits
    for (const offset of direction === 'asc' ? offsetsIn(bits) : offsetsDown(bits)) {
      const id = firstIdOf(block) + offset
      if (direction === 'asc' ? id <= behind : id >= behind) continue
      ids.push(id)
      if (ids.length < (isSure ? CHUNK : LOOKED_AT_ONCE)) continue
      yield isSure ? { ids } : await look(ids)
      ids = []
    }
    if (isSure) continue
    yield await look(ids)
    ids = []
  }
  yield { ids }
}

/** Tells which of some animals a question finds. */
export function sieve(search: Search, question: Question) {
  const { db, recent, work } = search
  const known = new Map<number, Bits>()
  const unsure = new Set<number>()
  const mayFit = (id: number): boolean => hasBit(known.get(blockOf(id)) as Bits, id - firstIdOf(blockOf(id)))
  return async (ids: number[]): Promise<(id: number) => boolean> => {
    if (question.clauses.length === 0) return () => true
    const blocks = [...new Set(ids.map(blockOf))].filter((block) => !known.has(block))
    const evaluated = await evaluate(db, recent, question, blocks, work)
    for (const [block, bits] of evaluated.found) known.set(block, bits)
    for (const block of evaluated.unsure) unsure.add(block)
    const doubtful = ids.filter((id) => unsure.has(blockOf(id)) && mayFit(id))
    const fitting = new Set(await lookAt(search, question, doubtful))
    return (id) => (unsure.has(blockOf(id)) ? fitting.has(id) : mayFit(id))
  }
}

/** What an animal of an order costs of the work, whether it is found or not. */
export const WALKED = 2

/** In the order of a key. */
export async function* byKey(
  search: Search,
  question: Question,
  sort: string,
  direction: 'asc' | 'desc',
  after: Position | undefined,
): Candidates {
  const { db, recent, work } = search
  const among = sieve(search, question)
  const up = direction === 'asc'
  let [key, id] = (after ?? (up ? ['', 0] : ['\u{10ffff}', 0])) as [string, number]
  const compare = up ? comparePositions : (one: Position, other: Position) => comparePositions(other, one)
  const changed = recentIn(recent, question, sort)
    .filter(({ position }) => compare(position, [key, id]) > 0)
    .sort((one, other) => compare(one.position, other.position))
  for (;;) {
    const rows = await walk(db, { sort, key, id, limit: CHUNK }, direction)
    work.left -= rows.length * WALKED
    const isFound = await among(rows.map(([, rowId]) => rowId))
    const last = rows.at(-1)
    const chunk: Candidate[] = []
    for (const [rowKey, rowId] of rows) {
      const position = [rowKey, rowId] as const
      while (changed[0] && compare(changed[0].position, position) < 0)
        chunk.push(changed.shift() as Candidate)
      if (!recent.animals.has(rowId) && isFound(rowId)) chunk.push({ id: rowId, position })
    }
    if (rows.length < CHUNK) chunk.push(...changed)
    yield chunk
    if (rows.length < CHUNK || !last) return undefined
    ;[key, id] = last
    if (work.left < 0) return [key, id]
    await takeTurns()
  }
}

/** Those that have changed, with their position in an order. */
export function recentIn({ animals }: Recent, question: Question, sort: string): Candidate[] {
  return [...animals].flatMap(([id, { tokens, keys }]) => {
    const key = keys.get(sort)
    return tokens && key !== undefined && matches(tokens, question)
      ? [{ id, position: [key, id] as const }]
      : []
  })
}

/** As the store compares keys: byte by byte. */
export function comparePositions([key, id]: Position, [otherKey, otherId]: Position): number {
  if (key === otherKey) return id - otherId
  if (typeof key === 'number') return key - Number(otherKey)
  return compareBytes(String(key), String(otherKey))
}
