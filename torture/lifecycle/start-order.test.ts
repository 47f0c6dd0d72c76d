import assert from 'node:assert/strict'
import dgram from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertError } from '../../src/testing/client.ts'
import { spawnCli } from '../../src/testing/process.ts'
import { NEEDS_REDIS, startRedis } from '../../src/testing/redis.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../../src/testing/start-app.ts'
import { startOwnPostgres } from '../lab/own-postgres.ts'
import { times } from '../lab/parallel.ts'
import { busyMsOf } from '../lab/proc.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'
import { type Ask, client, newService, type Service } from '../lab/service.ts'

const ROUNDS = rounds(20)
/** How long the stores come later than the service, in milliseconds. */
const LATER_MS = [1_000, 4_000] as const
/** Of one processor, while it waits. */
const MOST_PROCESSOR = 0.05
const ANSWER_MS = 2_000
const BACK_MS = 5_000
/** What a start itself takes, at most. */
const STARTED_MS = 1_500

test('a service that starts before PostgreSQL waits for it, at rest, and then serves', async (t) => {
  const random = randomOf()
  const own = await startOwnPostgres(t)
  const service = await newService(t, { settings: { DATABASE_URL: own.url, LOG_LEVEL: 'info' } })
  const rest: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await own.stop('SIGINT')
    const { serving, output } = service.launch()
    rest.push(await processorOf(service, random.whole(...LATER_MS)))
    assert.ok(service.alive(), `it has ended: ${output.stderr}`)
    assert.equal(output.stdout, '', 'it says that it serves')
    await own.start()
    const since = performance.now()
    await serving
    assert.ok(performance.now() - since < BACK_MS, 'PostgreSQL is there, and not served from')
    assert.equal((await service.ask('/v1/inventory')).status, 200)
    assert.match(output.stderr, /"the database is not there: the start waits for it"/)
    await service.end()
  }
  reached(t, `${ROUNDS} starts before PostgreSQL, at most ${assertAtRest(rest)} of a processor while waiting`)
})

const BEFORE_REDIS = 'a service that starts before Redis answers 503 at rest, and then serves'
test(BEFORE_REDIS, { skip: NEEDS_REDIS.skip }, async (t) => {
  const random = randomOf(1)
  const redis = await startRedis(t)
  const rest: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await redis.kill()
    const settings = { REDIS_URL: `redis://127.0.0.1:${redis.port}` }
    const service = await newService(t, { settings, key: false })
    await service.start()
    const key = await makeKey(service.settings.DATABASE_URL, UNLIMITED)
    const ask = client(t, service.address, key)
    const assertUnavailable = async (): Promise<void> =>
      assertError(await ask('/v1/inventory'), 503, 'service_unavailable', 'without Redis')
    await assertUnavailable()
    rest.push(await processorOf(service, random.whole(...LATER_MS)))
    await assertUnavailable()
    await redis.start()
    await untilServed(ask)
    await service.end()
  }
  reached(t, `${ROUNDS} starts before Redis, at most ${assertAtRest(rest)} of a processor while waiting`)
})

test('what no waiting mends ends the start at once, with one clear line', async (t) => {
  const own = await startOwnPostgres(t)
  await own.query('create table pet (id text)')
  await own.query(`create role stranger login connection limit 1`)
  const url = new URL(own.url)
  const asStranger = Object.assign(new URL(url), { username: 'stranger' })
  for (const [DATABASE_URL, expected] of [
    [`${new URL('/none', url)}`, /^adoptable: PostgreSQL: database "none" does not exist\n$/],
    [own.url, /^adoptable: relation "pet" already exists\n$/],
    [asStranger.href, /^adoptable: permission denied for table \w+\n$/],
  ] as const) {
    const settings = { DATABASE_URL, PORT: '0', LOG_LEVEL: 'silent' }
    const { code, stdout, stderr } = await spawnCli(t, ['serve'], settings).exited
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, expected)
  }
})

const NAMES = process.getuid?.() === 0 ? needs('unshare', 'mount') : { skip: 'only root can give it names' }
const NAMELESS =
  'while the name of PostgreSQL cannot be looked up, every answer comes in time, and the service comes back'
test(NAMELESS, NAMES, async (t) => {
  const own = await startOwnPostgres(t)
  const key = await makeKey(own.url, UNLIMITED)
  const { through, know } = await startNames(t)
  const DATABASE_URL = own.url.replace('127.0.0.1', 'postgres.adoptable.test')
  const service = await newService(t, { settings: { DATABASE_URL }, key: false, through })
  const ask = client(t, service.address, key)
  service.launch()
  const rest = [await processorOf(service, LATER_MS[1])]
  know('127.0.0.1 postgres.adoptable.test')
  await untilServed(ask)
  let slowest = 0
  const askTimed = async (): Promise<void> => {
    const since = performance.now()
    assertError(await ask('/v1/inventory'), 503, 'service_unavailable', 'without a name')
    slowest = Math.max(slowest, performance.now() - since)
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    know('')
    const ours = `from pg_stat_activity where application_name = 'adoptable'`
    await own.query(`select pg_terminate_backend(pid) ${ours}`)
    const until = performance.now() + LATER_MS[0]
    while (performance.now() < until) await Promise.all(times(8, askTimed))
    know('127.0.0.1 postgres.adoptable.test')
    await untilServed(ask)
  }
  assert.ok(slowest < ANSWER_MS, `an answer took ${slowest.toFixed()} ms`)
  assertAtRest(rest)
  reached(t, `${ROUNDS} times without a name: slowest answer ${slowest.toFixed()} ms`)
})

async function untilServed(ask: Ask): Promise<void> {
  const since = performance.now()
  while ((await ask('/v1/inventory').catch(() => undefined))?.status !== 200) {
    assert.ok(performance.now() - since < BACK_MS, 'everything is there, and not served from')
    await pause(10)
  }
}

/** @returns which part of a processor it used for so long, once it had started */
async function processorOf(service: Service, lengthMs: number): Promise<number> {
  const { pid } = service.process.child
  await pause(STARTED_MS)
  const [before, since] = [busyMsOf(pid), performance.now()]
  await pause(lengthMs)
  return (busyMsOf(pid) - before) / (performance.now() - since)
}

/** @returns the most of a processor that was used while waiting */
function assertAtRest(parts: number[]): string {
  const most = Math.max(...parts)
  const percent = `${(100 * most).toFixed(1)} %`
  assert.ok(most < MOST_PROCESSOR, `${percent} of a processor while it waited`)
  return percent
}

/** Names of a service's own, and a resolver that never answers about others. */
async function startNames(t: TestContext) {
  const folder = scratchFolder(t)
  const [hosts, resolver] = [join(folder, 'hosts'), join(folder, 'resolv.conf')]
  const silent = dgram.createSocket('udp4')
  silent.bind(53, '127.0.0.53')
  await once(silent, 'listening')
  t.after(() => silent.close())
  const know = (line: string): void => writeFileSync(hosts, `${line}\n`)
  know('')
  // What the resolver waits for is not ours to shorten: five seconds, twice, unless it is told.
  writeFileSync(resolver, 'nameserver 127.0.0.53\noptions timeout:1 attempts:1\n')
  const mounts = `mount --bind ${hosts} /etc/hosts && mount --bind ${resolver} /etc/resolv.conf`
  return { know, through: ['unshare', '--mount', 'sh', '-c', `${mounts} && exec "$0" "$@"`] }
}
