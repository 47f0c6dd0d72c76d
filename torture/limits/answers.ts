import http from 'node:http'
import type { TestContext } from 'node:test'
import { cleanup } from '../../src/testing/cleanup.ts'
import { type Answer, send } from '../../src/testing/client.ts'
import { type Service, type Settings, startService } from '../lab/service.ts'

/** Services on the same stores, started one after the other: a start is work enough for a machine. */
export async function startServices(t: TestContext, count: number, settings: Settings): Promise<Service[]> {
  const services: Service[] = []
  while (services.length < count) {
    const usual = { LOG_LEVEL: 'warn', DATABASE_CONNECTIONS: '3' }
    services.push(await startService(t, { settings: { ...usual, ...settings }, key: false }))
    // Until it has answered once.
    await fetch(`${services.at(-1)?.address}/v1/pets`)
  }
  return services
}

/** X-RateLimit-Limit, -Remaining and -Reset, and Retry-After; NaN for what is no whole number. */
export interface Figures {
  limit: number
  remaining: number
  reset: number
  retryAfter: number
}

export function figuresOf({ headers }: Pick<Answer, 'headers'>): Figures {
  const whole = (name: string): number => {
    const text = String(headers[name])
    return /^\d+$/.test(text) ? Number(text) : Number.NaN
  }
  return {
    limit: whole('x-ratelimit-limit'),
    remaining: whole('x-ratelimit-remaining'),
    reset: whole('x-ratelimit-reset'),
    retryAfter: whole('retry-after'),
  }
}

/** What became of a request; times are Unix times in milliseconds. */
export interface Seen extends Figures {
  status: number
  /** Of an error. */
  code: string | undefined
  sentAt: number
  heardAt: number
  /** How long it took once it had a connection. */
  tookMs: number
}

export type Look = (address: string, key: string | undefined, path?: string) => Promise<Seen>

const PATIENCE_MS = 30_000

/** Asks for a list of animals over so many kept connections to each service, and sees what the limits say. */
export function looker(t: TestContext, perService: number): Look {
  const agent = new http.Agent({ keepAlive: true, maxSockets: perService })
  cleanup(t).defer(() => agent.destroy())
  // What waits for a connection is not yet sent, and its time is not the service's.
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
      const answer = await send(agent, address + path, { headers, signal: AbortSignal.timeout(PATIENCE_MS) })
      const { status, text } = answer
      const code = status === 200 ? undefined : (JSON.parse(text || '{}').code as string)
      const tookMs = performance.now() - since
      return { ...figuresOf(answer), status, code, sentAt, heardAt: Date.now(), tookMs }
    } finally {
      const next = queue.shift()
      if (next) next()
      else free.set(address, (free.get(address) ?? 0) + 1)
    }
  }
}
