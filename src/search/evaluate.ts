import type { Db } from '../db/tables.ts'
import {
  type Bits,
  clearBit,
  firstIdOf,
  intersect,
  isEmpty,
  keepEncoded,
  noBits,
  setBit,
  subtract,
} from './bits.ts'
import { postingsOf } from './postings.ts'
import { ANY_TOKEN, type Clause, matches, type Question } from './question.ts'
import { bitsOf, indexTokensOf, ROWS_AT_ONCE } from './read-clause.ts'
import type { Recent } from './recent.ts'
import { takeTurns } from './turns.ts'
import type { Work } from './work.ts'

/** What a question finds in some blocks. */
export interface Found {
  found: Map<number, Bits>
  /** Blocks whose animals are to be looked at themselves: these are all that may fit, and some others. */
  unsure: Set<number>
}

/** Which animals of some blocks a question finds. What has changed since is always told exactly. */
export async function evaluate(
  db: Db,
  recent: Recent,
  question: Question,
  blocks: number[],
  done: Work,
): Promise<Found> {
  const { clauses, without = [] } = question
  const wanted = clauses.length > 0 ? clauses : [{ tokens: [ANY_TOKEN] }]
  const { found, unsure } = await shared(db, wanted, blocks, done)
  const unwanted = without.length > 0 ? await shared(db, without, [...found.keys()], done) : undefined
  const result = new Map<number, Bits>()
  for (const block of blocks) {
    const bits = found.get(block) ?? noBits()
    const others = unwanted?.found.get(block)
    if (unwanted?.unsure.has(block)) unsure.add(block)
    else if (others) subtract(bits, others)
    for (const [id, { tokens }] of recent.inBlock(block)) {
      const offset = id - firstIdOf(block)
      clearBit(bits, offset)
      if (tokens && matches(tokens, question)) setBit(bits, offset)
    }
    result.set(block, bits)
  }
  return { found: result, unsure }
}

/**
 * What all clauses share, of blocks where there is anything. Those that have fewest tokens to look up come
 * first, and of these those that found least before: where nothing is left, the others are not read.
 */
async function shared(db: Db, clauses: Clause[], blocks: number[], done: Work): Promise<Found> {
  const size = (clause: Clause): number => done.sizes.get(clause) ?? 0
  const rows = (clause: Clause): number => (clause.prefixes ? Number.MAX_VALUE : indexTokensOf(clause).length)
  let found: Map<number, Bits> | undefined
  const cut = new Set<number>()
  for (const clause of clauses.toSorted((one, other) => rows(one) - rows(other) || size(one) - size(other))) {
    if (found && indexTokensOf(clause).length === 1 && !clause.prefixes) {
      await keepThose(db, clause, found, done)
      if (found.size === 0) break
      continue
    }
    const own = await bitsOf(db, clause, found ?? blocks, done, cut)
    for (const [block, bits] of found ?? []) {
      const others = own.get(block)
      if (others) intersect(bits, others)
      if (!others || isEmpty(bits)) found?.delete(block)
    }
    found ??= own
    if (found.size === 0) break
  }
  const left = found ?? new Map<number, Bits>()
  return { found: left, unsure: new Set([...cut].filter((block) => left.has(block))) }
}

/** Leaves those that have the one token of a clause. */
async function keepThose(db: Db, clause: Clause, found: Map<number, Bits>, done: Work): Promise<void> {
  const blocks = [...found.keys()]
  let bytes = 0
  for (let from = 0; from < blocks.length; from += ROWS_AT_ONCE) {
    const some = blocks.slice(from, from + ROWS_AT_ONCE)
    const known = await postingsOf(db, some, indexTokensOf(clause))
    const empty = new Set(some)
    for (const [block, , ids] of known) {
      bytes += ids.byteLength
      if (keepEncoded(found.get(block) as Bits, ids)) empty.delete(block)
    }
    for (const block of empty) found.delete(block)
    done.left -= some.length + known.length
    await takeTurns()
  }
  done.sizes.set(clause, bytes / blocks.length)
}
