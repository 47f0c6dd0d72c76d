import { setImmediate } from 'node:timers/promises'
import type { Db } from '../db/tables.ts'
import { addEncoded, type Bits, clearBit, firstIdOf, intersect, noBits, setBit, subtract } from './bits.ts'
import { type Posting, postingsFrom, postingsOf } from './postings.ts'
import { ANY_TOKEN, type Clause, matches, type Question } from './question.ts'
import type { Recent } from './recent.ts'

/** More tokens of one clause are read all at once, and picked from. */
const MOST_LOOKED_UP = 64
/** For so long nobody else's request waits. */
const TURN_MS = 4

/** What a question may still read, and whether others have waited long enough. */
export interface Work {
  /** Rows of the index. */
  left: number
  turnSince: number
}

export const work = (rows: number): Work => ({ left: rows, turnSince: performance.now() })

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
  const found = await read(db, [...wanted, ...without], blocks, done)
  const result = new Map<number, Bits>()
  for (const block of blocks) {
    const sets = found.get(block)
    const bits = all(wanted, sets) ?? noBits()
    const unwanted = without.length > 0 ? all(without, sets) : undefined
    if (unwanted) subtract(bits, unwanted)
    for (const [id, { tokens }] of recent.inBlock(block)) {
      const offset = id - firstIdOf(block)
      clearBit(bits, offset)
      if (tokens && matches(tokens, question)) setBit(bits, offset)
    }
    result.set(block, bits)
  }
  return result
}

/** What all clauses share; undefined for nothing. */
function all(clauses: Clause[], sets: Map<Clause, Bits> | undefined): Bits | undefined {
  let shared: Bits | undefined
  for (const clause of clauses) {
    const bits = sets?.get(clause)
    if (!bits) return undefined
    if (shared) intersect(shared, bits)
    else shared = Uint32Array.from(bits)
  }
  return shared
}

type Sets = Map<number, Map<Clause, Bits>>

async function read(db: Db, clauses: Clause[], blocks: number[], done: Work): Promise<Sets> {
  const sets: Sets = new Map()
  const byToken = new Map<string, Clause[]>()
  const addTo = (clause: Clause, [block, , ids]: Posting): void => {
    const ofBlock = sets.get(block) ?? new Map<Clause, Bits>()
    const bits = ofBlock.get(clause) ?? noBits()
    addEncoded(bits, ids)
    sets.set(block, ofBlock.set(clause, bits))
  }
  const count = (postings: Posting[]): Posting[] => {
    done.left -= postings.length
    return postings
  }
  for (const clause of clauses) {
    const { tokens, prefixes = [] } = clause
    if (tokens.length <= MOST_LOOKED_UP) {
      for (const token of tokens) byToken.set(token, [...(byToken.get(token) ?? []), clause])
    } else {
      const wanted = new Set(tokens)
      const filters = new Set(tokens.map((token) => token.slice(0, token.indexOf(':') + 1)))
      for (const filter of filters)
        for (const posting of count(await postingsFrom(db, blocks, filter)))
          if (wanted.has(posting[1])) addTo(clause, posting)
    }
    for (const prefix of prefixes)
      for (const posting of count(await postingsFrom(db, blocks, prefix))) addTo(clause, posting)
  }
  done.left -= blocks.length
  for (const posting of count(await postingsOf(db, blocks, [...byToken.keys()])))
    for (const clause of byToken.get(posting[1]) ?? []) addTo(clause, posting)
  await takeTurns(done)
  return sets
}
