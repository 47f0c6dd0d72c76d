import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openToWrite } from '../../src/db/open-sqlite.ts'
import { generateKey } from '../../src/keys/key-format.ts'
import { spawnCli } from '../../src/testing/process.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { times } from '../lab/parallel.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'
import { client, newService } from '../lab/service.ts'
import { assertSound } from '../lab/stores.ts'
import { countCalls, isKilled, killedAt, logged, ON_DISK, upTo } from '../lab/strace.ts'
import { makeStore, readRows, readSchema, STATES } from './stores.ts'

const ROUNDS = rounds(20)
/** A killed start may be followed by others that are killed, too. */
const MOST_KILLS = 3

/** Of the one key that asks the new service something. */
const OWN_COUNTER = 'key:1'

interface Old {
  file: string
  state: string
  key: string
}

function makeOld(t: TestContext, state: string): Old {
  const file = join(scratchFolder(t), 'old.db')
  const key = generateKey('production')
  makeStore(file, state, key, randomOf(STATES.indexOf(state)))
  return { file, state, key }
}

/** A service on a file that it does not know yet. */
const serviceOn = (t: TestContext, file: string) =>
  newService(t, { settings: { DATABASE_URL: `sqlite:${file}` }, key: false })

/** A store has every row of the old one, with what is in its columns, and the tables of a new one. */
async function assertUpgraded(t: TestContext, file: string, old: Old, about: string): Promise<void> {
  const fresh = join(scratchFolder(t), 'fresh.db')
  const { database: made } = await openToWrite(fresh)
  const [before, now] = [new DatabaseSync(old.file), new DatabaseSync(file)]
  try {
    assertSound(`sqlite:${file}`, about)
    assert.deepEqual(readSchema(now), readSchema(made), about)
    const rows = readRows(now)
    for (const [table, expected] of readRows(before)) {
      // What a store knows of itself it learns at its start.
      if (['sqlite_sequence', 'installation', 'known_time'].includes(table) || expected[0] === undefined)
        continue
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

const EACH = 'a store of each earlier state is brought up to date with every row, and its key still works'
test(EACH, { timeout: 120_000 }, async (t) => {
  for (const state of STATES) {
    const old = makeOld(t, state)
    const file = `${old.file}.new`
    copyFileSync(old.file, file)
    const service = await serviceOn(t, file)
    await service.start()
    const [newest] = (await client(t, service.address, old.key)('/v1/pets?limit=1')).body
    await service.end('SIGTERM')

    await assertUpgraded(t, file, old, state)
    const store = new DatabaseSync(file)
    assert.equal(newest?.id, store.prepare('select max(id) as id from pet').get()?.id)
    store.close()
  }
  reached(t, `${STATES.length} earlier states, every row kept`)
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

  const all = []
  for (const state of STATES) {
    const old = makeOld(t, state)
    lay(old)
    await isKilled(service, logged(ON_DISK, `${old.file}.log`))
    const points = upTo((await countCalls(`${old.file}.log`)).most)
    all.push(...points.map((point) => ({ old, point, points })))
  }
  const chosen = random.shuffled(all).slice(0, ROUNDS)
  let kills = 0
  for (const { old, point, points } of chosen) {
    const about = `${old.state}, killed at ${point.name} ${point.nth}`
    lay(old)
    const more = times(random.whole(0, MOST_KILLS - 1), () => random.pick(points))
    for (const at of [point, ...more]) if (await isKilled(service, killedAt(at))) kills += 1
    await service.start().catch((error) => assert.fail(`${about}: ${error}`))
    await service.end()
    await assertUpgraded(t, file, old, about)
  }
  assert.ok(kills >= chosen.length / 2, `${kills} kills only`)
  const share = `${chosen.length} of ${all.length} system calls of ${STATES.length} upgrades`
  reached(t, `${kills} kills at ${share}: every row kept`)
})

test('a store of a later release is refused in one line, and stays as it is', {
  timeout: 30_000,
}, async (t) => {
  const { file } = makeOld(t, STATES.at(-1) ?? '')
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
