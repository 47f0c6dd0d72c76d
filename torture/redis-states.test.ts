import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, assertError, send } from '../src/testing/client.ts'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { NEEDS_REDIS, startRedis, type TestRedis } from '../src/testing/redis.ts'
import { makeKey, scratchFolder } from '../src/testing/start-app.ts'
import { randomOf, reached, rounds } from './given.ts'

const ROUNDS = rounds(200)
const LIMIT = 200
const MINUTE_MS = 60_000
/** Of a state, in milliseconds. */
const STATE_MS = [100, 900] as const
/** How long Redis is dead under load: a minute, but for the short version. */
const DEAD_MS = ROUNDS < 20 ? 4_000 : MINUTE_MS
/** Without Redis; a busy machine takes longer, as it does with it. */
const ANSWER_MS = 250
const BACK_MS = 10_000
const AT_ONCE = 16
const SECRET = 'secret'
/** More keys than it loads in half a second, and it says that it is loading. */
const MANY_KEYS = 2_000
const SETTINGS = [
  ...['--requirepass', SECRET, '--enable-debug-command', 'local'],
  ...['--key-load-delay', '300', '--loading-process-events-interval-bytes', '1024'],
]
const TEST = { skip: NEEDS_REDIS.skip }

type State = (redis: TestRedis, lengthMs: number) => Promise<unknown>

/** By how often each is chosen. Not among them: eviction, which docs/operating.md forbids, as it forgets limits. */
const STATES: [weight: number, name: string, state: State][] = [
  [10, 'killed, and started empty', restart],
  [1, 'killed, and loading for a while', loading],
  [1, 'without memory', withoutMemory],
  [1, 'a replica', replica],
  [1, 'asleep', ({ client }, ms) => client.call('DEBUG', 'SLEEP', ms / 1_000)],
  [1, 'stopped', stopped],
  [1, 'of another password', otherPassword],
  [1, 'emptied by hand', ({ client }) => client.flushall()],
  [1, 'without its scripts', ({ client }) => client.script('FLUSH')],
]

test(
  'whatever becomes of Redis in the middle of a window, two processes serve no more than the limit',
  TEST,
  async (t: TestContext) => {
    const random = randomOf()
    const { redis, ports, newKey, ask, untilExact, assertQuick } = await startServices(t)
    let [most, fewest] = [0, LIMIT]
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each of them in a short run too.
      const entry = STATES[round] ?? random.weighed(STATES.map((state) => [state[0], state] as const))
      const [, name, state] = entry
      const key = await newKey()
      const began = performance.now()
      const get = (port: number) => ask(port, key)
      let served = await takeMany(ports, random.whole(LIMIT / 4, (3 * LIMIT) / 4), get)
      const asking = keepAsking(ports, get)
      await state(redis, random.whole(...STATE_MS))
      await untilExact()
      served += await asking.stop()
      served += await takeMany(ports, LIMIT + 40, get)

      assert.ok(served <= LIMIT, `round ${round}, ${name}: ${served} of ${LIMIT} were served`)
      assert.ok(performance.now() - began < MINUTE_MS, 'this machine is too slow: the window was over')
      most = Math.max(most, served)
      fewest = Math.min(fewest, served)
    }
    const slowest = assertQuick()
    reached(t, `${ROUNDS} losses: ${fewest} to ${most} of ${LIMIT} served; slowest answer ${slowest} ms`)
  },
)

test(
  'while Redis is dead under load, two processes serve no more than the limit, at once, and stay up',
  TEST,
  async (t: TestContext) => {
    const { redis, ports, newKey, ask, untilExact, assertQuick } = await startServices(t)
    const key = await newKey()
    const times: number[] = []
    const get = async (port: number): Promise<number> => {
      const status = await ask(port, key)
      if (status === 200) times.push(performance.now())
      return status
    }
    const opened = performance.now()
    await takeMany(ports, LIMIT / 2, get)
    await redis.kill()
    const dead = performance.now()
    const asking = keepAsking(ports, get)
    while (performance.now() - dead < DEAD_MS) {
      for (const port of ports) {
        assert.equal(await ask(port, '', '/livez'), 200)
        assert.equal(await ask(port, '', '/readyz'), 200)
      }
      await pause(100)
    }
    const alone = await asking.stop()
    const slowest = assertQuick()
    const later = times.filter((at) => at > opened + MINUTE_MS)
    await redis.start()
    await untilExact()
    await takeMany(ports, LIMIT + 40, get)

    const inWindow = times.filter((at) => at < opened + MINUTE_MS).length
    assert.ok(alone > 0, 'nobody was served without Redis')
    assert.ok(inWindow <= LIMIT, `${inWindow} of ${LIMIT} were served in the window`)
    assert.ok(later.length <= LIMIT, `${later.length} of ${LIMIT} were served after it`)
    const figures = `${alone} served meanwhile, ${inWindow} of ${LIMIT} in the window, ${later.length} after it`
    reached(t, `${DEAD_MS / 1_000} s without Redis: ${figures}; slowest answer ${slowest} ms`)
  },
)

