import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { makeKey, UNLIMITED } from '../../src/testing/start-app.ts'
import { times, waitFor } from '../lab/parallel.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { startService } from '../lab/service.ts'
import { SERVERS, SHARED_FILE, SQLITE } from '../lab/stores.ts'
import { check, checkWhole, type History } from './history-check.ts'
import { startClients } from './history-clients.ts'

const ROUNDS = rounds(20)
/** Longest time between two kills, in milliseconds. */
const LONGEST_PEACE_MS = 500

for (const [part, { name, skip, open }] of [SQLITE, SERVERS, SHARED_FILE].entries()) {
  const processes = part === 0 ? 1 : 2
  const title = `what 64 clients see beside kill -9 agrees with what they did: ${processes} × ${name}`
  test(title, { skip }, async (t) => {
    const random = randomOf(50 + part)
    const stores = await open(t)
    const key = await makeKey(stores.DATABASE_URL, UNLIMITED)
    const services = await Promise.all(
      times(processes, () => startService(t, { settings: stores, key: false })),
    )
    const clients = await startClients(t, { addresses: services.map(({ address }) => address), key, part })
    for (let round = 0; round < ROUNDS; round += 1) {
      await pause(random.whole(0, LONGEST_PEACE_MS))
      const dying = random.often(0.2) ? services : [random.pick(services)]
      await Promise.all(dying.map((service) => service.end().then(() => service.start())))
    }
    // A busy machine may have had no time for it between two kills.
    const { lives, readings, holds } = clients.history
    await waitFor(t, () => lives.size > ROUNDS && readings.length > ROUNDS && holds.length > 0)
    await clients.stop()

    assert.deepEqual([...clients.wrong, ...check(clients.history)].slice(0, 20), [])
    const seen = readings.reduce((sum, { seen: { length } }) => sum + length, 0)
    const known = `${lives.size} animals, ${holds.length} orders, seen ${seen} times`
    const answers = JSON.stringify(Object.fromEntries(clients.answers))
    reached(t, `${ROUNDS} kills, ${known}: no contradiction (answers: ${answers})`)
  })
}

/** Two animals, of which the second was renamed at 3,000 ms, and readings of them; all at process 0. */
function sample(): History {
  const at = (begun: number) => ({ begun, ended: begun + 10, process: 0 })
  return {
    lives: new Map([
      ['a', { name: 'a', id: 1, versions: [at(0)] }],
      ['b', { name: 'b', id: 2, versions: [at(1_000), at(3_000)] }],
    ]),
    readings: [
      { ...at(2_000), seen: [animal(2, 'b.0'), animal(1, 'a.0')], asked: { from: 0 } },
      { ...at(3_005), seen: [animal(2, 'b.1')], asked: [2] },
    ],
    holds: [
      { order: 1, pet: 1, from: 100, to: 200 },
      { order: 2, pet: 1, from: 210, to: Infinity },
      { order: 3, pet: 2, from: 150, to: Infinity },
    ],
  }
}

const animal = (id: number, name: string) => ({ id, name })
/** Animal 2 under its old name, read from this process at this time. */
const old = (process: number, begun: number) => ({
  ...{ begun, ended: begun + 10, process },
  ...{ seen: [animal(2, 'b.0')], asked: [2] },
})
const AGAIN = { name: 'c', id: 1, versions: [{ begun: 0, ended: 9e9, process: 0 }] }

/** Mistakes of a service: what plants each in the sample, and what is told of it. */
const PLANTED: Record<string, [plant: (history: History) => void, told: RegExp]> = {
  'an acknowledged animal is gone': [({ readings }) => readings[0]?.seen.pop(), /a \(id 1\) is missing/],
  'an animal asked for is gone': [({ readings }) => readings[1]?.seen.pop(), /b \(id 2\) is missing/],
  'an id given twice': [({ lives }) => lives.set('c', AGAIN), /id 1 belongs to/],
  'an animal under two ids': [({ readings }) => readings[0]?.seen.push(animal(3, 'a.0')), /a has the ids/],
  'an animal twice in a list': [({ readings }) => readings[0]?.seen.push(animal(1, 'a.0')), /is twice/],
  'an animal that nobody created': [
    ({ readings }) => readings[0]?.seen.push(animal(3, 'd.0')),
    /d\.0 was seen and never sent/,
  ],
  'a change seen before it was sent': [
    ({ readings }) => Object.assign(readings[0]?.seen[0] ?? {}, { name: 'b.1' }),
    /b\.1 was seen and never sent/,
  ],
  'an old name at the process that answered the new one': [
    ({ readings }) => readings.push(old(0, 3_020)),
    /b\.0 was read from process 0 after version 1/,
  ],
  'an old name at another process after a second': [
    ({ readings }) => readings.push(old(1, 4_020)),
    /b\.0 was read from process 1 after version 1/,
  ],
  'two open orders on one animal': [
    ({ holds }) => Object.assign(holds[0] ?? {}, { to: 220 }),
    /orders 1 and 2/,
  ],
}

test('control: a history without a fault passes the check, and each kind of fault fails it', () => {
  assert.deepEqual(check(sample()), [])
  for (const [fault, [plant, told]] of Object.entries(PLANTED)) {
    const history = sample()
    plant(history)
    assert.match(check(history).join('\n'), told, fault)
  }
})

test('an old name at another process within a second is no fault', () => {
  const history = sample()
  history.readings.push(old(1, 3_900))
  assert.deepEqual(check(history), [])
})

test('control: a whole list with an animal too many, too few, or in an old version is a fault', () => {
  const seen = [animal(2, 'b.1'), animal(1, 'a.0')]
  const told = (...shown: typeof seen): string =>
    checkWhole(sample(), { begun: 5_000, ended: 5_010, process: 0, seen: shown, asked: [] }).join('\n')
  assert.equal(told(...seen), '')
  assert.match(told(...seen, animal(3, 'a.0')), /^a\.0 \(id 3\) is too much/)
  assert.match(told(...seen, animal(3, 'c.0')), /^c\.0 \(id 3\) is too much/)
  assert.match(told(...seen, ...seen.slice(1)), /^an animal is twice/)
  assert.match(told(...seen.slice(1)), /^b\.1 \(id 2\) is missing/)
  assert.match(told(animal(2, 'b.0'), ...seen.slice(1)), /^b\.1 \(id 2\) is missing.*\nb\.0/)
})
