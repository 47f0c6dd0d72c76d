import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openToWrite } from '../src/db/open-sqlite.ts'
import { generateKey } from '../src/keys/key-format.ts'
import { runCli, spawnCli } from '../src/testing/process.ts'
import { scratchFolder } from '../src/testing/start-app.ts'
import { needs, randomOf, reached, rounds } from './given.ts'
import { countCalls, killedAt, ON_DISK, onlyCalls, type Point, serveTraced, upTo } from './syscalls-trace.ts'
import { makeStore, readRows, readSchema, STEPS } from './upgrade-stores.ts'

const ROUNDS = rounds(20)
/** A killed start may be followed by others that are killed, too. */
const MOST_KILLS = 3

/** Of the one key that asks the new service something. */
const OWN_COUNTER = 'key:1'

interface Old {
  file: string
  step: number
  key: string
}

async function makeOld(t: TestContext, step: number): Promise<Old> {
  const file = join(scratchFolder(t), 'old.db')
  const key = generateKey('production')
  await makeStore(file, step, key, randomOf(step))
  return { file, step, key }
}

/** A store has every row of the old one, with what is in its columns, and the tables of a new one. */
async function assertUpgraded(t: TestContext, file: string, old: Old, about: string): Promise<void> {
  const fresh = join(scratchFolder(t), 'fresh.db')
  const { database: made } = await openToWrite(fresh)
  const [before, now] = [new DatabaseSync(old.file), new DatabaseSync(file)]
  try {
    assert.deepEqual(now.prepare('pragma integrity_check').all().map(Object.values), [['ok']], about)
    assert.deepEqual(readSchema(now), readSchema(made), about)
    const rows = readRows(now)
    for (const [table, expected] of readRows(before)) {
      if (table === 'sqlite_sequence' || expected[0] === undefined) continue
      const columns = Object.keys(expected[0])
      const kept = rows
        .get(table)
        ?.filter(({ caller }) => caller !== OWN_COUNTER)
        .map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])))
      assert.deepEqual(
        kept,
        expected.map((row) => ({ ...row })),
        `${about}: ${table}`,
      )
    }
    const counted = now.prepare('select coalesce(sum(pets), 0) as pets from inventory').get()
    assert.equal(counted?.pets, rows.get('pet')?.length, about)
  } finally {
    for (const database of [made, before, now]) database.close()
  }
}

test('a store of each earlier release is brought up to date with every row, and its key still works', {
  timeout: 120_000,
}, async (t) => {
  for (let step = 1; step <= STEPS.length; step += 1) {
    const old = await makeOld(t, step)
    const file = `${old.file}.new`
    copyFileSync(old.file, file)
    const { serving, child, exited } = spawnCli(t, ['serve'], { DATABASE_URL: `sqlite:${file}`, PORT: '0' })
    const headers = { authorization: `Bearer ${old.key}` }
    const answer = await fetch(`${await serving}/v1/pets?limit=1`, { headers })
    const [newest] = (await answer.json()) as { id: number }[]
    child.kill('SIGTERM')
    await exited

    await assertUpgraded(t, file, old, STEPS[step - 1] ?? '')
    const store = new DatabaseSync(file)
    assert.equal(newest?.id, store.prepare('select max(id) as id from pet').get()?.id)
    store.close()
  }
  reached(t, `${STEPS.length} releases, every row kept`)
})

test('an upgrade that is killed at any system call, and again, is carried out by the next start, with every row', {
  ...needs('strace'),
}, async (t) => {
  const random = randomOf(50)
  // A few rounds look at a few releases.
  const steps = random.shuffled(STEPS.map((_, step) => step)).slice(0, Math.ceil(ROUNDS / 2))
  const olds = new Map<number, { old: Old; points: Point[] }>()
  for (const step of steps) {
    const old = await makeOld(t, step)
    olds.set(step, { old, points: await callsOfUpgrade(t, old) })
  }
  const all = [...olds.values()].flatMap(({ old, points }) => points.map((point) => ({ old, point, points })))
  const chosen = random.shuffled(all).slice(0, ROUNDS)
  const file = join(scratchFolder(t), 'upgraded.db')
  let kills = 0
  for (const { old, point, points } of chosen) {
    const about = `step ${old.step}, killed at ${point.name} ${point.nth}`
    for (const end of ['', '-wal', '-shm', '-journal', '.lock']) rmSync(file + end, { force: true })
    copyFileSync(old.file, file)
    const more = Array.from({ length: random.whole(0, MOST_KILLS - 1) }, () => random.pick(points))
    for (const at of [point, ...more]) {
      if (await serveUntilKilled(t, file, killedAt(at))) kills += 1
    }
    const next = spawnCli(t, ['serve'], { DATABASE_URL: `sqlite:${file}`, PORT: '0' })
    await next.serving.catch((error) => assert.fail(`${about}: ${error}`))
    next.child.kill('SIGKILL')
    await next.exited
    await assertUpgraded(t, file, old, about)
  }
  assert.ok(kills >= chosen.length / 2, `${kills} kills only`)
  reached(
    t,
    `${kills} kills at ${chosen.length} of ${all.length} system calls of ${steps.length} upgrades: every row kept`,
  )
})

test('a store of a later release is refused in one line, and stays as it is', {
  timeout: 30_000,
}, async (t) => {
  const { file } = await makeOld(t, STEPS.length)
  const store = new DatabaseSync(file)
  store.exec(`insert into kysely_migration values ('9999-later', '2030-01-01T00:00:00.000Z')`)
  store.close()
  const before = readFileSync(file)

  const { code, stdout, stderr } = await runCli(t, ['serve'], { DATABASE_URL: `sqlite:${file}`, PORT: '0' })
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^adoptable: [^\n]*9999-later[^\n]*\n$/)
  assert.ok(readFileSync(file).equals(before))
})

/** Every system call of an upgrade that touches the disk. */
async function callsOfUpgrade(t: TestContext, { file }: Old): Promise<Point[]> {
  const [copy, log] = [`${file}.counted`, `${file}.log`]
  copyFileSync(file, copy)
  await serveUntilKilled(t, copy, [...onlyCalls(ON_DISK), '-y', '-o', log])
  return upTo((await countCalls(log)).most)
}

/** Ends when strace kills the service, or else as soon as it serves. @returns whether strace did */
async function serveUntilKilled(t: TestContext, file: string, strace: string[]): Promise<boolean> {
  const settings = { DATABASE_URL: `sqlite:${file}`, PORT: '0', LOG_LEVEL: 'silent' }
  const service = serveTraced(t, { settings, strace })
  await Promise.race([service.serving, service.exited]).catch(() => undefined)
  const killed = !service.alive()
  service.kill()
  await service.exited
  return killed
}
