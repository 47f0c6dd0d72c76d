import { setImmediate } from 'node:timers/promises'
import type { Db } from '../db/tables.ts'
import {
  addEncoded,
  type Bits,
  clearBit,
  firstIdOf,
  intersect,
  isEmpty,
  noBits,
  setBit,
  subtract,
} from './bits.ts'
import { type Posting, postingsFrom, postingsOf } from './postings.ts'
import { ANY_TOKEN, type Clause, matches, type Question } from './question.ts'
import type { Recent } from './recent.ts'

/** More tokens of one clause are read all at once, and picked from. */
const MOST_LOOKED_UP = 1_000
/** Of those that are looked up, so many rows are one turn. */
const ROWS_AT_ONCE = 256
/** For so long nobody else's request waits. */
const TURN_MS = 4

/** What a question may still read, and whether others have waited long enough. */
export interface Work {
  /** Rows of the index. */
  left: number
  turnSince: number
  /** Bytes of what each clause found in the blocks that were read last, for one block. */
  sizes: Map<Clause, number>
}

export const work = (rows: number): Work => ({
  left: rows,
  turnSince: performance.now(),
  sizes: new Map(),
})

/** Lets others in between, now and then. */
export async function takeTurns(done: Work): Promise<void> {
  if (performance.now() - done.turnSince < TURN_MS) return
  await setImmediate()
  done.turnSince = performance.now()
}

/** Which animals of some blocks a question finds. */
export async function evaluate(
  db: Db,
  recent: Recent,
  question: Question,
  blocks: number[],
  done: Work,
): Promise<Map<number, Bits>> {
  const { clauses, without = [] } = question
  const wanted = clauses.length > 0 ? clauses : [{ tokens: [ANY_TOKEN] }]
  const found = await shared(db, wanted, blocks, done)
  const unwanted = without.length > 0 ? await shared(db, without, [...found.keys()], done) : undefined
  const result = new Map<number, Bits>()
  for (const block of blocks) {
    const bits = found.get(block) ?? noBits()
    const others = unwanted?.get(block)
    if (others) subtract(bits, others)
    for (const [id, { tokens }] of recent.inBlock(block)) {
      const offset = id - firstIdOf(block)
      clearBit(bits, offset)
      if (tokens && matches(tokens, question)) setBit(bits, offset)
    }
    result.set(block, bits)
  }
  return result
}

/**
 * What all clauses share, of blocks where there is anything. Those that found least before are read first:
 * where nothing is left, the others are not read.
 */
async function shared(db: Db, clauses: Clause[], blocks: number[], done: Work): Promise<Map<number, Bits>> {
  const size = (clause: Clause): number => done.sizes.get(clause) ?? 0
  let found: Map<number, Bits> | undefined
  for (const clause of clauses.toSorted((one, other) => size(one) - size(other))) {
    const own = await bitsOf(db, clause, found ? [...found.keys()] : blocks, done)
    for (const [block, bits] of found ?? []) {
      const others = own.get(block)
      if (others) intersect(bits, others)
      if (!others || isEmpty(bits)) found?.delete(block)
    }
    found ??= own
    if (found.size === 0) break
  }
  return found ?? new Map()
}

async function bitsOf(db: Db, clause: Clause, blocks: number[], done: Work): Promise<Map<number, Bits>> {
  const found = new Map<number, Bits>()
  let bytes = 0
  const add = ([block, , ids]: Posting): void => {
    bytes += ids.byteLength
    const bits = found.get(block) ?? noBits()
    addEncoded(bits, ids)
    found.set(block, bits)
  }
  const { tokens, prefixes = [] } = clause
  const isLong = tokens.length > MOST_LOOKED_UP
  const filters = new Set(isLong ? tokens.map((token) => token.slice(0, token.indexOf(':') + 1)) : [])
  const wanted = isLong ? new Set(tokens) : undefined
  const isRead = filters.size > 0 || prefixes.length > 0
  const atOnce = isRead ? 1 : Math.max(1, Math.floor(ROWS_AT_ONCE / tokens.length))
  for (let from = 0; from < blocks.length; from += atOnce) {
    const some = blocks.slice(from, from + atOnce)
    const known = isLong ? [] : await postingsOf(db, some, tokens)
    for (const posting of known) add(posting)
    done.left -= some.length + known.length
    for (const beginning of [...filters, ...prefixes]) {
      const postings = await postingsFrom(db, some, beginning)
      done.left -= postings.length
      for (const posting of postings)
        if (prefixes.includes(beginning) || wanted?.has(posting[1])) add(posting)
    }
    await takeTurns(done)
  }
  done.sizes.set(clause, bytes / Math.max(1, blocks.length))
  return found
}
