import type { Db } from '../db/tables.ts'
import {
  addEncoded,
  type Bits,
  BLOCK_IDS,
  clearBit,
  countBits,
  firstIdOf,
  intersect,
  isEmpty,
  keepEncoded,
  noBits,
  setBit,
  subtract,
} from './bits.ts'
import { postingsFrom, postingsOf } from './postings.ts'
import { ANY_TOKEN, type Clause, matches, type Question } from './question.ts'
import type { Recent } from './recent.ts'
import { takeTurns } from './turns.ts'
import { ROWS_OF_A_WHOLE_ANIMAL, type Work } from './work.ts'

/** More tokens of one clause are read all at once, and picked from. */
const MOST_LOOKED_UP = 1_000
/** Of those that are looked up, so many rows are one turn: of a cold file each is a page to read. */
const ROWS_AT_ONCE = 64
/** So many rows of one beginning are read of a block: behind as many, to look at its animals is less work. */
const MOST_OF_A_BEGINNING = BLOCK_IDS

/** What a question finds in some blocks. */
export interface Found {
  found: Map<number, Bits>
  /** Blocks in which the index had too much to read: there these are all that may fit, and some others. */
  unsure: Set<number>
}

const tokensOf = ({ tokens, inIndex }: Clause): string[] => inIndex ?? tokens

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
  const rows = (clause: Clause): number => (clause.prefixes ? Number.MAX_VALUE : tokensOf(clause).length)
  let found: Map<number, Bits> | undefined
  const cut = new Set<number>()
  for (const clause of clauses.toSorted((one, other) => rows(one) - rows(other) || size(one) - size(other))) {
    if (found && tokensOf(clause).length === 1 && !clause.prefixes) {
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
    const known = await postingsOf(db, some, tokensOf(clause))
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

/**
 * @param among blocks, or what other clauses found in them
 * @param cut takes blocks in which there was too much to read: of those all animals are found
 */
async function bitsOf(
  db: Db,
  clause: Clause,
  among: number[] | Map<number, Bits>,
  done: Work,
  cut: Set<number>,
): Promise<Map<number, Bits>> {
  const blocks = [...(among instanceof Map ? among.keys() : among)]
  const found = new Map<number, Bits>()
  let bytes = 0
  const add = (block: number, ids: Uint8Array): void => {
    bytes += ids.byteLength
    const bits = found.get(block) ?? noBits()
    addEncoded(bits, ids)
    found.set(block, bits)
  }
  // Where the other clauses leave few animals of a block, to look at these is less than to read so many rows.
  const isLess = (block: number, rows: number): boolean =>
    among instanceof Map && countBits(among.get(block) as Bits) * ROWS_OF_A_WHOLE_ANIMAL < rows
  const { prefixes = [] } = clause
  const tokens = tokensOf(clause)
  const isLong = tokens.length > MOST_LOOKED_UP
  const all = isLong ? [] : blocks.filter((block) => isLess(block, tokens.length))
  const read = blocks.filter((block) => !all.includes(block))
  if (!isLong && tokens.length > 0) {
    const atOnce = Math.max(1, Math.floor(ROWS_AT_ONCE / tokens.length))
    for (let from = 0; from < read.length; from += atOnce) {
      const some = read.slice(from, from + atOnce)
      const known = await postingsOf(db, some, tokens)
      for (const [block, , ids] of known) add(block, ids)
      done.left -= some.length + known.length
      await takeTurns()
    }
  }
  const wanted = isLong ? new Set(tokens) : undefined
  const filters = new Set(isLong ? tokens.map((token) => token.slice(0, token.indexOf(':') + 1)) : [])
  const before = done.left
  for (const [index, block] of read.entries()) {
    // As many rows as the blocks before had.
    if (isLess(block, (before - done.left) / index)) {
      all.push(block)
      continue
    }
    for (const beginning of [...filters, ...prefixes]) {
      const takes = (token: string): boolean => prefixes.includes(beginning) || wanted?.has(token) === true
      const isWhole = await readBeginning(db, block, beginning, done, (token, ids) => {
        if (takes(token)) add(block, ids)
      })
      if (isWhole) continue
      all.push(block)
      break
    }
  }
  for (const [block, , ids] of await postingsOf(db, all, [ANY_TOKEN])) {
    add(block, ids)
    cut.add(block)
  }
  done.sizes.set(clause, bytes / Math.max(1, blocks.length))
  return found
}

/** @returns whether it was all of the block, or else there is too much */
async function readBeginning(
  db: Db,
  block: number,
  beginning: string,
  done: Work,
  take: (token: string, ids: Uint8Array) => void,
): Promise<boolean> {
  if (done.left < 0) return false
  let rows = 0
  for await (const some of postingsFrom(db, block, beginning)) {
    if (rows > MOST_OF_A_BEGINNING || (rows > 0 && done.left < 0)) return false
    for (const [token, ids] of some) take(token, ids)
    rows += some.length
    done.left -= 1 + some.length
    await takeTurns()
  }
  return true
}
