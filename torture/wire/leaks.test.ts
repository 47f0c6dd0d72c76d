import assert from 'node:assert/strict'
import net from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { forEachConcurrently } from '../lab/parallel.ts'
import { megabytesOf, NEEDS_PROC, openSockets } from '../lab/proc.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { NO_ANONYMOUS_LIMITS, type Settings, startService } from '../lab/service.ts'
import { testOnEachStore, withStore } from '../lab/stores.ts'

const ROUNDS = rounds(2_000)
/** Clients on each store that leave before their answer is complete. */
const LEAVERS = ROUNDS * 25
const CONCURRENCY = 64
/** Longest time that a client stays. */
const MAX_STAY_MS = 15
/** Longest wait of a client that leaves at the first bytes. */
const MAX_WAIT_MS = 100
/** Node keeps some memory for later. A client may leave far less than the 10 KB that it needed. */
const MAX_GROWTH_MB = 100 + LEAVERS * 0.003
/** Makes a process keep less memory that it no longer needs. */
const SMALL_MEMORY = { NODE_OPTIONS: '--max-old-space-size=128', MALLOC_ARENA_MAX: '1' }
/** Sockets to the stores may come and go. */
const SPARE_SOCKETS = 10

async function startSmall(t: TestContext, settings: Settings) {
  const service = await startService(t, {
    settings: { ...SMALL_MEMORY, ...NO_ANONYMOUS_LIMITS, ...settings },
  })
  const { child } = service.process
  const request = (line: string, name: string, body = '') =>
    `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\nX-Request-Id: ${name}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const add = (name: string) =>
    request('POST /v1/pets', name, JSON.stringify({ name, categoryId: 1, status: 'available' }))
  return { ...service, pid: child.pid, request, add }
}
type SmallService = Awaited<ReturnType<typeof startSmall>>

testOnEachStore(
  `${LEAVERS} clients leave before their answer is complete: no extra socket, memory or transaction`,
  async (t, { stores, embedded }) => {
    const service = await startSmall(t, stores)
    const random = randomOf()
    const kinds = [
      service.request('GET /v1/pets?limit=100', 'a'),
      service.request('GET /docs', 'a'),
      service.request('PATCH /v1/pets/1', 'a', '{"name":"Rex"}'),
      service.request('POST /v1/store/orders', 'a', '{"petId":1,"adopter":{"name":"A","email":"a@b.cc"}}'),
      service.add('Rex').repeat(3),
      service.add('Rex').slice(0, -5),
    ]
    /** @returns sockets and memory of the service after this many clients */
    const connectAndLeave = async (count: number) => {
      await forEachConcurrently(Array(count).keys(), CONCURRENCY, () =>
        leave(service, random.pick(kinds), random.integer(-1, MAX_STAY_MS)),
      )
      await untilQuiet(service)
      return { sockets: openSockets(service.pid).length, memory: megabytesOf(service.pid, 'now') }
    }
    // Measures a service that has warmed up.
    const before = await connectAndLeave(Math.ceil(LEAVERS / 10))
    const after = await connectAndLeave(LEAVERS)

    assert.ok(after.sockets <= before.sockets + SPARE_SOCKETS, JSON.stringify({ before, after }))
    assert.ok(after.memory <= before.memory + MAX_GROWTH_MB, JSON.stringify({ before, after }))
    if (!embedded) await assertNoneOpen(stores.DATABASE_URL)
    const more = `${after.sockets - before.sockets} sockets more, ${after.memory - before.memory} MB more`
    reportFigure(t, `${LEAVERS} gone, ${more}, 0 transactions`)
  },
  NEEDS_PROC,
)

/**
 * Sends a request and leaves with a reset or an end, after `stayMs` or, if negative, at the first bytes.
 */
async function leave({ port }: SmallService, bytes: string, stayMs: number): Promise<void> {
  const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => undefined)
  socket.resume()
  const leaveNow = (): void => void (stayMs % 2 === 0 ? socket.resetAndDestroy() : socket.destroy())
  if (stayMs < 0) socket.once('data', leaveNow)
  const leaving = setTimeout(leaveNow, stayMs < 0 ? MAX_WAIT_MS : stayMs)
  await closed
  clearTimeout(leaving)
}

/** Waits until the service has no work left and the number of sockets is stable. */
async function untilQuiet({ ask, pid }: SmallService): Promise<void> {
  assert.equal((await ask('/v1/pets')).status, 200)
  for (let last = -1, now = 0; last !== now; now = openSockets(pid).length) {
    last = openSockets(pid).length
    await pause(1_500)
  }
}

const assertNoneOpen = (url: string): Promise<void> =>
  withStore(url, async ({ db }) => {
    const open = sql`select query, state from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%' and state_change < now() - interval '1 s'`
    assert.deepEqual((await open.execute(db)).rows, [])
  })
