import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertError } from '../../src/testing/client.ts'
import { freePort } from '../../src/testing/port.ts'
import { spawnCli } from '../../src/testing/process.ts'
import { NEEDS_REDIS, startRedis, type TestRedis } from '../../src/testing/redis.ts'
import { makeKey } from '../../src/testing/start-app.ts'
import { each, repeat } from '../lab/parallel.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { client } from '../lab/service.ts'
import { sqliteFile } from '../lab/stores.ts'

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
/** One for each process, so that one alone can be cut off. */
const USERS = ['first', 'second', 'third'] as const
const SETTINGS = [
  ...['--requirepass', SECRET, '--enable-debug-command', 'local'],
  ...USERS.flatMap((user) => ['--user', user, 'on', `>${SECRET}`, '~*', '&*', '+@all']),
  ...['--key-load-delay', '300', '--loading-process-events-interval-bytes', '1024'],
]
const onRedis = (title: string, run: (t: TestContext) => Promise<void>) =>
  test(title, { skip: NEEDS_REDIS.skip }, run)

type State = (redis: TestRedis, lengthMs: number) => Promise<unknown>

onRedis(
  'whatever becomes of Redis in the middle of a window, two processes serve no more than the limit',
  async (t) => {
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

onRedis(
  'while Redis is dead under load, two processes serve no more than the limit, at once, and stay up',
  async (t) => {
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

onRedis(
  'while a process is cut off and lives, another that starts under its host and port takes nothing of its share',
  async (t) => {
    const random = randomOf(1)
    const { redis, ports, settings, urlOf, newKey, ask, untilExact } = await startServices(t)
    let alone = 0
    for (let round = 0; round < Math.ceil(ROUNDS / 10); round += 1) {
      const key = await newKey()
      const began = performance.now()
      const get = (port: number) => ask(port, key)
      let served = await takeMany(ports, random.whole(LIMIT / 8, LIMIT / 2), get)
      await redis.client.call('ACL', 'SETUSER', USERS[0], 'off')
      await redis.client.call('CLIENT', 'KILL', 'USER', USERS[0])
      await pause(random.whole(0, 500))
      const PORT = String(ports[0])
      const third = spawnCli(t, ['serve'], { ...settings, PORT, REDIS_URL: urlOf(USERS[2]) })
      assert.equal((await third.exited).code, 1, 'the port is taken')
      served += await takeMany(ports.slice(1), LIMIT + 40, get)
      const own = await takeMany(ports.slice(0, 1), LIMIT + 40, get)
      await redis.client.call('ACL', 'SETUSER', USERS[0], 'on')
      await untilExact()
      served += own + (await takeMany(ports, LIMIT + 40, get))

      assert.ok(served <= LIMIT, `round ${round}: ${served} of ${LIMIT} were served`)
      assert.ok(performance.now() - began < MINUTE_MS, 'this machine is too slow: the window was over')
      const fourth = spawnCli(t, ['serve'], { ...settings, PORT: '0', REDIS_URL: `${urlOf(USERS[2])}/1` })
      await assert.rejects(fourth.serving, /the counters of this store are in the Redis at /)
      alone += own
    }
    assert.ok(alone > 0, 'nobody was served by a process that was cut off')
    reached(t, `${Math.ceil(ROUNDS / 10)} cut off: never more than ${LIMIT}, ${alone} served alone`)
  },
)

/** Two processes on one store and one Redis. */
async function startServices(t: TestContext) {
  const redis = await startRedis(t, ...SETTINGS)
  const DATABASE_URL = sqliteFile(t)
  const urlOf = (user: string) => `redis://${user}:${SECRET}@127.0.0.1:${redis.port}`
  // Nobody is refused so often in a second that it would be a ban.
  const bans = { BAN_AFTER_REFUSALS: '10000', BAN_WINDOW_SECONDS: '1' }
  const settings = { DATABASE_URL, ...bans, LOG_LEVEL: 'silent' }
  const newKey = () =>
    makeKey(DATABASE_URL, { plan: 'enterprise', limits: { perMinute: LIMIT, perDay: 1e6 } })
  const ports = [await freePort(), await freePort()]
  for (const [number, port] of ports.entries()) {
    const own = { PORT: String(port), REDIS_URL: urlOf(USERS[number] ?? '') }
    await spawnCli(t, ['serve'], { ...settings, ...own }).serving
  }
  const asks = new Map(ports.map((port) => [port, client(t, `http://127.0.0.1:${port}`, '')]))
  // Each has to have seen that the other lives.
  await pause(1_500)
  // On a busy machine this process, too, comes late.
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  let slowest = 0

  async function ask(port: number, key: string, path = '/v1/pets'): Promise<number> {
    const since = performance.now()
    const headers = { authorization: key && `Bearer ${key}` }
    const answer = await asks.get(port)?.(path, { headers })
    assert.ok(answer)
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
    settings,
    urlOf,
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
  await each(Array(count).keys(), AT_ONCE, async (place) => {
    if ((await get(ports[place % ports.length] as number)) === 200) served += 1
  })
  return served
}

/** All the time, of both processes; tells at the end how many were served. */
function keepAsking(ports: number[], get: (port: number) => Promise<number>) {
  let served = 0
  const working = repeat(
    AT_ONCE,
    async (place) => {
      if ((await get(ports[place % 2] as number)) === 200) served += 1
    },
    5,
  )
  return { stop: () => working.stop().then(() => served) }
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

async function setPasswords(redis: TestRedis, secret: string): Promise<void> {
  for (const user of USERS) await redis.client.call('ACL', 'SETUSER', user, 'resetpass', `>${secret}`)
  if (secret !== SECRET) await redis.dropConnections()
}

type Step = (redis: TestRedis) => unknown
const set =
  (name: string, value: string): Step =>
  ({ client }) =>
    client.config('SET', name, value)
const follow =
  (host: string, port: string): Step =>
  ({ client }) =>
    client.replicaof(host, port)
const passwords =
  (secret: string): Step =>
  (redis) =>
    setPasswords(redis, secret)

/** For so long something is done, and then undone. */
const meanwhile =
  (begin: Step, end: Step): State =>
  async (redis, lengthMs) => {
    await begin(redis)
    await pause(lengthMs)
    await end(redis)
  }
const kill: Step = (redis) => redis.kill()
const start: Step = (redis) => redis.start()
const stop: Step = (redis) => redis.pause()
const goOn: Step = (redis) => redis.resume()

/** By how often each is chosen. Not among them: eviction, which docs/operating.md forbids, as it forgets limits. */
const STATES: [weight: number, name: string, state: State][] = [
  [10, 'killed, and started empty', meanwhile(kill, start)],
  [1, 'killed, and loading for a while', loading],
  [1, 'without memory', meanwhile(set('maxmemory', '1'), set('maxmemory', '0'))],
  [1, 'a replica', meanwhile(follow('127.0.0.1', '1'), follow('NO', 'ONE'))],
  [1, 'asleep', ({ client }, ms) => client.call('DEBUG', 'SLEEP', ms / 1_000)],
  [1, 'stopped', meanwhile(stop, goOn)],
  [1, 'of another password', meanwhile(passwords('other'), passwords(SECRET))],
  [1, 'emptied by hand', ({ client }) => client.flushall()],
  [1, 'without its scripts', ({ client }) => client.script('FLUSH')],
]
