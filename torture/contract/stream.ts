import type { TestContext } from 'node:test'
import { randomFrom } from '../lab/random.ts'
import type { Request } from '../lab/requests/description.ts'
import { createRequests } from '../lab/requests/requests.ts'
import { BROKEN } from '../lab/requests/values.ts'
import type { Answer } from '../lab/wire.ts'
import { type Step, startEngines } from './engines.ts'

interface Options {
  seed: number
  requests: number
}

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2026, 11, 1)
/** Some streams start late enough to pass the sunset of the deprecated operation in December 2030. */
const DAYS = 1_465

/** The first requests of each interval use the key with a small limit: enough of them to cause a ban. */
const BURST_REQUESTS = 25
const BURST_INTERVAL_REQUESTS = 400
const ADVANCES_MS = [1, 250, 999, 1_000, 30_000, 59_999, 60_000, 600_000, 3_599_999, 86_399_999, DAY_MS]
const INVALID_SHARE = 0.45

/**
 * Sends random requests to the service on SQLite and on PostgreSQL, then compares all rows.
 * @returns the number of answers of each kind
 * @throws at the first difference, with the command that repeats it
 */
export async function compareStreams(t: TestContext, { seed, requests }: Options) {
  const engines = await startEngines(t, FIRST_DAY + ((seed * 97) % DAYS) * DAY_MS)
  const { keys } = engines
  const random = randomFrom(seed)
  const stream = createRequests({
    validPhotos: false,
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
    invalidShare: INVALID_SHARE,
    otherPaths: true,
  })
  /** Skips requests with broken framing: whether the service answers before it sees their end is random. */
  const next = (burst: boolean): Request => {
    const request = stream.next(burst ? keys.small : undefined)
    return request.draft.broken ? next(burst) : request
  }
  const kinds: Record<string, number> = {}
  let number = 1
  try {
    for (; number <= requests; number += 1) {
      const burst = number % BURST_INTERVAL_REQUESTS < BURST_REQUESTS
      const isBroken = random.chance(0.01)
      const request = isBroken ? undefined : next(burst)
      const broken = { bytes: Buffer.from(random.pick(BROKEN), 'latin1'), method: 'GET', broken: true }
      const advances = random.chance(burst ? 0 : 0.03)
      const advance = random.chance(0.7) ? random.pick(ADVANCES_MS) : random.integer(0, DAY_MS)
      const time: Partial<Step> = { ...(advances && { advanceMs: advance }), sweep: random.chance(0.004) }
      const answer = await engines.compare({ ...(request ?? broken), ...time })
      const kind = kindOf(answer)
      kinds[kind] = (kinds[kind] ?? 0) + 1
      if (request) stream.learn(request, answer)
    }
    await engines.compareRows()
  } catch (error) {
    const again = `npm run torture -- differential --seed ${seed} --rounds ${number}`
    throw new Error(`request ${number} of seed ${seed}: ${(error as Error).message}\n\nto repeat: ${again}`)
  }
  return kinds
}

/** The status, followed by the error code if there is one. */
function kindOf({ status, headers, text }: Answer): string {
  const code = /"code":"(\w+)"/.exec(status < 400 ? '' : text)?.[1]
  const kind = code ? `${status} ${code}` : String(status)
  return headers['idempotent-replayed'] ? `${kind} replayed` : kind
}
