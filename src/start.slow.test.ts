import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, rmSync, truncateSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { openForCommand } from './db/open-database.ts'
import { fileOf } from './db/store-url.ts'
import { jobs } from './jobs.ts'
import { assertError, send } from './testing/client.ts'
import { freePort } from './testing/port.ts'
import { runCli, spawnCli } from './testing/process.ts'
import { until } from './testing/redis.ts'
import { scratchFolder, startApp } from './testing/start-app.ts'

const remainingOf = ({ headers }: { headers: http.IncomingHttpHeaders }) =>
  Number(headers['x-ratelimit-remaining'])

test('a restart keeps every animal and the exact counters', async (t) => {
  const { databaseUrl, key, get, post, stop } = await startApp(t, { key: { plan: 'pro' } })
  for (let count = 1; count <= 30; count += 1) await post('/v1/pets', { name: `Pet ${count}`, categoryId: 1 })
  const list = (await get('/v1/pets?limit=100')).text
  await stop()

  const after = await startApp(t, { databaseUrl })

  const answer = await after.get('/v1/pets?limit=100', { authorization: `Bearer ${key}` })
  assert.equal(answer.text, list)
  assert.equal(remainingOf(answer), 300 - 32)
})

test('a client that reads slowly gets complete responses, even during a shutdown', async (t) => {
  const app = await startApp(t)
  const socket = net.connect(app.port, '127.0.0.1')
  // More than the operating system buffers for a client that does not read.
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(32))
  await app.get('/livez')
  const stopped = app.stop()
  const since = performance.now()
  // Idle connections are closed during this time.
  while (performance.now() - since < 1_000) await new Promise(setImmediate)

  let text = ''
  for await (const chunk of socket.setEncoding('latin1')) text += chunk
  const [head = '', body] = text.slice(text.lastIndexOf('HTTP/1.1 200 OK')).split('\r\n\r\n')
  assert.equal(body?.length, Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1]))
  await stopped
})

for (const [path, status, answered] of [
  ['/v1/pets?limit=', 200, 3],
  ['/livez?', 200, 3],
  // An error is sent before the next request is read, and says that the connection closes.
  ['/v1/pets?limit=x', 400, 1],
] as const) {
  test(`three requests for ${path} in one packet during a shutdown: ${answered} are answered`, async (t) => {
    let routed = 0
    const count = (): void => {
      routed += 1
    }
    const app = await startApp(t)
    const socket = net.connect(app.port, '127.0.0.1')
    const request = (number: number): string =>
      `GET ${path}${number} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.key}\r\n\r\n`
    socket.write(request(4))
    await once(socket, 'data')
    const stopped = app.stop()
    // The shutdown first accepts the connections that wait to be accepted.
    await until(async () => !app.service.app.server.listening)
    subscribe('tracing:fastify.request.handler:start', count)
    t.after(() => unsubscribe('tracing:fastify.request.handler:start', count))
    socket.write([1, 2, 3].map(request).join(''))

    const text = Buffer.concat(await socket.toArray()).toString('latin1')

    assert.equal(text.split(`HTTP/1.1 ${status}`).length - 1, answered)
    assert.ok(routed <= answered, `${routed} requests reached a route`)
    await stopped
  })
}

test('a shutdown with a CONNECT request after unread responses closes the connection', async (t) => {
  const app = await startApp(t, { settings: { STOP_TIMEOUT_SECONDS: '1' } })
  const socket = net.connect(app.port, '127.0.0.1')
  socket.on('error', () => undefined)
  const page = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'
  socket.write(`${page.repeat(30)}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`)
  await app.get('/livez')

  await app.stop()

  assert.equal(app.service.app.connections.size, 0)
})

test('while another process locks the store, reads are answered immediately, and writes wait until the lock is released', async (t) => {
  const { databaseUrl, get, post } = await startApp(t, { ownProcesses: true })
  await post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const other = new DatabaseSync(fileOf(databaseUrl), { timeout: 5_000 })
  other.exec('begin immediate')

  const write = post('/v1/pets', { name: 'Tom', categoryId: 2 })
  for (let count = 0; count < 20; count += 1) assert.equal((await get('/v1/pets')).body.length, 1)
  other.exec('rollback')
  other.close()

  assert.equal((await write).status, 201)
  assert.equal((await get('/v1/pets')).body.length, 2)
})

test('a store locked for writing: writes get 503 with Retry-After, reads work, and the service recovers by itself', async (t) => {
  const { databaseUrl, get, log, post } = await startApp(t, { ownProcesses: true })
  await post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const other = new DatabaseSync(fileOf(databaseUrl), { timeout: 5_000 })
  other.exec('begin immediate')

  const refused = await post('/v1/pets', { name: 'Tom', categoryId: 2 })
  assert.deepEqual([refused.status, refused.body.code], [503, 'service_unavailable'])
  assert.equal(refused.headers['retry-after'], '1')
  assert.ok(refused.headers['x-ratelimit-remaining'])
  assert.equal((await get('/v1/pets')).status, 200)
  other.exec('rollback')
  other.close()

  assert.equal((await post('/v1/pets', { name: 'Tom', categoryId: 2 })).status, 201)
  assert.equal((await get('/v1/pets')).body.length, 2)
  assert.ok(log.some((line) => line.includes('database is locked')))
})

