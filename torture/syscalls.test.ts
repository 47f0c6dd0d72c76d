import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from './creators.ts'
import { needs, randomOf, reached, rounds } from './given.ts'
import { STORES } from './stores.ts'
import {
  type Call,
  countCalls,
  killedAt,
  ON_DISK,
  ON_SOCKETS,
  onlyCalls,
  type Point,
  readCalls,
  serveTraced,
  upTo,
} from './syscalls-trace.ts'
import { waitFor } from './syscalls-wait.ts'

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

test('a first start killed at any system call leaves a store that starts and is whole', {
  ...HAS_STRACE,
}, async (t) => {
  const folder = scratchFolder(t)
  const log = join(folder, 'log')
  const PORT = String(await freePort())
  const settingsOf = (name: string | number) => ({
    DATABASE_URL: `sqlite:${join(folder, `${name}.db`)}`,
    PORT,
  })
  const names = [...ON_DISK, ...ON_SOCKETS]
  const strace = [...onlyCalls(names), '-y', '-o', log]
  const whole = serveTraced(t, { settings: settingsOf('whole'), strace })
  await whole.serving
  whole.kill()
  await whole.exited
  const { most } = await countCalls(log)
  const { points, share } = chosen(upTo(most), 0)

  let kills = 0
  for (const [number, point] of points.entries()) {
    const settings = settingsOf(number)
    const killed = serveTraced(t, { settings, strace: killedAt(point) })
    await Promise.race([killed.serving, killed.exited]).catch(() => undefined)
    if (!killed.alive()) kills += 1
    killed.kill()
    await killed.exited
    const next = spawnCli(t, ['serve'], settings)
    await next.serving.catch((error) => assert.fail(`killed at ${point.name} ${point.nth}: ${error}`))
    next.child.kill('SIGKILL')
    await next.exited
    const store = new DatabaseSync(join(folder, `${number}.db`))
    const found = store
      .prepare(`select (select count(*) from category) as categories, (select count(*) from api_key) as keys`)
      .get()
    assert.deepEqual({ ...found }, { categories: 8, keys: 1 }, `killed at ${point.name} ${point.nth}`)
    assertWhole(store)
    store.close()
    rmSync(join(folder, `${number}.db`))
  }
  assert.ok(kills >= points.length / 2, `${kills} kills only`)
  reached(t, `${kills} kills at ${share}: every next start served, from a whole store`)
})

for (const [part, stores] of STORES.entries()) {
  test(`a service killed at any system call loses and doubles no animal, on ${stores.name}`, {
    skip: stores.skip || HAS_STRACE.skip,
  }, async (t) => {
    const log = join(scratchFolder(t), 'log')
    const settings = { ...(await stores.open(t)), PORT: String(await freePort()), LOG_LEVEL: 'silent' }
    const address = `http://127.0.0.1:${settings.PORT}`
    const key = await makeKey(settings.DATABASE_URL, UNLIMITED)
    const creators = startCreators({ signal: t.signal, address: () => address, key, clients: CLIENTS })
    const onDisk = stores.name === 'SQLite'
    const names = onDisk ? [...ON_DISK, ...ON_SOCKETS] : ON_SOCKETS

    let kills = 0
    /** One life, which ends at the kill, or after so many creates. */
    async function live(strace: string[], creates: number): Promise<void> {
      const before = creators.ledger.size
      const service = serveTraced(t, { settings, strace })
      await waitFor(t, () => !service.alive() || creators.ledger.size >= before + creates)
      if (!service.alive()) kills += 1
      service.kill()
      await service.exited
    }
    const watched = [...onlyCalls(names), '-y', '-s', '20', '-o', log]
    await live(watched, onDisk ? CREATES_TO_CHECKPOINT : CREATES)
    const { most, checkpoint } = await countCalls(log, CREATES, CREATES_TO_CHECKPOINT)
    assert.equal(checkpoint.length > 0, onDisk, 'the log was folded into the file')
    const { points, share } = chosen([...upTo(most), ...checkpoint], 1 + part)

    for (const point of points) await live(killedAt(point), point.creates ?? CREATES)
    const last = spawnCli(t, ['serve'], settings)
    await last.serving
    const ledger = await creators.stop()
    assertNothingLost(await audit(address, key, ledger))
    last.child.kill('SIGKILL')
    await last.exited
    if (onDisk) assertWhole(new DatabaseSync(settings.DATABASE_URL.slice('sqlite:'.length)))
    assert.ok(kills >= points.length / 4, `${kills} kills only`)
    reached(t, `${kills} kills at ${share}, ${ledger.size} creates: 0 lost, 0 twice`)
  })
}

function assertWhole(store: DatabaseSync): void {
  assert.deepEqual(store.prepare('pragma integrity_check').all().map(Object.values), [['ok']])
  assert.deepEqual(store.prepare('pragma foreign_key_check').all(), [])
}

test('every 201 is sent after the animal was written to the log, and the log synced', {
  ...HAS_STRACE,
}, async (t) => {
  const { answers, early } = await watchOrder(t, '.', ROUNDS * CREATES_A_ROUND)

  assert.deepEqual(early, [])
  assert.ok(answers >= ROUNDS * CREATES_A_ROUND, `${answers} answers were seen`)
  reached(t, `${answers} of ${answers} creates were on the disk before they were answered`)
})

test('a service that does not sync is seen to send every 201 too early', {
  ...HAS_STRACE,
  timeout: 60_000,
}, async (t) => {
  const { answers, early } = await watchOrder(t, copyWithoutSync(t), CREATES_A_ROUND)

  assert.ok(answers >= CREATES_A_ROUND)
  assert.equal(early.length, answers)
})

/** Watches a service while it takes creates. @returns how many 201 it sent, and for which animals too early */
async function watchOrder(t: TestContext, folder: string, creates: number) {
  const data = scratchFolder(t)
  const log = join(data, 'log')
  const settings = {
    DATABASE_URL: `sqlite:${join(data, 'pets.db')}`,
    PORT: String(await freePort()),
    LOG_LEVEL: 'silent',
  }
  const address = `http://127.0.0.1:${settings.PORT}`
  const key = await makeKey(settings.DATABASE_URL, UNLIMITED)
  const calls = onlyCalls(['pwrite64', 'fsync', 'fdatasync', ...ON_SOCKETS])
  const strace = [...calls, '-y', '-s', WHOLE_PAGE, '-o', log]
  const service = serveTraced(t, { settings, strace, folder })
  await service.serving
  const creators = startCreators({
    signal: t.signal,
    address: () => address,
    key,
    clients: CLIENTS,
    prefix: 'seen',
  })
  await waitFor(t, () => !service.alive() || creators.ledger.size >= creates)
  await creators.stop()
  service.kill()
  await service.exited

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

const WHOLE_PAGE = '4200'
const SEEN = /seen-\d+-\d+/g

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
