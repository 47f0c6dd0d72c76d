import assert from 'node:assert/strict'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { cleanup } from '../../src/testing/cleanup.ts'
import { each, times } from '../lab/parallel.ts'
import { megabytesOf, NEEDS_PROC, openSockets } from '../lab/proc.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { ANYBODY, type Settings, startService } from '../lab/service.ts'
import { onEach } from '../lab/stores.ts'
import { connection, exchange } from '../lab/wire.ts'

const ROUNDS = rounds(2_000)
const PIPELINED = ROUNDS * 5
/** A connection may have so many requests unanswered. */
const BATCH = 32
/** Clients that leave before their answer is whole, on each store. */
const LEAVERS = ROUNDS * 25
const CONCURRENCY = 64
/** Longest time that a client stays, in milliseconds. */
const LONGEST_STAY_MS = 15
/** One that waits for the first bytes does not wait longer. */
const LONGEST_WAIT_MS = 100
/** Node keeps memory for later; what a client leaves behind in it is less than the 10 KB that it took. */
const MAX_GROWTH_MB = 100 + LEAVERS * 0.003
/** So that what a process holds is what it needs, and less of what it once needed. */
const TIDY_MEMORY = { NODE_OPTIONS: '--max-old-space-size=128', MALLOC_ARENA_MAX: '1' }
/** Sockets to the stores that may come and go. */
const SPARE_SOCKETS = 10

async function startTidy(t: TestContext, settings: Settings) {
  const service = await startService(t, { settings: { ...TIDY_MEMORY, ...ANYBODY, ...settings } })
  const { child } = service.process
  const request = (line: string, name: string, body = '') =>
    `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\nX-Request-Id: ${name}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const add = (name: string) =>
    request('POST /v1/pets', name, JSON.stringify({ name, categoryId: 1, status: 'available' }))
  return { ...service, pid: child.pid, request, add }
}
type Tidy = Awaited<ReturnType<typeof startTidy>>

onEach(
  `${PIPELINED} requests, ${BATCH} sent at once on one connection, are answered in their order`,
  async (t, { stores }) => {
    const { port, request, add } = await startTidy(t, stores)
    const lines = ['GET /v1/pets?limit=2', 'GET /v1/pets/1', 'GET /v1/nowhere', 'GET /livez', 'PUT /v1/pets']
    const requests = times(PIPELINED, (number) => {
      const id = `r-${number}`
      const text = number % 10 === 0 ? add(id) : request(lines[number % lines.length] ?? '', id)
      return { bytes: Buffer.from(text), method: 'GET' }
    })
    const { ask, close } = connection(port)
    const ids: unknown[] = []
    for (let begin = 0; begin < requests.length; begin += BATCH) {
      const answers = await ask(requests.slice(begin, begin + BATCH))
      ids.push(...answers.map(({ headers }) => headers['x-request-id']))
    }
    close()

    const sent = requests.map((_, number) => `r-${number}`)
    assert.deepEqual(ids, sent)
    reached(t, `${ids.length} answers in order`)
  },
  { ...NEEDS_PROC, timeout: 300_000 },
)

onEach(
  `${LEAVERS} clients that leave before their answer is whole leave nothing behind`,
  async (t, { stores, embedded }) => {
    const service = await startTidy(t, stores)
    const random = randomOf()
    const kinds = [
      service.request('GET /v1/pets?limit=100', 'a'),
      service.request('GET /docs', 'a'),
      service.request('PATCH /v1/pets/1', 'a', '{"name":"Rex"}'),
      service.request('POST /v1/store/orders', 'a', '{"petId":1,"adopter":{"name":"A","email":"a@b.cc"}}'),
      service.add('Rex').repeat(3),
      service.add('Rex').slice(0, -5),
    ]
    /** @returns what the service holds when so many have come and gone */
    const takeTurns = async (turns: number) => {
      await each(Array(turns).keys(), CONCURRENCY, () =>
        leave(service, random.pick(kinds), random.whole(-1, LONGEST_STAY_MS)),
      )
      await untilQuiet(service)
      return { sockets: openSockets(service.pid).length, memory: megabytesOf(service.pid, 'now') }
    }
    // What a service holds once it is warm.
    const before = await takeTurns(Math.ceil(LEAVERS / 10))
    const after = await takeTurns(LEAVERS)

    assert.ok(after.sockets <= before.sockets + SPARE_SOCKETS, JSON.stringify({ before, after }))
    assert.ok(after.memory <= before.memory + MAX_GROWTH_MB, JSON.stringify({ before, after }))
    if (!embedded) await assertNoneOpen(t, stores.DATABASE_URL)
    const more = `${after.sockets - before.sockets} sockets more, ${after.memory - before.memory} MB more`
    reached(t, `${LEAVERS} gone, ${more}, 0 transactions`)
  },
  NEEDS_PROC,
)

/** Sends a request and is gone, with a reset or an end, after so many milliseconds or with the first bytes. */
async function leave({ port }: Tidy, bytes: string, stayMs: number): Promise<void> {
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
async function untilQuiet({ ask, pid }: Tidy): Promise<void> {
  assert.equal((await ask('/v1/pets')).status, 200)
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

const FULL = `${ROUNDS * 2} clients on a service that takes ${ROUNDS}`
test(`${FULL}: it holds no more, and serves those who were there`, NEEDS_PROC, async (t) => {
  // All come from one address, which gets no more than half unless it is a proxy's.
  const most = { MAX_CONNECTIONS: String(ROUNDS), KEEP_ALIVE_TIMEOUT_SECONDS: '3', TRUST_PROXY: 'loopback' }
  const { pid, port, request } = await startTidy(t, most)
  const own = openSockets(pid).length
  const earlier = connection(port)
  cleanup(t).defer(earlier.close)
  let asked = 0
  const ask = async (): Promise<void> => {
    asked += 1
    const wire = { bytes: Buffer.from(request('GET /v1/pets', 'a')), method: 'GET' }
    assert.equal((await earlier.ask([wire]))[0]?.status, 200)
  }
  await ask()

  let refused = 0
  const idle = times(ROUNDS * 2, () => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request('GET /livez', 'a')))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      refused += 1
    })
    return socket.resume()
  })
  cleanup(t).defer(() => idle.forEach((socket) => void socket.destroy()))
  while (refused < ROUNDS) {
    await ask()
    // The listening sockets, and one that is just being closed.
    assert.ok(openSockets(pid).length <= own + ROUNDS + SPARE_SOCKETS)
  }
  // They idle for too long and are closed, while the one that goes on asking is served.
  while (refused < ROUNDS * 2) await ask()

  assert.match((await exchange(port, request('GET /v1/pets', 'a'))).toString('latin1'), /^HTTP\/1.1 200/)
  reached(t, `${ROUNDS * 2} came, at most ${ROUNDS} were held, ${asked} requests of one before them served`)
})
