import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { assertNothingLost, startCreators } from '../lab/creators.ts'
import { waitFor } from '../lab/parallel.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'
import { newService, startService } from '../lab/service.ts'
import { assertSound, onEach } from '../lab/stores.ts'
import {
  type Call,
  countCalls,
  isKilled,
  killedAt,
  logged,
  ON_DISK,
  ON_SOCKETS,
  type Point,
  readCalls,
  upTo,
} from '../lab/strace.ts'

const ROUNDS = rounds(20)
/** A service that has done so much is not killed any more. */
const CREATES = 200
const CLIENTS = 8
/** Enough for SQLite to fold its log into the file in the midst of them. */
const CREATES_TO_CHECKPOINT = 900
/** Of the order proof: so many for each round. */
const CREATES_A_ROUND = 25

const HAS_STRACE = needs('strace')

/** All of them when the rounds suffice, or else as many by the seed. */
function chosen(points: Point[], part: number): { points: Point[]; share: string } {
  const some = randomOf(part).shuffled(points).slice(0, ROUNDS)
  return { points: some, share: `${some.length} of ${points.length} system calls` }
}

const FIRST_START = 'a first start killed at any system call leaves a store that starts and is whole'
test(FIRST_START, HAS_STRACE, async (t) => {
  const folder = scratchFolder(t)
  const log = join(folder, 'log')
  const service = await newService(t, { key: false, settings: { LOG_LEVEL: 'info' } })
  const fileOf = (name: string | number): string => join(folder, `${name}.db`)
  const on = (name: string | number) => ({ DATABASE_URL: `sqlite:${fileOf(name)}` })
  await service.start({ settings: on('whole'), through: logged([...ON_DISK, ...ON_SOCKETS], log) })
  await service.end()
  const { points, share } = chosen(upTo((await countCalls(log)).most), 0)

  let kills = 0
  for (const [number, point] of points.entries()) {
    const about = `killed at ${point.name} ${point.nth}`
    if (await isKilled(service, killedAt(point), on(number))) kills += 1
    await service.start({ settings: on(number) }).catch((error) => assert.fail(`${about}: ${error}`))
    await service.end()
    const store = new DatabaseSync(fileOf(number))
    const counts =
      'select (select count(*) from category) as categories, (select count(*) from api_key) as keys'
    assert.deepEqual({ ...store.prepare(counts).get() }, { categories: 8, keys: 1 }, about)
    store.close()
    assertSound(on(number).DATABASE_URL, about)
    rmSync(fileOf(number))
  }
  assert.ok(kills >= points.length / 2, `${kills} kills only`)
  reached(t, `${kills} kills at ${share}: every next start served, from a whole store`)
})

onEach(
  'a service killed at any system call loses and doubles no animal',
  async (t, { stores, embedded, part }) => {
    const log = join(scratchFolder(t), 'log')
    const service = await newService(t, { settings: stores })
    const creators = startCreators(t, service, { clients: CLIENTS })

    let kills = 0
    /** One life, which ends at the kill, or after so many creates. */
    async function live(through: string[], creates: number): Promise<void> {
      const before = creators.ledger.size
      service.launch({ through })
      await waitFor(t, () => !service.alive() || creators.ledger.size >= before + creates)
      if (!service.alive()) kills += 1
      await service.end()
    }
    const names = embedded ? [...ON_DISK, ...ON_SOCKETS] : ON_SOCKETS
    await live(logged(names, log, '-s', '20'), embedded ? CREATES_TO_CHECKPOINT : CREATES)
    const { most, checkpoint } = await countCalls(log, CREATES, CREATES_TO_CHECKPOINT)
    assert.equal(checkpoint.length > 0, embedded, 'the log was folded into the file')
    const { points, share } = chosen([...upTo(most), ...checkpoint], 1 + part)

    for (const point of points) await live(killedAt(point), point.creates ?? CREATES)
    await service.start()
    const ledger = await creators.stop()
    await assertNothingLost(service, ledger)
    await service.end()
    assertSound(stores.DATABASE_URL)
    assert.ok(kills >= points.length / 4, `${kills} kills only`)
    reached(t, `${kills} kills at ${share}, ${ledger.size} creates: 0 lost, 0 twice`)
  },
  HAS_STRACE,
)

test(
  'every 201 is sent after the animal was written to the log, and the log synced',
  HAS_STRACE,
  async (t) => {
    const { answers, early } = await watchOrder(t, ROUNDS * CREATES_A_ROUND)

    assert.deepEqual(early, [])
    assert.ok(answers >= ROUNDS * CREATES_A_ROUND, `${answers} answers were seen`)
    reached(t, `${answers} of ${answers} creates were on the disk before they were answered`)
  },
)

const CONTROL = { ...HAS_STRACE, timeout: 60_000 }
test('control: a service that does not sync is seen to send every 201 too early', CONTROL, async (t) => {
  const { answers, early } = await watchOrder(t, CREATES_A_ROUND, copyWithoutSync(t))

  assert.ok(answers >= CREATES_A_ROUND)
  assert.equal(early.length, answers)
})

const SEEN = /seen-\d+-\d+/g
const WHOLE_PAGE = '4200'

/** Watches a service while it takes creates. @returns how many 201 it sent, and for which animals too early */
async function watchOrder(t: TestContext, creates: number, folder = resolve('.')) {
  const log = join(scratchFolder(t), 'log')
  const calls = ['pwrite64', 'fsync', 'fdatasync', ...ON_SOCKETS]
  const through = logged(calls, log, '-s', WHOLE_PAGE)
  const service = await startService(t, { through, program: `${folder}/bin/adoptable.js` })
  const creators = startCreators(t, service, { clients: CLIENTS, prefix: 'seen' })
  await waitFor(t, () => !service.alive() || creators.ledger.size >= creates)
  await creators.stop()
  await service.end()

  /** The line in which an animal's page was first written. */
  const written = new Map<string, number>()
  const syncs: Call[] = []
  let answers = 0
  const early: string[] = []
  for await (const call of readCalls(log)) {
    if (call.file.endsWith('-wal')) {
      if (call.name !== 'pwrite64') syncs.push(call)
      else for (const pet of call.text.match(SEEN) ?? []) if (!written.has(pet)) written.set(pet, call.ended)
    }
    if (!call.text.includes('"HTTP/1.1 201')) continue
    answers += 1
    const [pet = ''] = call.text.match(SEEN) ?? []
    const synced = syncs.findLast(({ ended }) => ended < call.begun)
    if (!synced || synced.begun < (written.get(pet) ?? Infinity)) early.push(pet)
  }
  return { answers, early }
}

/** The program with one word changed, which its own tests would hardly notice. */
function copyWithoutSync(t: TestContext): string {
  const folder = scratchFolder(t)
  for (const part of ['bin', 'src', 'package.json', 'openapi.json'])
    cpSync(part, join(folder, part), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const file = join(folder, 'src/db/sqlite.ts')
  const source = readFileSync(file, 'utf8')
  const changed = source.replace('synchronous = full', 'synchronous = off')
  assert.notEqual(changed, source)
  writeFileSync(file, changed)
  return folder
}
