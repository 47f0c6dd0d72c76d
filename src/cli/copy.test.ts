import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { changes } from '../changes.ts'
import { compareStores, copyStore } from '../db/copy.ts'
import {
  COPIED_TABLES,
  INSTALLATION_TABLE,
  INVENTORY_TABLE,
  openPostgresSide,
  openSqliteSide,
} from '../db/copy-sides.ts'
import { openForCommand } from '../db/open-database.ts'
import { fileOf } from '../db/store-url.ts'
import { findByHash } from '../keys/identify.ts'
import { generateKey, hashKey } from '../keys/key-format.ts'
import { cleanup } from '../testing/cleanup.ts'
import type { Answer } from '../testing/client.ts'
import {
  copy,
  copyArguments,
  isLine,
  largeStore,
  makeTables,
  otherStore,
  runInStore,
  scratchFile,
} from '../testing/copies.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { runCli } from '../testing/process.ts'
import { makeKey, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

async function emptyDatabase(t: TestContext): Promise<string> {
  const url = await scratchDatabase(t)
  await runInStore(url, 'drop schema public cascade', 'create schema public')
  return url
}

const ADOPTER = { name: 'Ada “Adopter” \\ {"x"},', email: 'ada@example.org', message: 'A garden 🌳,\nNULL' }

/** The source id of every fourth animal. */
const ownerOf = (i: number) => (i % 4 ? {} : { organizationId: i % 8 ? 1 : 3, externalId: `“${i}”` })

/** Fills a store with every kind of data that the service stores. */
async function fillEverything(app: TestApp) {
  const admin = {
    authorization: `Bearer ${await makeKey(app.databaseUrl, { ...UNLIMITED, access: 'admin' })}`,
  }
  const spent = { authorization: `Bearer ${await makeKey(app.databaseUrl, { plan: 'free' })}` }
  for (const name of ['Ziegen 🐐', 'Reptiles', 'Short-lived'])
    assert.equal((await app.post('/v1/categories', { name, description: '"quoted"' }, admin)).status, 201)
  await app.request('/v1/categories/11', { method: 'DELETE', headers: admin })
  for (const code of ['NL1', 'gone', 'CO2'])
    await app.post('/v1/organizations', { code, name: `“${code}”` }, admin)
  await app.delete('/v1/organizations/2', admin)
  for (let i = 1; i <= 40; i += 1) {
    const status = i <= 20 ? 'available' : i <= 30 ? undefined : 'pending'
    await app.post('/v1/pets', {
      name: `Rex ${i} \\ {é},"NULL"`,
      categoryId: 1 + (i % 10),
      status,
      ...ownerOf(i),
    })
  }
  const once = { 'idempotency-key': 'once' }
  const first = await app.post('/v1/pets', { name: 'Once', categoryId: 9 }, once)
  app.clock.now += 1_000
  for (const petId of [1, 2, 3, 4, 5]) await app.post('/v1/store/orders', { petId, adopter: ADOPTER })
  const decide = (id: number, status: string) =>
    app.request(`/v1/store/orders/${id}`, { method: 'PATCH', headers: admin, body: { status } })
  for (const id of [2, 3, 4]) await decide(id, 'approved')
  await decide(3, 'completed')
  await decide(4, 'cancelled')
  await decide(5, 'cancelled')
  for (const petId of [7, 8, 8]) await app.post('/v1/applications', { petId, applicant: ADOPTER })
  await app.patch('/v1/applications/2', { status: 'declined', reply: 'A\n“garden”.' }, admin)
  await app.request('/v1/pets/25', {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { name: 'Renamed', status: 'available' },
  })
  for (const id of [7, 41, 42]) {
    if (id === 42) await app.post('/v1/pets', { name: 'Gone at once', categoryId: 2 })
    await app.request(`/v1/pets/${id}`, { method: 'DELETE' })
  }
  const [revoked, rotated, renewed] = [
    await makeKey(app.databaseUrl),
    await makeKey(app.databaseUrl),
    generateKey('production'),
  ]
  const store = await openForCommand(app.databaseUrl, changes)
  const idOf = async (key: string) => (await findByHash(store.db, hashKey(key)))?.id ?? 0
  await store.write(changes.rotateKey, await idOf(rotated), hashKey(renewed), app.clock.now, 3_600_000)
  await store.write(changes.revokeKey, await idOf(revoked), app.clock.now)
  const ana = { email: 'ana@shelter.example', name: 'Ana', role: 'admin' } as const
  const staffId = await store.write(changes.inviteStaff, ana, undefined, 'a'.repeat(64), app.clock.now)
  await store.write(changes.updateStaff, staffId, { name: 'Ana “🐕”' }, undefined)
  await store.close()
  while ((await app.get('/v1/pets?limit=1', spent)).status === 200);
  return { admin, spent, once, first, revoked, valid: [rotated, renewed] }
}

/** The response as a client sees it, without the time and the rate limit headers. */
function seen({ status, text, headers }: Answer) {
  return { status, text, link: headers.link, etag: headers.etag, modified: headers['last-modified'] }
}

/** Every GET request of the service, including all next pages. */
async function readEverything(app: TestApp, admin: { authorization: string }): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>()
  const open = [
    '/v1/inventory',
    '/v1/inventory?organizationId=3',
    '/v1/organizations?limit=1',
    '/v1/categories',
    '/v1/store/orders?limit=2',
    '/v1/applications?limit=1',
  ]
  for (const filter of ['', '&status=available', '&categoryId=2', '&sort=id', '&sort=-id']) {
    open.push(`/v1/pets?limit=5${filter}`)
  }
  for (const status of ['placed', 'approved', 'completed', 'cancelled'])
    open.push(`/v1/store/orders?status=${status}`)
  for (let id = 1; id <= 43; id += 1) open.push(`/v1/pets/${id}`, `/v1/pets/${id}/history?limit=1`)
  for (let id = 1; id <= 12; id += 1) open.push(`/v1/categories/${id}`, `/v1/store/orders/${id}`)
  for (const path of open) {
    for (const headers of /orders|applications/.test(path) ? [admin, {}] : [{}]) {
      const answer = await app.get(path, headers)
      answers.set(`${path} ${headers === admin}`, seen(answer))
      const next = /<http:\/\/pets\.example([^>]+)>; rel="next"/.exec(String(answer.headers.link))?.[1]
      if (next && !open.includes(next)) open.push(next)
    }
  }
  return answers
}

