import type { TokenChange } from '../search/postings.ts'
import type { Held } from './held-areas.ts'
import { AT_ORGANIZATION, type SearchedRow, token, tokensOf } from './tokens.ts'

/** An animal as the index knows it, and as it is now. */
export interface Change {
  before: SearchedRow | undefined
  after: SearchedRow | undefined
}

/** Whose it was and is. */
export const organizationsIn = ({ before, after }: Change): number[] =>
  [before, after].flatMap((row) => (row && row[4] !== null ? [Number(row[4])] : []))

/**
 * Notes what becomes of each token in a block. @returns of how many tokens there is something to hold
 *
 * @param held what the index holds of the organizations of these animals
 */
export function noteTokens(
  block: Map<string, TokenChange>,
  offset: number,
  { before, after }: Change,
  held: ReadonlyMap<number, Held>,
): number {
  const [was, is] = [tokensIn(before, held), tokensIn(after, held)]
  const had = new Set(was.certain)
  let noted = 0
  const note = (one: string): void => {
    if (had.delete(one)) return
    noted += 1
    const change = block.get(one)
    if (change) change.add.push(offset)
    else block.set(one, { add: [offset] })
  }
  const under = is.held?.areas ?? []
  // Where the organization has not moved, the animal is under all its areas.
  const { areas = [], former = [], nextBlock = null } = was.held ?? {}
  if (nextBlock === null) for (const area of areas) had.add(area)
  for (const one of is.certain) note(one)
  for (const area of under) note(area)
  if (nextBlock !== null) for (const area of [...areas, ...former]) if (!under.includes(area)) had.add(area)
  for (const one of had) {
    const change = block.get(one) ?? { add: [] }
    block.set(one, change)
    change.remove ??= []
    change.remove.push(offset)
  }
  return noted + had.size
}

interface Tokens {
  certain: string[]
  /** Of its organization, where it has no place of its own. */
  held?: Held | undefined
}

function tokensIn(row: SearchedRow | undefined, held: ReadonlyMap<number, Held>): Tokens {
  if (!row) return { certain: [] }
  const certain = tokensOf(row)
  const isThere = row[4] !== null && certain.includes(token(AT_ORGANIZATION, row[4]))
  return { certain, held: isThere ? held.get(Number(row[4])) : undefined }
}
