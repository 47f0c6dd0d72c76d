import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openToWrite } from '../../src/db/open-sqlite.ts'
import { generateKey, hashKey } from '../../src/keys/key-format.ts'
import { becomeNextRelease } from '../../src/testing/next-release.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { times } from '../lab/parallel.ts'
import type { Random } from '../lab/random.ts'
import { needs, randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { createClient, newService } from '../lab/service.ts'
import { assertIntact } from '../lab/stores.ts'
import { countCalls, DISK_CALLS, killAt, listKillPoints, logCalls, startUntilKilled } from '../lab/strace.ts'

/** Statements that insert random content. */
function contentsOf(random: Random): string[] {
  return [
    ...Array.from({ length: random.integer(1, 300) }, (_, n) => {
      const status = random.pick(["'available'", "'pending'", "'sold'", 'null'])
      const name = `Pet ${n} ${random.pick(['ö', '🐈', "d''Artagnan", 'x'.repeat(150)])}`
      return `insert into pet (name, category_id, status) values ('${name}', ${random.integer(1, 8)}, ${status})`
    }),
    'delete from pet where id % 17 = 0',
    `insert into counter values ('key:2', 1, 5, 1, 50, 0, 0, 9999999999999)`,
    `update pet set name = name || '!', version = 2, updated_at = 7, created_by = 1 where id % 3 = 0`,
    `insert into pet_change (pet_id, at, key_id, changes) values (3, 7, 1, '{"name":["a","b"]}')`,
    `insert into pet_source (source, source_id, pet_id) values ('petfinder', 'a-1', 1)`,
    `insert into category (name, folded_name) values ('Bees', 'bees')`,
    `insert into idempotency values ('${'a'.repeat(64)}', '${'b'.repeat(64)}', '{"id":1}', 9999999999999)`,
    `insert into adoption_order (pet_id, status, adopter, placed_by, placed_at, decided_at) values
      (1, 'placed', '{"name":"Kim","email":"kim@example.org"}', 1, 5, null), (2, 'cancelled', null, 1, 5, 6)`,
    `insert into known_time values ('known', 6, 6, 0, 0)`,
  ]
}

/** Makes a store of this release with an admin key. */
async function makeStore(file: string, key: string, random: Random): Promise<void> {
  const { database } = await openToWrite(file)
  database.exec(`insert into api_key (name, plan, access, per_minute, per_day, created_at)
    values ('old', 'enterprise', 'admin', 1000000, 1000000, 0)`)
  database.exec(`insert into api_key_secret (hash, key_id, created_at) values ('${hashKey(key)}', 1, 0)`)
  for (const statement of contentsOf(random)) database.exec(statement)
  database.close()
}

/** Makes a new store of the next release. */
async function openNext(file: string): Promise<DatabaseSync> {
  const becomeThisRelease = becomeNextRelease()
  try {
    return (await openToWrite(file)).database
  } finally {
    becomeThisRelease()
  }
}

type Rows = Record<string, SQLOutputValue>[]

/** Every row of every table except the record of migrations. */
function readRows(database: DatabaseSync): Map<string, Rows> {
  const tables = database
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'kysely%'`)
    .all()
  return new Map(tables.map(({ name }) => [String(name), database.prepare(`select * from ${name}`).all()]))
}

/** The schema in SQLite. */
function readSchema(database: DatabaseSync): Rows {
  const made = database.prepare('select type, name, sql from sqlite_schema order by type, name').all()
  // SQLite keeps the white space of ALTER TABLE, so the comparison ignores white space.
  return made.map((row) => ({ ...row, sql: row.sql === null ? null : String(row.sql).replace(/\s+/g, '') }))
}

const ROUNDS = rounds(20)
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

  const first = await makeOldStore(t, 0)
  replaceStore(first)
  await startUntilKilled(service, logCalls(DISK_CALLS, `${first.file}.log`))
  const points = listKillPoints(await countCalls(`${first.file}.log`))
  const chosen = random.shuffled(points).slice(0, ROUNDS)
  let kills = 0
  for (const [round, point] of chosen.entries()) {
    // Each store has different rows.
    const old = await makeOldStore(t, round)
    const about = `killed at ${point.name} ${point.nth}`
    replaceStore(old)
    const more = times(random.integer(0, MAX_KILLS - 1), () => random.pick(points))
    for (const at of [point, ...more]) if (await startUntilKilled(service, killAt(at))) kills += 1
    await service.start().catch((error) => assert.fail(`${about}: ${error}`))
    const { status } = await createClient(t, service.address, old.key)('/v1/pets?limit=1')
    assert.equal(status, 200, `${about}: the key of the old store`)
    await service.end()
    await assertUpgraded(t, file, old, about)
  }
  assert.ok(kills >= chosen.length / 2, `only ${kills} kills`)
  const share = `${chosen.length} of ${points.length} system calls`
  reportFigure(t, `${kills} kills at ${share}: every row kept`)
})