test('a service started while Redis is down logs this, is not ready, and answers 503 with Retry-After', async (t) => {
  const { get, raw, log } = await startApp(t, {
    settings: { REDIS_URL: `redis://127.0.0.1:${await freePort()}` },
  })
  assert.ok(log.some((line) => line.includes('the shared counters are lost')))
  assert.equal((await get('/readyz')).status, 503)
  assertError(await get('/v1/pets'), 503, 'service_unavailable', 'GET /v1/pets')

  assert.match(await raw('NO HTTP\r\n\r\n'), /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n/s)
  assert.match(log.at(-2) ?? '', /"level":50.*ECONNREFUSED/)
})

test('/livez, /readyz, /, /openapi.json and the API catalog need no key and have no rate limit', async (t) => {
  const { get } = await startApp(t)
  const anonymous = { authorization: undefined }
  for (const path of ['/livez', '/readyz', '/openapi.json', '/.well-known/api-catalog']) {
    const answer = await get(path, anonymous)
    assert.equal(answer.status, 200, path)
    assert.equal(answer.headers['x-ratelimit-limit'], undefined)
    assert.ok(answer.headers['x-request-id'])
  }
  const root = await get('/', anonymous)
  assert.deepEqual([root.status, root.headers['content-type']], [200, 'text/html; charset=utf-8'])
  const [catalog] = (await get('/.well-known/api-catalog', anonymous)).body.linkset
  assert.equal(catalog.anchor, 'http://pets.example/v1')
  assert.equal(catalog['service-desc'][0].href, 'http://pets.example/openapi.json')
})

