import type { TestContext } from 'node:test'
import { type Proxy as Line, startProxy } from '../../../src/testing/proxy.ts'
import { type Options, startApp, type TestApp, UNLIMITED } from '../../../src/testing/start-app.ts'
import { AdoptableClient, type ClientSettings } from '../client.ts'

export interface TestClient {
  app: TestApp
  /** The connection between client and service. */
  proxy: Line
  client: AdoptableClient
  /** Settings of another client for the same service and clock. */
  settings: ClientSettings
  /** Milliseconds of each wait so far. */
  waits: number[]
}

interface ClientOptions extends Omit<Options, 'key'> {
  key?: Options['key'] | undefined
  client?: Partial<ClientSettings>
}

/** The service and a client that share a clock. A wait advances the clock immediately. */
export async function startClient(
  t: TestContext,
  { client, key = UNLIMITED, ...options }: ClientOptions = {},
): Promise<TestClient> {
  const app = await startApp(t, { ...options, key })
  // Cut first: the service's stop would wait for the client's idle connections.
  const proxy = await startProxy(t, { host: '127.0.0.1', port: app.port })
  const waits: number[] = []
  const settings = {
    baseUrl: `http://127.0.0.1:${proxy.port}/v1`,
    key: app.key,
    clock: () => app.clock.now,
    async sleep(milliseconds: number, signal?: AbortSignal) {
      const end = app.clock.now + milliseconds
      waits.push(milliseconds)
      // Lets requests in progress continue.
      await new Promise((resolve) => setImmediate(resolve))
      signal?.throwIfAborted()
      app.clock.now = Math.max(app.clock.now, end)
    },
    random: () => 0.5,
    ...client,
  }
  return { app, proxy, client: new AdoptableClient(settings), settings, waits }
}

/** Creates a key with this many requests per minute. */
export function limited(perMinute: number): Options['key'] {
  return { plan: 'enterprise', limits: { perMinute, perDay: 1e9 } }
}

/** Number of requests that the service answered with this status. */
export function answered({ log }: TestApp, status: number): number {
  return log.filter((line) => JSON.parse(line).status === status).length
}
