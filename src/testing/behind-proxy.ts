import type { TestContext } from 'node:test'
import { scratchDatabase } from './postgres.ts'
import { startProxy } from './proxy.ts'
import { startApp, UNLIMITED } from './start-app.ts'

/** Creates a database and a proxy to it, which can cut the connection. */
export async function createProxiedDatabase(t: TestContext) {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const proxied = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  return { proxy, direct: direct.href, proxied: proxied.href }
}

/** Starts a service that reaches its database through a proxy. */
export async function startBehindProxy(t: TestContext, settings: Record<string, string> = {}) {
  const { proxy, direct, proxied } = await createProxiedDatabase(t)
  const app = await startApp(t, { databaseUrl: proxied, key: UNLIMITED, settings })
  return { app, proxy, direct }
}