test('copy to PostgreSQL: every GET returns the same bytes, and new ids continue after the copied ids', async (t) => {
  const app = await startApp(t, { databaseUrl: scratchFile(t), key: UNLIMITED })
  const { admin, spent, once, first, revoked, valid } = await fillEverything(app)
  const before = await readEverything(app, admin)
  assert.ok([...before.keys()].filter((path) => path.includes('cursor=')).length >= 20)
  const limit = seen(await app.get('/v1/pets', spent))
  await app.stop()
  const to = await emptyDatabase(t)
  const back = scratchFile(t)

  const { code, stdout, stderr } = await runCli(t, copyArguments({ from: app.databaseUrl, to }), {})
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^table +rows +last id +sha256\n(\w+ +\d+ +(\d+ +)?[0-9a-f]{16} +equal\n){27}$/)
  assert.match(stdout, /^pet +39 +42 /m)
  assert.equal((await copy({ from: to, to: back })).equal, true)
  assert.ok((await compareStores({ from: app.databaseUrl, to: back })).every(({ equal }) => equal))
  assert.equal(statSync(fileOf(back)).mode & 0o077, 0)

  for (const databaseUrl of [to, back]) {
    const copied = await startApp(t, { databaseUrl, now: app.clock.now })
    const opened = {
      ...copied,
      // On a busy machine PostgreSQL may exceed the time limit of a request. Then the client retries.
      async get(path: string, headers = {}) {
        for (let tries = 0; ; tries += 1) {
          const answer = await copied.get(path, { authorization: `Bearer ${app.key}`, ...headers })
          if (answer.status !== 503 || tries === 20) return answer
        }
      },
    }
    // Reading everything once is enough: the copy back was found equal.
    if (databaseUrl === to) assert.deepEqual(await readEverything(opened, admin), before)
    for (const key of valid)
      assert.equal((await opened.get('/v1/pets', { authorization: `Bearer ${key}` })).status, 200)
    assert.equal((await opened.get('/v1/pets', { authorization: `Bearer ${revoked}` })).status, 401)
    assert.deepEqual([limit.status, seen(await opened.get('/v1/pets', spent))], [429, limit])

    const own = { authorization: `Bearer ${app.key}` }
    const again = await copied.post('/v1/pets', { name: 'Once', categoryId: 9 }, { ...own, ...once })
    assert.deepEqual(
      [again.status, again.text, again.headers['idempotent-replayed']],
      [201, first.text, 'true'],
    )
    assert.equal((await copied.post('/v1/pets', { name: 'New', categoryId: 9 })).body.id, 43)
    assert.equal((await copied.post('/v1/categories', { name: 'New' }, admin)).body.id, 12)
    assert.equal((await copied.post('/v1/store/orders', { petId: 9, adopter: ADOPTER })).body.id, 6)
    assert.equal((await copied.get('/v1/pets/43/history')).status, 200)
    await copied.stop()
    assert.deepEqual(
      (await runInStore(databaseUrl, 'select max(id) from api_key'))[0]?.map(Number),
      [7],
      'the first key of the copy gets the next id',
    )
  }
})

