import { takeTurns } from '../search/turns.ts'
import { compareBytes } from '../search/words.ts'
import type { Count } from './tally.ts'

type Counted = [value: string, count: Count]

const compare = ([one, a]: Counted, [other, b]: Counted): number =>
  b.count - a.count || compareBytes(one, other)

/** So many are gone through in one turn. */
const VALUES_AT_ONCE = 1_000

/** The values that most have, in order. They may be more than animals: to sort all would hold up others. */
export async function mostCounted(counts: ReadonlyMap<string, Count>, limit: number): Promise<Counted[]> {
  let most: Counted[] = []
  let better: Counted[] = []
  const sift = (): void => {
    most = [...most, ...better].sort(compare).slice(0, limit)
    better = []
  }
  let seen = 0
  for (const one of counts) {
    const last = most[limit - 1]
    if (one[0] !== '' && (!last || compare(one, last) < 0)) better.push(one)
    if (better.length === limit) sift()
    seen += 1
    if (seen % VALUES_AT_ONCE === 0) await takeTurns()
  }
  sift()
  return most
}