/** Two processes on one store and one Redis. */
async function startServices(t: TestContext) {
  const redis = await startRedis(t, ...SETTINGS)
  const DATABASE_URL = `sqlite:${join(scratchFolder(t), 'adoptable.db')}`
  const REDIS_URL = `redis://:${SECRET}@127.0.0.1:${redis.port}`
  // Nobody is refused so often in a second that it would be a ban.
  const bans = { BAN_AFTER_REFUSALS: '10000', BAN_WINDOW_SECONDS: '1' }
  const settings = { DATABASE_URL, REDIS_URL, ...bans, LOG_LEVEL: 'silent' }
  const newKey = () =>
    makeKey(DATABASE_URL, { plan: 'enterprise', limits: { perMinute: LIMIT, perDay: 1e6 } })
  const agent = new http.Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const ports = [await freePort(), await freePort()]
  for (const port of ports) await spawnCli(t, ['serve'], { ...settings, PORT: String(port) }).serving
  // Each has to have seen that the other lives.
  await pause(1_500)
  // On a busy machine this process, too, comes late.
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  let slowest = 0

  async function ask(port: number, key: string, path = '/v1/pets'): Promise<number> {
    const since = performance.now()
    const headers = { authorization: `Bearer ${key}` }
    const answer: Answer = await send(agent, `http://127.0.0.1:${port}${path}`, { headers })
    slowest = Math.max(slowest, performance.now() - since)
    const { status } = answer
    if (status !== 200) {
      assertError(answer, status, status === 429 ? 'rate_limit_exceeded' : 'service_unavailable', path)
    }
    return status
  }
  // How slow this machine is.
  const key = await newKey()
  await takeMany(ports, LIMIT, (port) => ask(port, key))
  const quiet = slowest
  slowest = 0

  return {
    redis,
    ports,
    newKey,
    ask,
    /** Until both ask Redis again: alone they serve nobody whom they have not met. */
    async untilExact(): Promise<void> {
      const since = performance.now()
      const stranger = await newKey()
      for (const port of ports) {
        while ((await ask(port, stranger)) !== 200) {
          assert.ok(performance.now() - since < BACK_MS, 'Redis is there, and not asked')
          await pause(20)
        }
      }
    },
    assertQuick(): string {
      const bound = ANSWER_MS + quiet + delay.max / 1e6
      assert.ok(slowest < bound, `an answer took ${slowest.toFixed()} ms; ${quiet.toFixed()} with Redis`)
      return `${slowest.toFixed()} (${quiet.toFixed()} with Redis)`
    },
  }
}

/** @returns how many were served */
async function takeMany(ports: number[], count: number, get: (port: number) => Promise<number>) {
  let served = 0
  for (let sent = 0; sent < count; sent += AT_ONCE) {
    const statuses = await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - sent) }, (_, place) => get(ports[place % 2] as number)),
    )
    served += statuses.filter((status) => status === 200).length
  }
  return served
}

/** All the time, of both processes; tells at the end how many were served. */
function keepAsking(ports: number[], get: (port: number) => Promise<number>) {
  let [stopping, served] = [false, 0]
  const workers = Array.from({ length: AT_ONCE }, async (_, place) => {
    while (!stopping) {
      if ((await get(ports[place % 2] as number)) === 200) served += 1
      await pause(5)
    }
  })
  const working = Promise.all(workers)
  // Told by stop(); until then nobody waits for it.
  working.catch(() => undefined)
  return {
    async stop(): Promise<number> {
      stopping = true
      await working
      return served
    },
  }
}

async function restart(redis: TestRedis, lengthMs: number): Promise<void> {
  await redis.kill()
  await pause(lengthMs)
  await redis.start()
}

/** With what it had saved, of which it reads for a while. */
async function loading({ client, kill, start }: TestRedis): Promise<void> {
  await client.call('DEBUG', 'POPULATE', MANY_KEYS)
  await client.save()
  await kill()
  await start()
  // Answered when all is read.
  const [, folder = ''] = (await client.config('GET', 'dir')) as string[]
  rmSync(join(folder, 'dump.rdb'))
}

async function withoutMemory({ client }: TestRedis, lengthMs: number): Promise<void> {
  await client.config('SET', 'maxmemory', '1')
  await pause(lengthMs)
  await client.config('SET', 'maxmemory', '0')
}

async function replica({ client }: TestRedis, lengthMs: number): Promise<void> {
  await client.replicaof('127.0.0.1', '1')
  await pause(lengthMs)
  await client.replicaof('NO', 'ONE')
}

async function stopped(redis: TestRedis, lengthMs: number): Promise<void> {
  redis.pause()
  await pause(lengthMs)
  redis.resume()
}

async function otherPassword(redis: TestRedis, lengthMs: number): Promise<void> {
  await redis.client.config('SET', 'requirepass', 'other')
  await redis.dropConnections()
  await pause(lengthMs)
  await redis.client.config('SET', 'requirepass', SECRET)
}