test('copy keeps numbers beyond 2^53, removed ids and all kinds of text exact on both engines', async (t) => {
  const [from, through, to] = [scratchFile(t), await scratchDatabase(t), scratchFile(t)]
  await makeTables(from)
  // With the collation of a language, an index of text is not in the order of its bytes.
  await runInStore(
    through,
    `do $$ begin
      alter table counter alter column caller type text collate "en-x-icu";
    exception when undefined_object then null; end $$`,
  )
  await runInStore(
    from,
    `insert into category (id, name, folded_name) values (9007199254740993, 'Far', 'far')`,
    `insert into pet (id, name, category_id) values
      (9007199254740993, '🐕 \\ "a",{b} NULL', 9007199254740993), (9223372036854775800, '1', 1)`,
    'delete from pet where id = 9223372036854775800',
    `insert into counter values ('ip:Ä', 1, 2, 3, 4, 5, 6, 7), ('ip:a', 1, 2, 3, 4, 5, 6, 7), ('ip:Z', 1, 2, 3, 4, 5, 6, 7)`,
  )

  assert.equal((await copy({ from, to: through })).equal, true)
  const { equal, comparisons } = await copy({ from: through, to })

  assert.equal(equal, true)
  const given = comparisons.find(({ table }) => table === 'pet')?.lastIds
  assert.deepEqual(given, [9223372036854775800n, 9223372036854775800n])
  const rows = await runInStore(to, 'select name, cast(id as text), cast(category_id as text) from pet')
  assert.deepEqual(rows, [['🐕 \\ "a",{b} NULL', '9007199254740993', '9007199254740993']])
  await runInStore(through, `insert into pet (name, category_id) values ('Next', 1)`)
  assert.deepEqual(await runInStore(through, 'select max(id)::text from pet'), [['9223372036854775801']])
})

