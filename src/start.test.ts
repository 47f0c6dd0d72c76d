import assert from 'node:assert/strict'
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
import { assertError, send } from './testing/client.ts'
import { freePort } from './testing/port.ts'
import { runCli, spawnCli } from './testing/process.ts'
import { scratchFolder, startApp } from './testing/start-app.ts'

const JSON_HEADERS = { 'content-type': 'application/json' }

/** The service as a process of its own on a new store, with a key of the given plan. */
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

const remainingOf = ({ headers }: { headers: http.IncomingHttpHeaders }) =>
  Number(headers['x-ratelimit-remaining'])

test('a restart keeps every animal and every counter exactly', async (t) => {
  const before = await startProcess(t)
  for (let count = 1; count <= 30; count += 1) await before.post({ name: `Pet ${count}`, categoryId: 1 })
  const list = (await before.get('/v1/pets?limit=100')).text
  before.child.kill('SIGTERM')
  assert.equal((await before.exited).code, 0)

  const after = await startProcess(t, before)

  const answer = await after.get('/v1/pets?limit=100')
  assert.equal(answer.text, list)
  assert.equal(remainingOf(answer), 300 - 32)
})

test('kill -9 loses no acknowledged animal, gives no request back, and uses no id twice', async (t) => {
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
  // Four crashes cost at most a lease of 15 each, beside requests that were charged and never answered.
  assert.ok(remainingOf(left) >= 300 - 1 - 4 * (25 + 15))
})

test('SIGTERM under load answers what was begun, resets nobody, and is done within 5 s', async (t) => {
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

test('an answer that was begun before a stop, and ends in it, closes its connection', async (t) => {
  const { address, child, exited, file, post } = await startProcess(t)
  // The service may be sweeping.
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

test('a client that is slow to read gets whole answers, also of a service that stops', async (t) => {
  const app = await startApp(t)
  const socket = net.connect(app.port, '127.0.0.1')
  // More than the system would take in the place of who reads nothing yet.
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500))
  await app.get('/livez')
  const stopped = app.stop()
  const since = performance.now()
  // Idle connections are closed meanwhile.
  while (performance.now() - since < 1_000) await new Promise(setImmediate)

  let text = ''
  for await (const chunk of socket.setEncoding('latin1')) text += chunk
  const [head = '', body] = text.slice(text.lastIndexOf('HTTP/1.1 200 OK')).split('\r\n\r\n')
  assert.equal(body?.length, Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1]))
  await stopped
})

test('a connection that says nothing does not keep a stop from ending', async (t) => {
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

test('while another process holds the store, reads are answered at once, and a write as soon as it can', async (t) => {
  const { databaseUrl, get, post } = await startApp(t, { own: true })
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

test('a store that cannot be written answers 503 with Retry-After, still lists, and recovers by itself', async (t) => {
  const { databaseUrl, get, log, post } = await startApp(t, { own: true })
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

test('a store that is damaged while it is served answers 503 with the headers of the limit; no start takes it', async (t) => {
  const { child, exited, file, get } = await startProcess(t)
  truncateSync(file, 3_000)

  assertError(await get('/v1/pets'), 503, 'service_unavailable', 'GET /v1/pets')
  assert.equal((await get('/readyz')).status, 503)
  child.kill('SIGKILL')
  await exited
  rmSync(`${file}-wal`, { force: true })
  const { code, stderr } = await runCli(t, ['serve'], { DATABASE_URL: `sqlite:${file}`, PORT: '0' })
  assert.equal(code, 1)
  assert.match(stderr, /^adoptable: \S+test\.db cannot be served: [^\n]+\n$/)
})

test('a stop ends although the reader of the log has gone', { timeout: 30_000 }, async (t) => {
  const { child, exited, address } = await startProcess(t)
  child.stderr?.destroy()
  // No connection is kept, for which the stop would wait until the log meets its broken pipe by itself.
  assert.equal((await send(new http.Agent(), `${address}/v1/pets`, {})).status, 401)
  child.kill('SIGTERM')

  assert.equal((await exited).code, 0)
})

const NO_FULL = !existsSync('/dev/full') && 'there is no /dev/full here'

test('a full disk under the log stops no answer, and no stop', {
  skip: NO_FULL,
  timeout: 30_000,
}, async (t) => {
  const full = openSync('/dev/full', 'w')
  t.after(() => closeSync(full))
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`, PORT: '0' }
  const { child, exited, serving } = spawnCli(t, ['serve'], settings, undefined, { stderr: full })
  const address = await serving
  const agent = new http.Agent({ keepAlive: true })
  // More lines than are held back before the first is written.
  for (let count = 0; count < 300; count += 1)
    assert.equal((await send(agent, `${address}/livez`, {})).status, 200)
  agent.destroy()
  child.kill('SIGTERM')

  assert.equal((await exited).code, 0)
})

test('a start without Redis is told of in the log, is not ready, and answers 503 with Retry-After, whatever arrives', async (t) => {
  const { get, raw, log } = await startApp(t, {
    settings: { REDIS_URL: `redis://127.0.0.1:${await freePort()}` },
  })
  assert.ok(log.some((line) => line.includes('the shared counters are lost')))
  assert.equal((await get('/readyz')).status, 503)
  assertError(await get('/v1/pets'), 503, 'service_unavailable', 'GET /v1/pets')

  assert.match(await raw('NO HTTP\r\n\r\n'), /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n/s)
  assert.match(log.at(-2) ?? '', /"level":50.*ECONNREFUSED/)
})

test('/livez, /readyz, /, /openapi.json and the catalogue answer without key and limits', async (t) => {
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

test('/docs is the API reference, whole from this server and allowed to reach no other', async (t) => {
  const { get } = await startApp(t)
  const page = await get('/docs/', { authorization: undefined })
  const script = await get('/docs/reference.js', { authorization: undefined })

  assert.match(page.text, /\/openapi\.json/)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'.*connect-src 'self'/)
  assert.doesNotMatch(page.text, /(src|href)="(https?:)?\/\//)
  assert.equal(script.status, 200)
  assert.match(script.text, /fetch\(/)
})

test('a stop waits for the step of a sweep that is under way, and not for all that is due', async (t) => {
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
