import type { TestContext } from 'node:test'
import { type Heard, startEngines } from './engines.ts'
import { randomRequests } from './random-requests.ts'

interface Options {
  seed: number
  requests: number
  /** Called before each request, with its number. */
  progress?: (number: number) => void
}

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2026, 11, 1)
/** To the end of the deprecated operation in December 2030, which a stream that begins late passes. */
const DAYS = 1_465

/**
 * Sends a stream of random requests to the service on SQLite and on PostgreSQL, and then compares all rows.
 *
 * @returns how many answers there were of each kind
 * @throws at the first difference, saying how to see it again
 */
export async function compareStreams(t: TestContext, { seed, requests, progress }: Options) {
  const engines = await startEngines(t, FIRST_DAY + ((seed * 97) % DAYS) * DAY_MS)
  const stream = randomRequests(seed, engines.keys)
  const kinds: Record<string, number> = {}
  let number = 1
  try {
    for (; number <= requests; number += 1) {
      progress?.(number)
      const heard = await engines.compare(stream.next())
      const kind = kindOf(heard)
      kinds[kind] = (kinds[kind] ?? 0) + 1
      stream.learn(heard)
    }
    await engines.compareRows()
  } catch (error) {
    const again = `node torture/differential.ts --seed ${seed} --requests ${number}`
    throw new Error(`request ${number} of seed ${seed}: ${(error as Error).message}\n\nagain: ${again}`)
  }
  return kinds
}

/** The status, and the code where it is an error. */
function kindOf({ status, headers, text }: Heard): string {
  const code = /"code":"(\w+)"/.exec(status < 400 ? '' : text)?.[1]
  const kind = code ? `${status} ${code}` : String(status)
  return headers['idempotent-replayed'] ? `${kind} replayed` : kind
}