test('copy to a target with other data: is refused with a one-line message and leaves the target unchanged', async (t) => {
  const from = await largeStore(t, 10)
  const [database, file] = [await scratchDatabase(t), await otherStore(t)]
  const rex = `insert into pet (name, category_id) values ('Rex', 1)`
  const wrong: [string, RegExp, string, string?][] = [
    [database, /test_\d+_\d+ is not empty: its table pet has rows \(1\)$/, rex, 'delete from pet'],
    [
      database,
      /already has rows in category/,
      `update category set description = 'Barks' where id = 1`,
      'update category set description = null',
    ],
    [
      database,
      /is not empty: its table counter has rows \(1\)$/,
      `insert into counter values ('ip:1', 0, 0, 0, 0, 0, 0, 0)`,
    ],
    [
      database,
      /contains tables of another program/,
      'drop schema public cascade; create schema public; create table pet (id int)',
    ],
    [file, /test\.db is not empty: its table pet has rows \(1\)$/, rex, 'delete from pet'],
    [file, /already has rows in category/, 'delete from category where id = 8'],
    [scratchFile(t), /contains tables of another program/, 'create table pet (id int)'],
    [from, /the two stores are the same one/, 'select 1'],
  ]
  for (const [to, expected, statement, undo] of wrong) {
    await runInStore(to, statement)
    const before = await contentOf(to)
    await assert.rejects(copy({ from, to }), isLine(expected))
    assert.deepEqual(await contentOf(to), before)
    if (undo) await runInStore(to, undo)
  }

  await runInStore(database, 'drop table pet')
  const sources: [string, RegExp][] = [
    [`${scratchFile(t)}x`, /there is no store at /],
    [database, /there is no store in postgres:\/\//],
    ['postgres://a:secret@127.0.0.1:1/b?password=secret', /^postgres:\/\/127\.0\.0\.1:1\/b: .*ECONNREFUSED/],
  ]
  for (const [source, expected] of sources) {
    await assert.rejects(copy({ from: source, to: scratchFile(t) }), isLine(expected))
  }
})

/** The names of all tables, and the rows of the tables that identify a store. */
async function contentOf(url: string): Promise<unknown[][][]> {
  const names = url.startsWith('sqlite:')
    ? 'select name from sqlite_schema order by 1'
    : `select tablename from pg_tables where schemaname = 'public' order by 1`
  const tables = await runInStore(url, names)
  const has = (table: string): boolean => tables.some(([name]) => name === table)
  const rows = ['pet', 'category', 'secret'].filter(has)
  return [
    tables,
    ...(await Promise.all(rows.map((table) => runInStore(url, `select * from ${table} order by 1`)))),
  ]
}

test('copy with wrong arguments: prints one line without passwords and exits with code 2', async (t) => {
  const wrong = [
    ['copy'],
    ['copy', '--from', 'postgress://a:secret@b/c', '--to', 'sqlite:b.db'],
    ['copy', '--from', 'sqlite:a.db', '--to', 'postgres://a:secret@b:x/c'],
  ]
  for (const { code, stdout, stderr } of await Promise.all(wrong.map((args) => runCli(t, args, {})))) {
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /^[^\n]+--(from|to)[^\n]+\n$/)
    assert.doesNotMatch(stderr, /secret/)
  }
})

test('a copy that was changed afterwards: the comparison reports a changed row and a lost id', async (t) => {
  const from = await largeStore(t, 2_500)
  const to = await scratchDatabase(t)
  const differing = async () =>
    (await compareStores({ from, to })).filter(({ equal }) => !equal).map(({ table }) => table)
  await copy({ from, to })
  assert.deepEqual(await differing(), [])

  const changes: [string, string, string[]][] = [
    [
      `update pet set name = 'Max' where id = 2001`,
      `update pet set name = 'Rex 2001' where id = 2001`,
      ['pet'],
    ],
    [
      `update pet_change set key_id = 1, at = 1 where id = 7`,
      'update pet_change set at = 0 where id = 7',
      ['pet_change'],
    ],
    [
      `update inventory set pets = pets + 1 where slot = (select min(slot) from inventory) and category_id = 1 and status = 'sold'`,
      `update inventory set pets = pets - 1 where slot = (select min(slot) from inventory) and category_id = 1 and status = 'sold'`,
      ['inventory'],
    ],
    [`select setval('pet_id_seq', 2499)`, `select setval('pet_id_seq', 2500)`, ['pet']],
    [
      `delete from counter where caller = 'ip:5'`,
      `insert into counter values ('ip:5', 0, 1, 0, 1, 0, 0, 9)`,
      ['counter'],
    ],
  ]
  for (const [change, undo, expected] of changes) {
    await runInStore(to, change)
    assert.deepEqual(await differing(), expected, change)
    await runInStore(to, undo)
  }
  assert.deepEqual(await differing(), [])

  await runInStore(to, `update pet set status = 'pending' where id = 3`)
  const { code, stdout, stderr } = await runCli(t, copyArguments({ from, to }), {})
  assert.equal(code, 1)
  assert.match(stdout, /^pet +2,250 +2500 +[0-9a-f]{16} \/ [0-9a-f]{16} +DIFFERS$/m)
  assert.match(stderr, /^adoptable: nothing was copied: [^\n]+\n$/)
})

