import type { Ruling } from '../limits/limiter.ts'

/** By so much two processes may tell the end of one ban differently. */
const CLOCK_SECONDS = 1

/** More keys are not banned at once; of one that was forgotten, a ban that lasts is counted once more. */
const MOST_KEYS = 10_000

/** Tells a ban that has begun from one that lasts, by its end; of each key it remembers the latest. */
export function banMemory(mostKeys = MOST_KEYS): (name: string, ruling: Ruling) => boolean {
  const ends = new Map<string, number>()
  return (name, { outcome, resetAtSeconds }) => {
    if (outcome !== 'banned') return false
    const known = ends.get(name) ?? 0
    // Put behind the others, so that the one who was refused longest ago is the first.
    ends.delete(name)
    ends.set(name, resetAtSeconds)
    const [oldest] = ends.keys()
    if (ends.size > mostKeys && oldest !== undefined) ends.delete(oldest)
    return resetAtSeconds - known > CLOCK_SECONDS
  }
}