test('the API reference at /docs loads everything from this server, and its policy allows no other server', async (t) => {
  const { get } = await startApp(t)
  const page = await get('/docs/', { authorization: undefined })
  const script = await get('/docs/reference.js', { authorization: undefined })

  assert.match(page.text, /\/openapi\.json/)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'.*connect-src 'self'/)
  assert.doesNotMatch(page.text, /(src|href)="(https?:)?\/\//)
  assert.equal(script.status, 200)
  assert.match(script.text, /fetch\(/)
})

test('a shutdown during a long job waits for the current step only', async (t) => {
  const { databaseUrl, clock, stop } = await startApp(t)
  await stop()
  const count = 100_000
  const { db, close } = await openForCommand(databaseUrl)
  t.after(close)
  await sql`insert into idempotency (scope, fingerprint, expires_at)
    with recursive due (number) as (select 1 union all select number + 1 from due where number < ${sql.lit(count)})
    select ${'0'.repeat(55)} || (100000000 + number), ${'0'.repeat(64)}, 0 from due`.execute(db)
  const left = async () => (await db.selectFrom('idempotency').select('scope').execute()).length

  const app = await startApp(t, { databaseUrl, now: clock.now, jobs })
  while ((await left()) === count) await new Promise(setImmediate)
  await app.stop()

  const rest = await left()
  assert.ok(rest > 0 && rest < count, `${rest} of ${count} are left`)
})

const JSON_HEADERS = { 'content-type': 'application/json' }

/** Starts the service as a separate process, on a new store with a key unless both are given. */
async function startProcess(t: TestContext, { file = join(scratchFolder(t), 'test.db'), key = '' } = {}) {
  const settings = { DATABASE_URL: `sqlite:${file}`, PORT: '0' }
  if (key === '')
    key = (
      await runCli(t, ['keys', 'create', '--init', '--name', 'a', '--plan', 'pro'], settings)
    ).stdout.trim()
  const running = spawnCli(t, ['serve'], settings)
  const address = await running.serving
  const agent = new http.Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const headers = { authorization: `Bearer ${key}` }
  return {
    ...running,
    address,
    file,
    key,
    get: (path: string) => send(agent, address + path, { headers }),
    post: (body: unknown) =>
      send(agent, `${address}/v1/pets`, { method: 'POST', body, headers: { ...headers, ...JSON_HEADERS } }),
  }
}

const NO_FULL = !existsSync('/dev/full') && 'this system has no /dev/full'

test('kill -9 under load keeps every acknowledged animal, refunds no request and reuses no id', async (t) => {
  let running = await startProcess(t)
  const acknowledged: number[] = []
  let allowed = 0
  for (let round = 0; round < 4; round += 1) {
    const { child, post } = running
    const creating = Array.from({ length: 25 }, async () => {
      const { status, body } = await post({ name: 'Rex', categoryId: 1 })
      assert.equal(status, 201)
      acknowledged.push(body.id)
      allowed += 1
      if (acknowledged.length % 20 === 19) child.kill('SIGKILL')
    })
    await Promise.allSettled(creating)
    child.kill('SIGKILL')
    await running.exited
    running = await startProcess(t, running)
  }

  const left = await running.get('/v1/pets?limit=100')
  const ids = new Set(left.body.map(({ id }: { id: number }) => id))
  assert.ok(acknowledged.length >= 20)
  assert.equal(new Set(acknowledged).size, acknowledged.length)
  for (const id of acknowledged) assert.ok(ids.has(id), `animal ${id} was acknowledged`)
  assert.ok(remainingOf(left) <= 300 - allowed - 1, `${remainingOf(left)} left after ${allowed}`)
  // Four crashes cost at most a lease of 15 each, plus requests that were charged and never answered.
  assert.ok(remainingOf(left) >= 300 - 1 - 4 * (25 + 15))
})

test('SIGTERM under load: the process answers open requests, resets no connection and ends within 5 s', async (t) => {
  const { address, child, exited, get } = await startProcess(t)
  await get('/v1/pets')
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  t.after(() => agent.destroy())
  const failures: string[] = []
  let answers = 0
  let stopping = false
  const client = async () => {
    for (;;) {
      try {
        const { status } = await send(agent, `${address}/v1/pets`, {})
        assert.ok(status === 401 || status === 429, String(status))
        answers += 1
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (!(stopping && code === 'ECONNREFUSED')) failures.push(String(error))
        return
      }
    }
  }
  const clients = Array.from({ length: 64 }, client)
  while (answers < 500) await new Promise(setImmediate)
  stopping = true
  const since = performance.now()
  child.kill('SIGTERM')
  await Promise.all(clients)
  const { code } = await exited

  assert.deepEqual(failures, [])
  assert.equal(code, 0)
  assert.ok(performance.now() - since < 5_000)
})

test('a request that began before SIGTERM gets a response with Connection: close', async (t) => {
  const { address, child, exited, file, post } = await startProcess(t)
  // The service may be sweeping, so this waits for the lock.
  const other = new DatabaseSync(file, { timeout: 5_000 })
  other.exec('begin immediate')
  const write = post({ name: 'Rex', categoryId: 1 })
  const agent = new http.Agent({ keepAlive: true })
  const isLast = async () => (await send(agent, `${address}/livez`, {})).headers.connection === 'close'
  assert.equal(await isLast(), false)
  child.kill('SIGTERM')
  while (!(await isLast()));
  other.exec('rollback')
  other.close()

  const { status, headers } = await write
  assert.deepEqual([status, headers.connection], [201, 'close'])
  assert.equal((await exited).code, 0)
})

test('after SIGTERM with a silent connection the process still ends', async (t) => {
  const { address, child, exited } = await startProcess(t)
  const socket = net.connect(Number(new URL(address).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write('POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n')
  const since = performance.now()
  child.kill('SIGTERM')

  assert.equal((await exited).code, 0)
  assert.ok(performance.now() - since < 5_500)
})

test('a store damaged while it is served: requests get 503 with rate-limit headers; the next start refuses the store', async (t) => {
  const { child, exited, file, get } = await startProcess(t)
  truncateSync(file, 3_000)

  assertError(await get('/v1/pets'), 503, 'service_unavailable', 'GET /v1/pets')
  assert.equal((await get('/readyz')).status, 503)
  child.kill('SIGKILL')
  await exited
  rmSync(`${file}-wal`, { force: true })
  const { code, stderr } = await spawnCli(t, ['serve'], { DATABASE_URL: `sqlite:${file}`, PORT: '0' }).exited
  assert.equal(code, 1)
  assert.match(stderr, /^adoptable: \S+test\.db cannot be served: [^\n]+\n$/)
})

test('SIGTERM ends the process even if the reader of the log has gone', { timeout: 30_000 }, async (t) => {
  const { child, exited, address } = await startProcess(t)
  child.stderr?.destroy()
  // Without a keep-alive connection: the shutdown would wait for it until the log sees its broken pipe.
  assert.equal((await send(new http.Agent(), `${address}/v1/pets`, {})).status, 401)
  child.kill('SIGTERM')

  assert.equal((await exited).code, 0)
})

test('a log on a full disk: requests are still answered, and SIGTERM ends the process', {
  skip: NO_FULL,
  timeout: 30_000,
}, async (t) => {
  const full = openSync('/dev/full', 'w')
  t.after(() => closeSync(full))
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`, PORT: '0' }
  const { child, exited, serving } = spawnCli(t, ['serve'], settings, undefined, { stderr: full })
  const address = await serving
  const agent = new http.Agent({ keepAlive: true })
  // More lines than the log buffers before it writes.
  for (let count = 0; count < 300; count += 1)
    assert.equal((await send(agent, `${address}/livez`, {})).status, 200)
  agent.destroy()
  child.kill('SIGTERM')

  assert.equal((await exited).code, 0)
})
