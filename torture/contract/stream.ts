import type { TestContext } from 'node:test'
import { randomFrom } from '../lab/random.ts'
import type { Request } from '../lab/requests/draft.ts'
import { BROKEN } from '../lab/requests/oddities.ts'
import { requestsOf } from '../lab/requests/requests.ts'
import type { Answer } from '../lab/wire.ts'
import { type Step, startEngines } from './engines.ts'

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

/** Now and then the key of few requests sends many: enough for a ban. */
const BURST = 25
const BURST_EVERY = 400
const ADVANCES_MS = [1, 250, 999, 1_000, 30_000, 59_999, 60_000, 600_000, 3_599_999, 86_399_999, DAY_MS]
const WRONG = 0.45

/**
 * Sends a stream of random requests to the service on SQLite and on PostgreSQL, and then compares all rows.
 *
 * @returns how many answers there were of each kind
 * @throws at the first difference, saying how to see it again
 */
export async function compareStreams(t: TestContext, { seed, requests, progress }: Options) {
  const engines = await startEngines(t, FIRST_DAY + ((seed * 97) % DAYS) * DAY_MS)
  const { keys } = engines
  const random = randomFrom(seed)
  const stream = requestsOf({
    pictures: false,
    random,
    callers: [
      [70, keys.admin],
      [50, keys.writer],
      [25, keys.other],
      [7, keys.reader],
      [4, keys.small],
      [2, keys.ending],
      ...[keys.revoked, keys.unknown, keys.staging].map((key): [number, string] => [1, key]),
      [2, undefined],
    ],
    name: 'r',
    wrong: WRONG,
    anywhere: true,
  })
  /** Where a request may go on, it is chance whether the service has answered when it hears of the end. */
  const next = (burst: boolean): Request => {
    const request = stream.next(burst ? keys.small : undefined)
    return request.draft.broken ? next(burst) : request
  }
  const kinds: Record<string, number> = {}
  let number = 1
  try {
    for (; number <= requests; number += 1) {
      progress?.(number)
      const burst = number % BURST_EVERY < BURST
      const isBroken = random.often(0.01)
      const request = isBroken ? undefined : next(burst)
      const broken = { bytes: Buffer.from(random.pick(BROKEN), 'latin1'), method: 'GET', broken: true }
      const advances = random.often(burst ? 0 : 0.03)
      const advance = random.often(0.7) ? random.pick(ADVANCES_MS) : random.whole(0, DAY_MS)
      const time: Partial<Step> = { ...(advances && { advanceMs: advance }), sweep: random.often(0.004) }
      const heard = await engines.compare({ ...(request ?? broken), ...time })
      const kind = kindOf(heard)
      kinds[kind] = (kinds[kind] ?? 0) + 1
      if (request) stream.learn(request, heard)
    }
    await engines.compareRows()
  } catch (error) {
    const again = `node torture/contract/differential.ts --seed ${seed} --requests ${number}`
    throw new Error(`request ${number} of seed ${seed}: ${(error as Error).message}\n\nagain: ${again}`)
  }
  return kinds
}

/** The status, and the code where it is an error. */
function kindOf({ status, headers, text }: Answer): string {
  const code = /"code":"(\w+)"/.exec(status < 400 ? '' : text)?.[1]
  const kind = code ? `${status} ${code}` : String(status)
  return headers['idempotent-replayed'] ? `${kind} replayed` : kind
}
