import assert from 'node:assert/strict'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { cleanup } from '../src/testing/cleanup.ts'
import { sendRaw } from '../src/testing/client.ts'
import { spawnCli } from '../src/testing/process.ts'
import { until } from '../src/testing/redis.ts'
import { makeKey, UNLIMITED } from '../src/testing/start-app.ts'
import { randomOf, reached, rounds } from './given.ts'
import { NEEDS_PROC, openSockets, residentMegabytes } from './slow-clients-process.ts'
import { STORES } from './stores.ts'

const ROUNDS = rounds(2_000)
const PIPELINED = ROUNDS * 5
/** Clients that leave before their answer is whole, on each store. */
const LEAVERS = ROUNDS * 25
const AT_ONCE = 64
/** Longest time that a client stays, in milliseconds. */
const LONGEST_STAY_MS = 15
/** One that waits for the first bytes does not wait longer. */
const LONGEST_WAIT_MS = 100
/** Node keeps memory for later; what a client leaves behind in it is less than the 10 KB that it took. */
const MOST_GROWTH_MB = 100 + LEAVERS * 0.003
/** So that what a process holds is what it needs, and less of what it once needed. */
const TIDY_MEMORY = { NODE_OPTIONS: '--max-old-space-size=128', MALLOC_ARENA_MAX: '1' }
/** Sockets to the stores that may come and go. */
const SPARE_SOCKETS = 10

type Service = Awaited<ReturnType<typeof startService>>

async function startService(t: TestContext, settings: { DATABASE_URL: string; [name: string]: string }) {
  const key = await makeKey(settings.DATABASE_URL, UNLIMITED)
  const limits = { ANONYMOUS_PER_MINUTE: '1000000', ANONYMOUS_PER_DAY: '1000000' }
  const { child, serving } = spawnCli(t, ['serve'], {
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...TIDY_MEMORY,
    ...limits,
    ...settings,
  })
  const { port } = new URL(await serving)
  const request = (line: string, name: string, body = '') =>
    `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: ${name}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const add = (name: string) =>
    request('POST /v1/pets', name, JSON.stringify({ name, categoryId: 1, status: 'available' }))
  return { pid: child.pid, port: Number(port), request, add }
}

/** Everything over one connection; `onText` sees all that comes, and ends it by returning true. */
function converse(port: number, bytes: string, onText: (text: string) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      if (onText(chunk.toString('latin1'))) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}

for (const stores of STORES) {
  test(`${PIPELINED} requests sent at once on one connection are answered in their order, on ${stores.name}`, {
    ...NEEDS_PROC,
    skip: NEEDS_PROC.skip || stores.skip,
    timeout: 300_000,
  }, async (t) => {
    const { port, request, add } = await startService(t, await stores.open(t))
    const lines = ['GET /v1/pets?limit=2', 'GET /v1/pets/1', 'GET /v1/nowhere', 'GET /livez', 'PUT /v1/pets']
    const requests = Array.from({ length: PIPELINED }, (_, number) =>
      number % 10 === 0 ? add(`r-${number}`) : request(lines[number % lines.length] ?? '', `r-${number}`),
    )
    const ids: string[] = []
    let rest = ''
    await converse(port, requests.join(''), (text) => {
      rest += text
      for (const [, id = ''] of rest.matchAll(/x-request-id: (r-\d+)\r\n/g)) ids.push(id)
      rest = rest.slice(rest.lastIndexOf('\r\n') + 2).slice(-100)
      return ids.length >= PIPELINED
    })

    assert.deepEqual(
      ids,
      requests.map((_, number) => `r-${number}`),
    )
    reached(t, `${ids.length} answers in order`)
  })

  test(`${LEAVERS} clients that leave before their answer is whole leave nothing behind, on ${stores.name}`, {
    skip: NEEDS_PROC.skip || stores.skip,
  }, async (t) => {
    const settings = await stores.open(t)
    const service = await startService(t, settings)
    const random = randomOf()
    const kinds = [
      service.request('GET /v1/pets?limit=100', 'a'),
      service.request('GET /docs', 'a'),
      service.request('PATCH /v1/pets/1', 'a', '{"name":"Rex"}'),
      service.request('POST /v1/store/orders', 'a', '{"petId":1,"adopter":{"name":"A","email":"a@b.cc"}}'),
      service.add('Rex').repeat(3),
      service.add('Rex').slice(0, -5),
    ]
    const takeTurns = async (turns: number): Promise<void> => {
      const left = { turns }
      const leaver = async (): Promise<void> => {
        while (left.turns-- > 0) await leave(service, random.pick(kinds), random.whole(-1, LONGEST_STAY_MS))
      }
      await Promise.all(Array.from({ length: AT_ONCE }, leaver))
    }
    // What a service holds once it is warm.
    await takeTurns(Math.ceil(LEAVERS / 10))
    await settled(service)
    const before = { sockets: openSockets(service.pid).length, memory: residentMegabytes(service.pid) }
    await takeTurns(LEAVERS)
    await settled(service)

    const after = { sockets: openSockets(service.pid).length, memory: residentMegabytes(service.pid) }
    assert.ok(after.sockets <= before.sockets + SPARE_SOCKETS, JSON.stringify({ before, after }))
    assert.ok(after.memory <= before.memory + MOST_GROWTH_MB, JSON.stringify({ before, after }))
    if (settings.DATABASE_URL.startsWith('postgres')) await assertNoneOpen(t, settings.DATABASE_URL)
    const grown = after.memory - before.memory
    reached(
      t,
      `${LEAVERS} gone, ${after.sockets - before.sockets} sockets more, ${grown} MB more, 0 transactions`,
    )
  })
}

/** Sends a request and is gone, with a reset or an end, after so many milliseconds or with the first bytes. */
async function leave({ port }: Service, bytes: string, stayMs: number): Promise<void> {
  const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes))
  const gone = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => undefined)
  socket.resume()
  const go = (): void => void (stayMs % 2 === 0 ? socket.resetAndDestroy() : socket.destroy())
  if (stayMs < 0) socket.once('data', go)
  const leaving = setTimeout(go, stayMs < 0 ? LONGEST_WAIT_MS : stayMs)
  await gone
  clearTimeout(leaving)
}

/** Waits until what was begun is done: a client that comes now is answered at once, and alone. */
async function settled({ port, pid, request }: Service): Promise<void> {
  const answer = await sendRaw(port, request('GET /v1/pets', 'last'))
  assert.match(answer, /^HTTP\/1.1 200/)
  for (let last = -1, now = 0; last !== now; now = openSockets(pid).length) {
    last = openSockets(pid).length
    await pause(1_500)
  }
}

async function assertNoneOpen(t: TestContext, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  cleanup(t).defer(() => client.end())
  const open = `select query, state from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%' and state_change < now() - interval '1 s'`
  assert.deepEqual((await client.query(open)).rows, [])
}

