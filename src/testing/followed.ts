import assert from 'node:assert/strict'
import http from 'node:http'
import type { TestContext } from 'node:test'
import { listSources } from '../follow/store.ts'
import { cleanup } from './cleanup.ts'
import { runCli } from './process.ts'
import { until } from './redis.ts'
import { makeKey, startApp, type TestApp, UNLIMITED } from './start-app.ts'

// An installation that follows another one.

export const ACTING = {
  key: { ...UNLIMITED, access: 'admin' },
  settings: { WEBHOOK_ALLOW_NETWORKS: 'loopback' },
  followMs: 20,
} as const

/** Starts two installations. A gateway in front of the source can be down, or answer something else. */
export async function startPair<Directory extends TestApp = TestApp>(
  t: TestContext,
  startDirectory: (t: TestContext, options: typeof ACTING) => Promise<Directory> = startApp as never,
) {
  const source = await startApp(t, ACTING)
  await source.post('/v1/organizations', { name: 'Riverside', code: 'R1' })
  await source.post('/v1/organizations', { name: 'Hilltop', code: 'H2' })
  const gateway = await startGateway(t, source.port)
  const directory = await startDirectory(t, ACTING)
  const key = await makeKey(source.databaseUrl, { ...UNLIMITED, access: 'read' })
  return { source, directory, gateway, key, follow: followOf(t, directory) }
}

export const followOf =
  (t: TestContext, { databaseUrl }: TestApp) =>
  async (...args: string[]) => {
    const settings = { DATABASE_URL: databaseUrl, WEBHOOK_ALLOW_NETWORKS: 'loopback' }
    const { code, stdout, stderr } = await runCli(t, ['follow', ...args], settings)
    assert.equal(code, 0, stderr)
    return stdout
  }

interface Gateway {
  url: string
  /** Answers instead of the source. */
  answer: ((response: http.ServerResponse, path: string) => void) | undefined
}

export async function startGateway(t: TestContext, port: number): Promise<Gateway> {
  const gateway: Gateway = { answer: undefined, url: '' }
  const server = http.createServer(({ url: path = '', headers }, response) => {
    if (gateway.answer) return gateway.answer(response, path)
    const request = http.get({ port, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    // The source may have stopped before the installation that follows it.
    request.on('error', () => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  cleanup(t).defer(() => void server.close().closeAllConnections())
  gateway.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  return gateway
}

export const REX = { name: 'Rex', categoryId: 1, status: 'available', organizationId: 1 }
export const petsOf = async ({ get }: TestApp) => (await get('/v1/pets?sort=id&limit=100')).body
export const namesOf = async (app: TestApp): Promise<string[]> =>
  (await petsOf(app)).map(({ name }: { name: string }) => name)
export const hasNames = (app: TestApp, ...names: string[]) =>
  until(async () => (await namesOf(app)).join() === names.join())
export const stateOf = async (app: TestApp) => {
  const { db, clock } = app.service.context
  return (await listSources(db, clock()))[0]
}
export const isFollowing = (app: TestApp) => until(async () => (await stateOf(app))?.state === 'following')
