import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { NEEDS_REDIS, startRedis } from '../src/testing/redis.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { randomOf, reached, rounds } from './given.ts'
import { check, checkWhole, type History } from './history-check.ts'
import { startClients } from './history-clients.ts'
import { STORES, type Stores } from './stores.ts'
import { waitFor } from './syscalls-wait.ts'

const ROUNDS = rounds(20)
/** Longest time between two kills, in milliseconds. */
const LONGEST_PEACE_MS = 500

/** Several processes on one file share their counters in a Redis. */
const ONE_FILE: Stores = {
  name: 'one SQLite file and Redis',
  skip: NEEDS_REDIS.skip,
  open: async (t) => ({
    DATABASE_URL: `sqlite:${join(scratchFolder(t), 'adoptable.db')}`,
    REDIS_URL: `redis://127.0.0.1:${(await startRedis(t)).port}`,
  }),
}

const SETUPS = [
  ...STORES.map((stores) => ({ stores, processes: stores.name === 'SQLite' ? 1 : 2 })),
  { stores: ONE_FILE, processes: 2 },
]

for (const [part, { stores, processes }] of SETUPS.entries()) {
  test(`what 64 clients see beside kill -9 agrees with what they did: ${processes} × ${stores.name}`, {
    skip: stores.skip,
  }, async (t) => {
    const random = randomOf(50 + part)
    const settings = { ...(await stores.open(t)), LOG_LEVEL: 'silent' }
    const key = await makeKey(settings.DATABASE_URL, UNLIMITED)
    const services = await Promise.all(Array.from({ length: processes }, () => startService(t, settings)))
    const clients = await startClients(t, { addresses: services.map(({ address }) => address), key, part })
    for (let round = 0; round < ROUNDS; round += 1) {
      await pause(random.whole(0, LONGEST_PEACE_MS))
      const dying = random.often(0.2) ? services : [random.pick(services)]
      await Promise.all(dying.map((service) => service.killAndRestart()))
    }
    // A busy machine may have had no time for it between two kills.
    const { lives, readings, holds } = clients.history
    await waitFor(t, () => lives.size > ROUNDS && readings.length > ROUNDS && holds.length > 0)
    await clients.stop()

    assert.deepEqual([...clients.wrong, ...check(clients.history)].slice(0, 20), [])
    const seen = readings.reduce((sum, { seen: { length } }) => sum + length, 0)
    reached(
      t,
      `${ROUNDS} kills, ${lives.size} animals, ${holds.length} orders, seen ${seen} times: no contradiction ` +
        `(answers: ${JSON.stringify(Object.fromEntries(clients.answers))})`,
    )
  })
}

/** A process on an address of its own, which it has again after each kill. */
async function startService(t: TestContext, settings: Record<string, string>) {
  const own = { ...settings, PORT: String(await freePort()) }
  let running = spawnCli(t, ['serve'], own)
  await running.serving
  return {
    address: `http://127.0.0.1:${own.PORT}`,
    async killAndRestart() {
      running.child.kill('SIGKILL')
      await running.exited
      running = spawnCli(t, ['serve'], own)
      await running.serving
    },
  }
}

/** Two animals, of which the second was renamed at 3,000 ms, and readings of them; all at process 0. */
function sample(): History {
  const at = (begun: number) => ({ begun, ended: begun + 10, process: 0 })
  const both = [
    { id: 2, name: 'b.0' },
    { id: 1, name: 'a.0' },
  ]
  return {
    lives: new Map([
      ['a', { name: 'a', id: 1, versions: [at(0)] }],
      ['b', { name: 'b', id: 2, versions: [at(1_000), at(3_000)] }],
    ]),
    readings: [
      { ...at(2_000), seen: both, asked: { from: 0 } },
      { ...at(3_005), seen: [{ id: 2, name: 'b.1' }], asked: [2] },
    ],
    holds: [
      { order: 1, pet: 1, from: 100, to: 200 },
      { order: 2, pet: 1, from: 210, to: Infinity },
      { order: 3, pet: 2, from: 150, to: Infinity },
    ],
  }
}

const PLANTED: [fault: string, plant: (history: History) => void, told: RegExp][] = [
  ['an acknowledged animal that is gone', ({ readings }) => readings[0]?.seen.pop(), /a \(id 1\) is missing/],
  ['an animal asked for that is gone', ({ readings }) => readings[1]?.seen.pop(), /b \(id 2\) is missing/],
  [
    'an id given twice',
    ({ lives }) => lives.set('c', { name: 'c', id: 1, versions: [{ begun: 0, ended: 9e9, process: 0 }] }),
    /id 1 belongs to/,
  ],
  [
    'an animal under two ids',
    ({ readings }) => readings[0]?.seen.push({ id: 3, name: 'a.0' }),
    /a has the ids/,
  ],
  ['an animal twice in a list', ({ readings }) => readings[0]?.seen.push({ id: 1, name: 'a.0' }), /is twice/],
  [
    'an animal that nobody created',
    ({ readings }) => readings[0]?.seen.push({ id: 3, name: 'd.0' }),
    /d\.0 was seen and never sent/,
  ],
  [
    'a change seen before it was sent',
    ({ readings }) => Object.assign(readings[0]?.seen[0] ?? {}, { name: 'b.1' }),
    /b\.1 was seen and never sent/,
  ],
  [
    'an old name at the process that answered the new one',
    ({ readings }) =>
      readings.push({ begun: 3_020, ended: 3_030, process: 0, seen: [{ id: 2, name: 'b.0' }], asked: [2] }),
    /b\.0 was read from process 0 after version 1/,
  ],
  [
    'an old name at another process after a second',
    ({ readings }) =>
      readings.push({ begun: 4_020, ended: 4_030, process: 1, seen: [{ id: 2, name: 'b.0' }], asked: [2] }),
    /b\.0 was read from process 1 after version 1/,
  ],
  [
    'two open orders on one animal',
    ({ holds }) => Object.assign(holds[0] ?? {}, { to: 220 }),
    /orders 1 and 2/,
  ],
]

test('a history without a fault passes the check, and each kind of fault fails it', () => {
  assert.deepEqual(check(sample()), [])
  for (const [fault, plant, told] of PLANTED) {
    const history = sample()
    plant(history)
    assert.match(check(history).join('\n'), told, fault)
  }
})

test('an old name at another process within a second is no fault', () => {
  const history = sample()
  history.readings.push({
    begun: 3_900,
    ended: 3_910,
    process: 1,
    seen: [{ id: 2, name: 'b.0' }],
    asked: [2],
  })
  assert.deepEqual(check(history), [])
})

test('a whole list with an animal too many, too few, or in an old version is a fault', () => {
  const seen = [
    { id: 2, name: 'b.1' },
    { id: 1, name: 'a.0' },
  ]
  const told = (...shown: typeof seen): string =>
    checkWhole(sample(), { begun: 5_000, ended: 5_010, process: 0, seen: shown, asked: [] }).join('\n')
  assert.equal(told(...seen), '')
  assert.match(told(...seen, { id: 3, name: 'a.0' }), /^a\.0 \(id 3\) is too much/)
  assert.match(told(...seen, { id: 3, name: 'c.0' }), /^c\.0 \(id 3\) is too much/)
  assert.match(told(...seen, ...seen.slice(1)), /^an animal is twice/)
  assert.match(told(...seen.slice(1)), /^b\.1 \(id 2\) is missing/)
  assert.match(told({ id: 2, name: 'b.0' }, ...seen.slice(1)), /^b\.1 \(id 2\) is missing.*\nb\.0/)
})
