import type { Db } from '../db/tables.ts'
import { addEncoded, type Bits, BLOCK_IDS, countBits, noBits } from './bits.ts'
import { postingsFrom, postingsOf } from './postings.ts'
import { ANY_TOKEN, type Clause } from './question.ts'
import { takeTurns } from './turns.ts'
import { ROWS_TO_LOOK_AT, type Work } from './work.ts'

// Which animals of some blocks one clause finds.

/** More tokens of one clause are read all at once, and picked from. */
const MOST_LOOKED_UP = 1_000
/** Of those that are looked up, so many rows are one statement: on a cold disk each is a page to read. */
export const ROWS_AT_ONCE = 64
/** So many rows of one beginning are read of a block: behind as many, to look at its animals is less work. */
const MOST_OF_A_BEGINNING = BLOCK_IDS

export const indexTokensOf = ({ tokens, inIndex }: Clause): string[] => inIndex ?? tokens

/**
 * @param among blocks, or what other clauses found in them
 * @param cut takes blocks of which the animals themselves are to be looked at: of those all are found
 */
export async function bitsOf(
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
    among instanceof Map && countBits(among.get(block) as Bits) * ROWS_TO_LOOK_AT < rows
  const { prefixes = [] } = clause
  const tokens = indexTokensOf(clause)
  const isLong = tokens.length > MOST_LOOKED_UP
  const all = isLong ? [] : blocks.filter((block) => isLess(block, tokens.length))
  const read = blocks.filter((block) => !all.includes(block))
  if (!isLong) await readTokens(db, tokens, read, done, add)
  const wanted = isLong ? new Set(tokens) : undefined
  const filters = new Set(isLong ? tokens.map((token) => token.slice(0, token.indexOf(':') + 1)) : [])
  const before = done.left
  let blocksRead = 0
  for (const block of read) {
    // The blocks before say how many rows this one may have.
    if (blocksRead > 0 && isLess(block, (before - done.left) / blocksRead)) {
      all.push(block)
      continue
    }
    blocksRead += 1
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
  for (const block of all) cut.add(block)
  await readTokens(db, [ANY_TOKEN], all, done, add)
  done.sizes.set(clause, bytes / Math.max(1, blocks.length))
  return found
}

async function readTokens(
  db: Db,
  tokens: string[],
  blocks: number[],
  done: Work,
  add: (block: number, ids: Uint8Array) => void,
): Promise<void> {
  const atOnce = Math.max(1, Math.floor(ROWS_AT_ONCE / Math.max(1, tokens.length)))
  for (let from = 0; from < blocks.length && tokens.length > 0; from += atOnce) {
    const some = blocks.slice(from, from + atOnce)
    const known = await postingsOf(db, some, tokens)
    for (const [block, , ids] of known) add(block, ids)
    done.left -= some.length + known.length
    await takeTurns()
  }
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
