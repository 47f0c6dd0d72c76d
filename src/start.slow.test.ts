import assert from 'node:assert/strict'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, rmSync, truncateSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { assertError, send } from './testing/client.ts'
import { runCli, spawnCli } from './testing/process.ts'
import { scratchFolder } from './testing/start-app.ts'

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

const remainingOf = ({ headers }: { headers: http.IncomingHttpHeaders }) =>
  Number(headers['x-ratelimit-remaining'])

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
