import http from 'node:http'
import type { TestContext } from 'node:test'
import { cleanup } from '../../src/testing/cleanup.ts'
import { type Answer, send } from '../../src/testing/client.ts'
import { type Service, type Settings, startService } from '../lab/service.ts'

/** Starts services on the same stores one after the other, because each start keeps the machine busy. */
export async function startServices(t: TestContext, count: number, settings: Settings): Promise<Service[]> {
  const services: Service[] = []
  while (services.length < count) {
    const defaults = { LOG_LEVEL: 'warn', DATABASE_CONNECTIONS: '3' }
    services.push(await startService(t, { settings: { ...defaults, ...settings }, key: false }))
    // Waits for the first answer.
    await fetch(`${services.at(-1)?.address}/v1/pets`)
  }
  return services
}

/** X-RateLimit-Limit, -Remaining and -Reset, and Retry-After; NaN for anything but an integer. */
export interface Figures {
  limit: number
  remaining: number
  reset: number
  retryAfter: number
}

export function figuresOf({ headers }: Pick<Answer, 'headers'>): Figures {
  const integer = (name: string): number => {
    const text = String(headers[name])
    return /^\d+$/.test(text) ? Number(text) : Number.NaN
  }
  return {
    limit: integer('x-ratelimit-limit'),
    remaining: integer('x-ratelimit-remaining'),
    reset: integer('x-ratelimit-reset'),
    retryAfter: integer('retry-after'),
  }
}

/** The result of a request; times are Unix times in milliseconds. */
export interface ObservedAnswer extends Figures {
  status: number
  /** Code of an error. */
  code: string | undefined
  sentAt: number
  receivedAt: number
  /** Time from getting a connection to the answer. */
  tookMs: number
}

export type Observer = (address: string, key: string | undefined, path?: string) => Promise<ObservedAnswer>

const REQUEST_TIMEOUT_MS = 30_000

/** Creates a function that lists animals over `perService` connections and reads the rate limit headers. */
export function createObserver(t: TestContext, perService: number): Observer {
  const agent = new http.Agent({ keepAlive: true, maxSockets: perService })
  cleanup(t).defer(() => agent.destroy())
  // Requests that wait for a connection have not been sent, so their waiting time does not count.
  const free = new Map<string, number>()
  const waiting = new Map<string, (() => void)[]>()
  return async (address, key, path = '/v1/pets?limit=1') => {
    const queue = waiting.get(address) ?? []
    waiting.set(address, queue)
    const left = free.get(address) ?? perService
    if (left > 0) free.set(address, left - 1)
    else await new Promise<void>((resolve) => queue.push(resolve))
    const [sentAt, since] = [Date.now(), performance.now()]
    try {
      const headers = { authorization: key && `Bearer ${key}` }
      const answer = await send(agent, address + path, {
        headers,
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      })
      const { status, text } = answer
      const code = status === 200 ? undefined : (JSON.parse(text || '{}').code as string)
      const tookMs = performance.now() - since
      return { ...figuresOf(answer), status, code, sentAt, receivedAt: Date.now(), tookMs }
    } finally {
      const next = queue.shift()
      if (next) next()
      else free.set(address, (free.get(address) ?? 0) + 1)
    }
  }
}
