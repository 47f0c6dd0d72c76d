import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type http from 'node:http'
import net from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openForCommand } from './db/open-database.ts'
import { fileOf } from './db/store-url.ts'
import { assertError } from './testing/client.ts'
import { freePort } from './testing/port.ts'
import { until } from './testing/redis.ts'
import { startApp } from './testing/start-app.ts'

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

test('while another process locks the store, reads are answered at once, and writes wait until the lock is released', async (t) => {
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

  const app = await startApp(t, { databaseUrl, now: clock.now })
  while ((await left()) === count) await new Promise(setImmediate)
  await app.stop()

  const rest = await left()
  assert.ok(rest > 0 && rest < count, `${rest} of ${count} are left`)
})