test(`${ROUNDS * 2} clients on a service that takes ${ROUNDS}: it holds no more, and serves those who were there`, {
  ...NEEDS_PROC,
}, async (t) => {
  const most = { MAX_CONNECTIONS: String(ROUNDS), KEEP_ALIVE_TIMEOUT_SECONDS: '3' }
  const settings = await STORES[0]?.open(t)
  assert.ok(settings)
  const service = await startService(t, { ...settings, ...most })
  const { pid, port, request } = service
  const own = openSockets(pid).length
  const earlier = net.connect(port, '127.0.0.1')
  cleanup(t).defer(() => void earlier.destroy())
  let served = 0
  let asked = 0
  earlier.on('data', (chunk) => {
    served += chunk.toString('latin1').split('HTTP/1.1 200').length - 1
  })
  const ask = async (): Promise<void> => {
    asked += 1
    earlier.write(request('GET /v1/pets', 'a'))
    await until(() => served === asked)
  }
  await ask()

  let refused = 0
  const idle = Array.from({ length: ROUNDS * 2 }, () => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request('GET /livez', 'a')))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      refused += 1
    })
    socket.resume()
    return socket
  })
  cleanup(t).defer(() => idle.forEach((socket) => void socket.destroy()))
  while (refused < ROUNDS) {
    await ask()
    // The listening sockets, and one that is just being closed.
    assert.ok(openSockets(pid).length <= own + ROUNDS + SPARE_SOCKETS)
  }
  // They idle for too long and are closed, while the one that goes on asking is served.
  while (refused < ROUNDS * 2) await ask()

  assert.match(await sendRaw(port, request('GET /v1/pets', 'a')), /^HTTP\/1.1 200/)
  reached(t, `${ROUNDS * 2} came, at most ${ROUNDS} were held, ${asked} requests of one before them served`)
})
