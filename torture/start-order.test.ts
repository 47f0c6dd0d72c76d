import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import dgram from 'node:dgram'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, assertError, send } from '../src/testing/client.ts'
import { freePort } from '../src/testing/port.ts'
import { runCli, spawnCli } from '../src/testing/process.ts'
import { NEEDS_REDIS, startRedis } from '../src/testing/redis.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { needs, randomOf, reached, rounds } from './given.ts'
import { startOwnPostgres } from './own-postgres.ts'

const ROUNDS = rounds(20)
/** How long the stores come later than the service, in milliseconds. */
const LATER_MS = [1_000, 4_000] as const
/** Of one processor, while it waits. */
const MOST_PROCESSOR = 0.05
const ANSWER_MS = 2_000
const BACK_MS = 5_000
/** What a start itself takes, at most. */
const STARTED_MS = 1_500
/** A tick of /proc/<pid>/stat. */
const TICK_MS = 10

test('a service that starts before PostgreSQL waits for it, at rest, and then serves', async (t: TestContext) => {
  const random = randomOf()
  const own = await startOwnPostgres(t)
  const key = await makeKey(own.url, UNLIMITED)
  let most = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await own.stop('SIGINT')
    const service = spawnCli(t, ['serve'], { DATABASE_URL: own.url, PORT: String(await freePort()) })
    most = Math.max(most, await processorOf(service.child, random.whole(...LATER_MS)))
    assert.equal(service.child.exitCode, null, `it has ended: ${service.output.stderr}`)
    assert.equal(service.output.stdout, '', 'it says that it serves')
    await own.start()
    const since = performance.now()
    const address = await service.serving
    assert.ok(performance.now() - since < BACK_MS, 'PostgreSQL is there, and not served from')
    assert.equal((await ask(address, key)).status, 200)
    assert.match(service.output.stderr, /"the database is not there: the start waits for it"/)
    service.child.kill('SIGKILL')
    await service.exited
  }
  assert.ok(most < MOST_PROCESSOR, `${percent(most)} of a processor while it waited`)
  reached(t, `${ROUNDS} starts before PostgreSQL, at most ${percent(most)} of a processor while waiting`)
})

test('a service that starts before Redis answers 503 at rest, and then serves', {
  skip: NEEDS_REDIS.skip,
}, async (t: TestContext) => {
  const random = randomOf(1)
  const redis = await startRedis(t)
  let most = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await redis.kill()
    const DATABASE_URL = `sqlite:${join(scratchFolder(t), 'adoptable.db')}`
    const settings = { DATABASE_URL, REDIS_URL: `redis://127.0.0.1:${redis.port}`, LOG_LEVEL: 'silent' }
    const service = spawnCli(t, ['serve'], { ...settings, PORT: String(await freePort()) })
    const address = await service.serving
    const key = await makeKey(DATABASE_URL, UNLIMITED)
    await assertUnavailable(address, key)
    most = Math.max(most, await processorOf(service.child, random.whole(...LATER_MS)))
    await assertUnavailable(address, key)
    await redis.start()
    await untilServed(address, key)
    service.child.kill('SIGKILL')
    await service.exited
  }
  assert.ok(most < MOST_PROCESSOR, `${percent(most)} of a processor while it waited`)
  reached(t, `${ROUNDS} starts before Redis, at most ${percent(most)} of a processor while waiting`)
})

test('what no waiting mends ends the start at once, with one clear line', async (t: TestContext) => {
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
    const { code, stdout, stderr } = await runCli(t, ['serve'], {
      DATABASE_URL,
      PORT: '0',
      LOG_LEVEL: 'silent',
    })
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, expected)
  }
})

const NAMES = process.getuid?.() === 0 ? needs('unshare', 'mount') : { skip: 'only root can give it names' }

test(
  'while the name of PostgreSQL cannot be looked up, every answer comes in time, and the service comes back',
  NAMES,
  async (t: TestContext) => {
    const own = await startOwnPostgres(t)
    const key = await makeKey(own.url, UNLIMITED)
    const names = await startNames(t)
    const DATABASE_URL = own.url.replace('127.0.0.1', 'postgres.adoptable.test')
    const settings = { DATABASE_URL, PORT: String(await freePort()), LOG_LEVEL: 'silent' }
    const service = names.spawn(settings)
    const address = `http://127.0.0.1:${settings.PORT}`
    const most = await processorOf(service, LATER_MS[1])
    names.know('127.0.0.1 postgres.adoptable.test')
    await untilServed(address, key)
    let slowest = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      names.know('')
      await own.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'adoptable'`,
      )
      const until = performance.now() + LATER_MS[0]
      while (performance.now() < until) {
        const answers = await Promise.all(Array.from({ length: 8 }, () => timed(address, key)))
        slowest = Math.max(slowest, ...answers.map(({ took }) => took))
        for (const { answer } of answers) assertError(answer, 503, 'service_unavailable', 'without a name')
      }
      names.know('127.0.0.1 postgres.adoptable.test')
      await untilServed(address, key)
    }
    assert.ok(slowest < ANSWER_MS, `an answer took ${slowest.toFixed()} ms`)
    assert.ok(most < MOST_PROCESSOR, `${percent(most)} of a processor while it waited`)
    reached(t, `${ROUNDS} times without a name: slowest answer ${slowest.toFixed()} ms`)
  },
)

const agent = new http.Agent({ keepAlive: false })

function ask(address: string, key: string): Promise<Answer> {
  return send(agent, `${address}/v1/inventory`, { headers: { authorization: `Bearer ${key}` } })
}

async function timed(address: string, key: string): Promise<{ answer: Answer; took: number }> {
  const since = performance.now()
  const answer = await ask(address, key)
  return { answer, took: performance.now() - since }
}

async function assertUnavailable(address: string, key: string): Promise<void> {
  assertError(await ask(address, key), 503, 'service_unavailable', 'without Redis')
}

async function untilServed(address: string, key: string): Promise<void> {
  const since = performance.now()
  while ((await ask(address, key).catch(() => undefined))?.status !== 200) {
    assert.ok(performance.now() - since < BACK_MS, 'everything is there, and not served from')
    await pause(10)
  }
}

/** @returns which part of a processor it used for so long, once it had started */
async function processorOf({ pid }: ChildProcess, lengthMs: number): Promise<number> {
  await pause(STARTED_MS)
  const [before, since] = [ticksOf(pid), performance.now()]
  await pause(lengthMs)
  return ((ticksOf(pid) - before) * TICK_MS) / (performance.now() - since)
}

/** utime and stime of proc_pid_stat(5), the 14th and the 15th; the 2nd is a name in brackets. */
function ticksOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return Number(fields[11]) + Number(fields[12])
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`
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
  return {
    know,
    spawn(settings: Record<string, string>): ChildProcess {
      const script = `${mounts} && exec ${process.execPath} bin/adoptable.js serve`
      const env = { PATH: process.env.PATH, ...settings }
      const child = spawn('unshare', ['--mount', 'sh', '-c', script], { env, stdio: 'inherit' })
      t.after(() => child.kill('SIGKILL'))
      return child
    },
  }
}
