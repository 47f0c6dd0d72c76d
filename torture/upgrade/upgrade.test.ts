import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { generateKey } from '../../src/keys/key-format.ts'
import { spawnCli } from '../../src/testing/process.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { times } from '../lab/parallel.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'
import { client, newService } from '../lab/service.ts'
import { assertSound } from '../lab/stores.ts'
import { countCalls, isKilled, killedAt, logged, ON_DISK, upTo } from '../lab/strace.ts'
import { makeStore, openNext, readRows, readSchema } from './stores.ts'

const ROUNDS = rounds(20)
/** Each with other rows. */
const STORES = 3
/** What a store knows of itself it learns at its start; the tables of search are made of the animals. */
const OWN = ['sqlite_sequence', 'installation', 'known_time', 'revision']
/** A killed start may be followed by others that are killed, too. */
const MAX_KILLS = 3

/** Of the one key that asks the new service something. */
const OWN_COUNTER = 'key:1'

interface Old {
  file: string
  key: string
}

async function makeOld(t: TestContext, seed: number): Promise<Old> {
  const file = join(scratchFolder(t), 'old.db')
  const key = generateKey('production')
  await makeStore(file, key, randomOf(seed))
  return { file, key }
}

/** The next release, on a file that it does not know yet. */
const serviceOn = (t: TestContext, file: string) =>
  newService(t, {
    settings: { DATABASE_URL: `sqlite:${file}` },
    key: false,
    program: resolve('torture/upgrade/next-release.ts'),
  })

/** A store has every row of the old one, with what is in its columns, and the tables of a new one. */
async function assertUpgraded(t: TestContext, file: string, old: Old, about: string): Promise<void> {
  const fresh = join(scratchFolder(t), 'fresh.db')
  const made = await openNext(fresh)
  const [before, now] = [new DatabaseSync(old.file), new DatabaseSync(file)]
  try {
    assertSound(`sqlite:${file}`, about)
    assert.deepEqual(readSchema(now), readSchema(made), about)
    const rows = readRows(now)
    for (const [table, expected] of readRows(before)) {
      if (OWN.includes(table) || /^(pet_tokens|search_|pet_search)/.test(table) || !expected[0]) continue
      const columns = Object.keys(expected[0])
      const kept = rows
        .get(table)
        ?.filter(({ caller }) => caller !== OWN_COUNTER)
        .map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])))
      const wanted = expected.map((row) => ({ ...row }))
      assert.deepEqual(kept, wanted, `${about}: ${table}`)
    }
    const counted = now.prepare('select coalesce(sum(pets), 0) as pets from inventory').get()
    assert.equal(counted?.pets, rows.get('pet')?.length, about)
  } finally {
    for (const database of [made, before, now]) database.close()
  }
}

const EACH = 'a store of the release before is brought up to date with every row, and its key still works'
test(EACH, { timeout: 120_000 }, async (t) => {
  for (let seed = 1; seed <= STORES; seed += 1) {
    const old = await makeOld(t, seed)
    const file = `${old.file}.new`
    copyFileSync(old.file, file)
    const service = await serviceOn(t, file)
    await service.start()
    const [newest] = (await client(t, service.address, old.key)('/v1/pets?limit=1')).body
    await service.end('SIGTERM')

    await assertUpgraded(t, file, old, `store ${seed}`)
    const store = new DatabaseSync(file)
    assert.equal(newest?.id, store.prepare('select max(id) as id from pet').get()?.id)
    store.close()
  }
  reached(t, `${STORES} stores, every row kept`)
})

const KILLED =
  'an upgrade that is killed at any system call, and again, is carried out by the next start, with every row'
test(KILLED, needs('strace'), async (t) => {
  const random = randomOf(50)
  const file = join(scratchFolder(t), 'upgraded.db')
  const service = await serviceOn(t, file)
  /** Puts an old store in the place of the one that is upgraded. */
  const lay = (old: Old): void => {
    for (const end of ['', '-wal', '-shm', '-journal', '.lock']) rmSync(file + end, { force: true })
    copyFileSync(old.file, file)
  }

  const old = await makeOld(t, 0)
  lay(old)
  await isKilled(service, logged(ON_DISK, `${old.file}.log`))
  const points = upTo(await countCalls(`${old.file}.log`))
  const chosen = random.shuffled(points).slice(0, ROUNDS)
  let kills = 0
  for (const point of chosen) {
    const about = `killed at ${point.name} ${point.nth}`
    lay(old)
    const more = times(random.whole(0, MAX_KILLS - 1), () => random.pick(points))
    for (const at of [point, ...more]) if (await isKilled(service, killedAt(at))) kills += 1
    await service.start().catch((error) => assert.fail(`${about}: ${error}`))
    await service.end()
    await assertUpgraded(t, file, old, about)
  }
  assert.ok(kills >= chosen.length / 2, `${kills} kills only`)
  const share = `${chosen.length} of ${points.length} system calls`
  reached(t, `${kills} kills at ${share}: every row kept`)
})

test('a store of a later release is refused in one line, and stays as it is', {
  timeout: 30_000,
}, async (t) => {
  const { file } = await makeOld(t, 0)
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
