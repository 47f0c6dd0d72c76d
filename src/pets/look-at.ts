import type { Db } from '../db/tables.ts'
import { matches, type Question } from '../search/question.ts'
import type { Recent } from '../search/recent.ts'
import { takeTurns } from '../search/turns.ts'
import { ROWS_TO_LOOK_AT, type Work } from '../search/work.ts'
import { readSearched } from './changed.ts'
import { type SearchedRow, tokensOf } from './tokens.ts'

// Where the index has too much to read, animals themselves are looked at: what one costs does not depend on
// what others have.

/** So many are read at once. */
export const LOOKED_AT_ONCE = 32
/** To make a token of it costs this part of a row besides: some have thousands. */
const ROWS_OF_A_TOKEN = 1 / 4

interface Looking {
  db: Db
  recent: Recent
  work: Work
}

/** Of some animals in a block of which the index was not sure those that fit. */
export async function lookAt(
  { db, recent, work }: Looking,
  question: Question,
  ids: number[],
): Promise<number[]> {
  const unknown = ids.filter((id) => !recent.animals.has(id))
  const fitting = new Set<number>()
  for (let from = 0; from < unknown.length; from += LOOKED_AT_ONCE) {
    const some = unknown.slice(from, from + LOOKED_AT_ONCE)
    work.left -= some.length * ROWS_TO_LOOK_AT
    for (const [id, , ...row] of await readSearched(db, some)) {
      const tokens = new Set(tokensOf(row as SearchedRow))
      work.left -= tokens.size * ROWS_OF_A_TOKEN
      if (matches(tokens, question)) fitting.add(id)
      await takeTurns()
    }
  }
  // What has changed since was compared already.
  return ids.filter((id) => fitting.has(id) || recent.animals.has(id))
}
