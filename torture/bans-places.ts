import type { TestContext } from 'node:test'
import { freePort } from '../src/testing/port.ts'
import { connections, figuresOf, type Server, serveOne } from './exact-services.ts'

/** Those that a key may meet before it is banned. */
export const REFUSALS = 7
const BAN_SECONDS = 3

export type Outcome =
  | 'served'
  | 'rate_limit_exceeded'
  | 'api_key_banned'
  | 'invalid_api_key'
  | 'service_unavailable'

export interface Seen {
  outcome: Outcome
  status: number
  tookMs: number
  limit: number
  /** Of a refusal, in seconds. */
  retryAfter: number
  reset: number
  /** In milliseconds. */
  sentAt: number
  heardAt: number
}

/** A service that may be started again where it was. */
export interface Place {
  server: Server
  readonly settings: Record<string, string>
}

export function startPlaces(t: TestContext, count: number, opened: Record<string, string>): Promise<Place[]> {
  const starting = Array.from({ length: count }, async () => {
    const settings = {
      BAN_AFTER_REFUSALS: String(REFUSALS),
      BAN_SECONDS: String(BAN_SECONDS),
      ANONYMOUS_PER_MINUTE: '1000000',
      ANONYMOUS_PER_DAY: '1000000',
      PORT: String(await freePort()),
      ...opened,
    }
    return { server: await serveOne(t, settings), settings }
  })
  return Promise.all(starting)
}

export function asker(t: TestContext, places: Place[]) {
  const { get } = connections(t, 64 / places.length)
  return async ({ server }: Place, key: string): Promise<Seen> => {
    const sentAt = Date.now()
    const answer = await get(server.address, '/v1/pets?limit=1', key)
    const { limit, reset, retryAfter } = figuresOf(answer)
    const outcome = answer.status === 200 ? 'served' : answer.body.code
    const { status, tookMs } = answer
    return { outcome, status, tookMs, limit, retryAfter, reset, sentAt, heardAt: Date.now() }
  }
}

export async function inTurn<Result>(times: number, work: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let turn = 0; turn < times; turn += 1) results.push(await work())
  return results
}
