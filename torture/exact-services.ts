import http from 'node:http'
import type { TestContext } from 'node:test'
import { openForCommand } from '../src/db/database.ts'
import { generateKey, hashKey } from '../src/keys/key-format.ts'
import * as keys from '../src/keys/store.ts'
import { type Answer, type Sent, send } from '../src/testing/client.ts'
import { freePort } from '../src/testing/port.ts'
import { type RunningProcess, spawnCli } from '../src/testing/process.ts'

/** A service in a process of its own, on a port that stays its own when it starts again. */
export interface Server extends RunningProcess {
  address: string
}

/** Starts it, until it has answered once. */
export async function serveOne(t: TestContext, settings: Record<string, string>): Promise<Server> {
  const own = { PORT: String(await freePort()), LOG_LEVEL: 'warn', DATABASE_CONNECTIONS: '3', ...settings }
  const running = spawnCli(t, ['serve'], own)
  const address = await running.serving
  await fetch(`${address}/v1/pets`)
  return { ...running, address }
}

/** So many services on the same stores, started one after the other: a start is work enough for a machine. */
export async function serveMany(
  t: TestContext,
  count: number,
  settings: Record<string, string>,
): Promise<Server[]> {
  const servers: Server[] = []
  while (servers.length < count) servers.push(await serveOne(t, settings))
  return servers
}

/** Keys straight in the store, in the order asked for. */
export async function makeKeys(databaseUrl: string, wanted: Partial<keys.NewKey>[]): Promise<string[]> {
  const store = await openForCommand(databaseUrl)
  const made: string[] = []
  for (const { name = 'test', plan = 'free', access = 'write', limits } of wanted) {
    const key = generateKey('production')
    await store.write(keys.insertKey, { name, plan, access, limits }, hashKey(key), 0)
    made.push(key)
  }
  await store.close()
  return made
}

/** How long it took once it had a connection, in milliseconds. */
export type Timed = Answer & { tookMs: number }

export interface Connections {
  get(address: string, path: string, key: string | undefined): Promise<Timed>
  send(url: string, sent: Sent): Promise<Answer>
}

/** So many kept connections to each service. */
export function connections(t: TestContext, perServer: number): Connections {
  const agent = new http.Agent({ keepAlive: true, maxSockets: perServer })
  t.after(() => agent.destroy())
  const sendWithin = (url: string, sent: Sent): Promise<Answer> =>
    send(agent, url, { signal: AbortSignal.timeout(30_000), ...sent })
  const gates = new Map<string, Gate>()
  return {
    get(address, path, key) {
      const gate = gates.get(address) ?? openGate(perServer)
      gates.set(address, gate)
      return gate(async () => {
        const sentAt = performance.now()
        const answer = await sendWithin(address + path, {
          headers: { authorization: key && `Bearer ${key}` },
        })
        return Object.assign(answer, { tookMs: performance.now() - sentAt })
      })
    },
    send: sendWithin,
  }
}

type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Lets so many through at once: what waits for a connection is not yet sent, and its time is not the service's. */
function openGate(most: number): Gate {
  const waiting: (() => void)[] = []
  let free = most
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}

/** X-RateLimit-Limit, -Remaining and -Reset, and Retry-After; NaN for what is no whole number. */
export interface Figures {
  limit: number
  remaining: number
  reset: number
  retryAfter: number
}

export function figuresOf({ headers }: Answer): Figures {
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
