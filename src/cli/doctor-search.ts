import { type Finding, good } from './finding.ts'
import { whole } from './terminal.ts'

/** Reads rows of the store as arrays. */
type Read = (question: string) => Promise<unknown[][]>

/** What searches do not know yet: animals of organizations that moved, or of a store that was copied. */
export async function searchFindings(read: Read): Promise<Finding[]> {
  const [[changed = 0] = []] = await read('select count(*) from search_change')
  const [[moving = 0] = []] = await read('select count(*) from search_move')
  const [[animals = 0] = []] = await read('select count(*) from pet_search')
  const left = [
    ...(Number(changed) > 0 ? [`${whole(Number(changed))} animals are still to be taken in`] : []),
    ...(Number(moving) > 0
      ? [`the animals of ${whole(Number(moving))} organizations that moved are on their way`]
      : []),
  ]
  return [good('search', left.join('; ') || `it knows ${whole(Number(animals))} animals`)]
}
