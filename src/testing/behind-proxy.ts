import type { TestContext } from 'node:test'
import { scratchDatabase } from './postgres.ts'
import { startProxy } from './proxy.ts'
import { startApp, UNLIMITED } from './start-app.ts'

/** A database, and a line to it that can be cut. */
export async function makeProxied(t: TestContext) {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const behind = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  return { proxy, direct: direct.href, behind: behind.href }
}

/** The service behind such a line. */
export async function startBehindProxy(t: TestContext, settings: Record<string, string> = {}) {
  const { proxy, direct, behind } = await makeProxied(t)
  const app = await startApp(t, { databaseUrl: behind, key: UNLIMITED, settings })
  return { app, proxy, direct }
}
