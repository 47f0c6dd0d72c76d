import type { TestContext } from 'node:test'
import { type Proxy as Line, startProxy } from '../../../src/testing/proxy.ts'
import { type Options, startApp, type TestApp, UNLIMITED } from '../../../src/testing/start-app.ts'
import { AdoptableClient, type ClientSettings } from '../client.ts'

export interface TestClient {
  app: TestApp
  /** The line between the two. */
  proxy: Line
  client: AdoptableClient
  /** Of another client of the same service and clock. */
  settings: ClientSettings
  /** Milliseconds of each wait so far. */
  waits: number[]
}

interface Given extends Omit<Options, 'key'> {
  key?: Options['key'] | undefined
  client?: Partial<ClientSettings>
}

/** The service and a client on one clock, which a wait moves on at once. */
export async function startClient(
  t: TestContext,
  { client, key = UNLIMITED, ...options }: Given = {},
): Promise<TestClient> {
  const app = await startApp(t, { ...options, key })
  // Cut before the service stops, which would wait for the client's idle connections.
  const proxy = await startProxy(t, { host: '127.0.0.1', port: app.port })
  const waits: number[] = []
  const settings = {
    baseUrl: `http://127.0.0.1:${proxy.port}/v1`,
    key: app.key,
    clock: () => app.clock.now,
    async sleep(milliseconds: number, signal?: AbortSignal) {
      const end = app.clock.now + milliseconds
      waits.push(milliseconds)
      // What is under way gets on with it meanwhile.
      await new Promise((resolve) => setImmediate(resolve))
      signal?.throwIfAborted()
      app.clock.now = Math.max(app.clock.now, end)
    },
    random: () => 0.5,
    ...client,
  }
  return { app, proxy, client: new AdoptableClient(settings), settings, waits }
}

/** A key with so many requests a minute. */
export function limited(perMinute: number): Options['key'] {
  return { plan: 'enterprise', limits: { perMinute, perDay: 1e9 } }
}

/** How many requests the service answered with that status. */
export function answered({ log }: TestApp, status: number): number {
  return log.filter((line) => JSON.parse(line).status === status).length
}
