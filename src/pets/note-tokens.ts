import { blockOf, firstIdOf } from '../search/bits.ts'
import { type Changes, changeOf, changesIn } from '../search/change-postings.ts'
import type { Held } from './held-areas.ts'
import { organizationIn, type SearchedRow, tokensOf } from './tokens.ts'

/** An animal as the index knows it, and as it is now. */
export interface Change {
  before: SearchedRow | undefined
  after: SearchedRow | undefined
}

/**
 * Notes what becomes of each token of an animal. @returns of how many there is something to hold
 *
 * @param held what the index holds of the organizations that it had and has
 */
export function noteTokens(
  changes: Changes,
  id: number,
  { before, after }: Change,
  held: ReadonlyMap<number, Held>,
): number {
  const [block, offset] = [changesIn(changes, blockOf(id)), id - firstIdOf(blockOf(id))]
  const [had, has] = [before ? tokensOf(before) : [], after ? tokensOf(after) : []]
  const [was, is] = [held.get(organizationIn(had) ?? 0), held.get(organizationIn(has) ?? 0)]
  const areas = is?.areas ?? []
  const gone = new Set(had)
  if (was?.nextBlock === null) for (const area of was.areas) gone.add(area)
  let come = 0
  for (const some of [has, areas]) {
    for (const one of some) {
      if (gone.delete(one)) continue
      come += 1
      changeOf(block, one).add.push(offset)
    }
  }
  // While an organization moves, the index has its animals under any of these, or not.
  if (was && was.nextBlock !== null)
    for (const area of [...was.areas, ...was.former]) if (!areas.includes(area)) gone.add(area)
  for (const one of gone) {
    const change = changeOf(block, one)
    change.remove ??= []
    change.remove.push(offset)
  }
  return come + gone.size
}
