import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { generateKey } from '../../src/keys/key-format.ts'
import { spawnCli } from '../../src/testing/process.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { times } from '../lab/parallel.ts'
import { needs, randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { createClient, newService } from '../lab/service.ts'
import { assertIntact } from '../lab/stores.ts'
import { countCalls, DISK_CALLS, killAt, listKillPoints, logCalls, startUntilKilled } from '../lab/strace.ts'
import { makeStore, openNext, readRows, readSchema } from './stores.ts'

const ROUNDS = rounds(20)
/** Number of stores, each with different rows. */
const STORES = 3
/**
 * Tables that a start fills. The search tables are not compared either, because they are made from the
 * animals.
 */
const UNCOMPARED_TABLES = ['sqlite_sequence', 'installation', 'known_time', 'revision']
/** Up to this many starts in a row are killed. */
const MAX_KILLS = 3

/** Counter of the key that sends requests to the new service. */
const OWN_COUNTER = 'key:1'

interface OldStore {
  file: string
  key: string
}

async function makeOldStore(t: TestContext, seed: number): Promise<OldStore> {
  const file = join(scratchFolder(t), 'old.db')
  const key = generateKey('production')
  await makeStore(file, key, randomOf(seed))
  return { file, key }
}

/** A service of the next release on an old file. */
const serviceOn = (t: TestContext, file: string) =>
  newService(t, {
    settings: { DATABASE_URL: `sqlite:${file}` },
    key: false,
    program: resolve('torture/upgrade/next-release.ts'),
  })

/** Asserts that a store has every row of the old one and the schema of a new one. */
async function assertUpgraded(t: TestContext, file: string, old: OldStore, about: string): Promise<void> {
  const fresh = join(scratchFolder(t), 'fresh.db')
  const made = await openNext(fresh)
  const [before, now] = [new DatabaseSync(old.file), new DatabaseSync(file)]
  try {
    assertIntact(`sqlite:${file}`, about)
    assert.deepEqual(readSchema(now), readSchema(made), about)
    const rows = readRows(now)
    for (const [table, expected] of readRows(before)) {
      if (UNCOMPARED_TABLES.includes(table) || /^(pet_tokens|search_|pet_search)/.test(table) || !expected[0])
        continue
      const columns = Object.keys(expected[0])
      const actual = rows
        .get(table)
        ?.filter(({ caller }) => caller !== OWN_COUNTER)
        .map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])))
      const expectedRows = expected.map((row) => ({ ...row }))
      assert.deepEqual(actual, expectedRows, `${about}: ${table}`)
    }
    const counted = now.prepare('select coalesce(sum(pets), 0) as pets from inventory').get()
    assert.equal(counted?.pets, rows.get('pet')?.length, about)
  } finally {
    for (const database of [made, before, now]) database.close()
  }
}

const UPGRADED = 'a store of the previous release is upgraded with every row, and its key still works'
test(UPGRADED, { timeout: 120_000 }, async (t) => {
  for (let seed = 1; seed <= STORES; seed += 1) {
    const old = await makeOldStore(t, seed)
    const file = `${old.file}.new`
    copyFileSync(old.file, file)
    const service = await serviceOn(t, file)
    await service.start()
    const [newest] = (await createClient(t, service.address, old.key)('/v1/pets?limit=1')).body
    await service.end('SIGTERM')

    await assertUpgraded(t, file, old, `store ${seed}`)
    const store = new DatabaseSync(file)
    assert.equal(newest?.id, store.prepare('select max(id) as id from pet').get()?.id)
    store.close()
  }
  reportFigure(t, `${STORES} stores, every row kept`)
})

const KILLED =
  'an upgrade killed at any system call, several times: the next start completes it with every row'
test(KILLED, needs('strace'), async (t) => {
  const random = randomOf(50)
  const file = join(scratchFolder(t), 'upgraded.db')
  const service = await serviceOn(t, file)
  /** Replaces the upgraded store with the old one. */
  const replaceStore = (old: OldStore): void => {
    for (const end of ['', '-wal', '-shm', '-journal', '.lock']) rmSync(file + end, { force: true })
    copyFileSync(old.file, file)
  }

  const old = await makeOldStore(t, 0)
  replaceStore(old)
  await startUntilKilled(service, logCalls(DISK_CALLS, `${old.file}.log`))
  const points = listKillPoints(await countCalls(`${old.file}.log`))
  const chosen = random.shuffled(points).slice(0, ROUNDS)
  let kills = 0
  for (const point of chosen) {
    const about = `killed at ${point.name} ${point.nth}`
    replaceStore(old)
    const more = times(random.integer(0, MAX_KILLS - 1), () => random.pick(points))
    for (const at of [point, ...more]) if (await startUntilKilled(service, killAt(at))) kills += 1
    await service.start().catch((error) => assert.fail(`${about}: ${error}`))
    await service.end()
    await assertUpgraded(t, file, old, about)
  }
  assert.ok(kills >= chosen.length / 2, `only ${kills} kills`)
  const share = `${chosen.length} of ${points.length} system calls`
  reportFigure(t, `${kills} kills at ${share}: every row kept`)
})

test('a store of a later release is refused in one line and not changed', {
  timeout: 30_000,
}, async (t) => {
  const { file } = await makeOldStore(t, 0)
  const store = new DatabaseSync(file)
  store.exec(`insert into kysely_migration values ('9999-later', '2030-01-01T00:00:00.000Z')`)
  store.close()
  const before = readFileSync(file)

  const { code, stdout, stderr } = await spawnCli(t, ['serve'], { DATABASE_URL: `sqlite:${file}`, PORT: '0' })
    .exited
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^adoptable: [^\n]*9999-later[^\n]*\n$/)
  assert.ok(readFileSync(file).equals(before))
})