test('copy --json: prints a comparison of each table, even if the copy differs', async (t) => {
  const [from, to] = [await largeStore(t, 10), scratchFile(t)]
  const args = [...copyArguments({ from, to }), '--json']
  const { code, stdout, stderr } = await runCli(t, args, {})
  assert.deepEqual([code, stderr], [0, ''])
  const { equal, tables } = JSON.parse(stdout)
  assert.equal(equal, true)
  const { hashes, ...pet } = tables.find(({ table }: { table: string }) => table === 'pet')
  assert.deepEqual(pet, { table: 'pet', rows: [9, 9], lastIds: [10, 10], equal: true })
  assert.match(hashes.join(), /^([0-9a-f]{64}),\1$/)

  await runInStore(to, `update pet set name = 'Max' where id = 1`)
  const changed = await runCli(t, args, {})
  assert.equal(changed.code, 1)
  assert.equal(JSON.parse(changed.stdout).equal, false)
  assert.match(changed.stderr, /^adoptable: nothing was copied: [^\n]+\n$/)
})

test('copy of a source that changed between two runs: reports the change, and no service starts on the copy', async (t) => {
  const from = await largeStore(t, 3_000)
  const to = await scratchDatabase(t)
  const stop = new Error('stopped here')
  const halfWay = copyStore({ from, to }, (_step, done) => {
    if (done > 1_500) throw stop
  })
  await assert.rejects(halfWay, /the copy is not finished: stopped here; run the command again to resume it/)
  await runInStore(from, `update pet set name = 'Max' where id = 1`)

  const { code, stdout, stderr } = await runCli(t, copyArguments({ from, to }), {})

  assert.equal(code, 1)
  assert.match(stdout, /^pet +2,700 +3000 +\S+ \/ \S+ +DIFFERS$/m)
  assert.match(stderr, /^adoptable: the copy differs from its source[^\n]+\n$/)
  const start = await runCli(t, ['serve'], { DATABASE_URL: to, PORT: '0' })
  assert.deepEqual([start.code, start.stdout], [1, ''])
})

/** FTS5 stores the index of searches in its own tables. */
const TOKENS = ['', '_config', '_data', '_docsize', '_idx'].map((name) => `pet_tokens${name}`)

test('copy: covers every table and column of both engines, except data about the store itself', async (t) => {
  const file = await otherStore(t)
  const database = await scratchDatabase(t)
  const sides = [await openSqliteSide(fileOf(file), true), await openPostgresSide(database)]
  for (const side of sides) cleanup(t).defer(() => side.close())
  const copied = [
    ...COPIED_TABLES.map(({ name }) => name),
    INVENTORY_TABLE,
    INSTALLATION_TABLE,
    // The leases of jobs.
    'job',
    // The target builds its search index from the animals.
    ...['pet_search', 'search_place', 'search_change', 'search_move'],
    // People and programs sign in again after the copy.
    ...['staff_session', 'staff_link', 'sign_in_try', 'access_token'],
  ]
  // PostgreSQL needs no table `revision`, because it notifies processes of commits. The table `claim` belongs
  // to one store.
  const expected = [
    [...copied, 'revision', ...TOKENS],
    [...copied, 'claim'],
  ]

  for (const [index, side] of sides.entries()) {
    const tables = (await side.tables()).filter((name) => !name.startsWith('kysely_'))
    assert.deepEqual(tables.sort(), expected[index]?.sort(), side.name)
  }
  for (const { name } of COPIED_TABLES) {
    const [one, other] = await Promise.all(sides.map((side) => side.columns(name)))
    assert.deepEqual(one, other, name)
    assert.ok(one && one.length > 1)
  }
})
