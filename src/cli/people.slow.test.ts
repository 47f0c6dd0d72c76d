import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { jobs } from '../jobs.ts'
import { signIn } from '../testing/console.ts'
import { ADA, addPeople, erase, fillContacts } from '../testing/people.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'
import { storedBytes } from '../testing/stored-bytes.ts'
import { upload } from '../testing/upload.ts'

const ENGINES = {
  SQLite: async (t: TestContext) => `sqlite:${join(scratchFolder(t), 'test.db')}`,
  PostgreSQL: scratchDatabase,
}
for (const [engine, storeUrl] of Object.entries(ENGINES)) {
  test(`people export on ${engine}: prints all data of the person, and no data of others`, async (t) => {
    const databaseUrl = await storeUrl(t)
    const app = await startApp(t, { databaseUrl, key: UNLIMITED })
    await addPeople(app)

    const { code, stdout, stderr } = await runCli(
      t,
      ['people', 'export', '--email', 'ADA.asker@example.org'],
      {
        DATABASE_URL: databaseUrl,
      },
    )

    assert.deepEqual([code, stderr], [0, ''])
    const { orders, applications } = JSON.parse(stdout)
    assert.deepEqual(orders, [(await app.get('/v1/store/orders/1')).body])
    const expected = []
    for (const id of [1, 2, 3]) expected.push((await app.get(`/v1/applications/${id}`)).body)
    assert.deepEqual(applications, expected)
    const none = await runCli(t, ['people', 'export', '--email', 'nobody@example.org'], {
      DATABASE_URL: databaseUrl,
    })
    assert.deepEqual([none.code, JSON.parse(none.stdout)], [0, { orders: [], applications: [], animals: [] }])
    assert.match(none.stderr, /^no order, application or animal has this address\n$/)
  })

  test(`people erase on ${engine} without a service: leaves no byte of the person’s data, and others are unchanged`, async (t) => {
    const databaseUrl = await storeUrl(t)
    const app = await startApp(t, { databaseUrl, key: UNLIMITED })
    await addPeople(app)
    await app.stop()
    assert.match(await storedBytes(databaseUrl), /Ada[ .]Asker/)

    const { code, stdout, stderr } = await erase(t, databaseUrl)

    assert.deepEqual([code, stderr], [0, ''])
    assert.equal(stdout, 'erased 1 order and 3 applications; no trace is left in the store\n')
    const bytes = await storedBytes(databaseUrl)
    assert.doesNotMatch(bytes, /Ada[ .]Asker/i)
    assert.match(bytes, /Ben Bell/)
    const again = await startApp(t, { databaseUrl, key: { ...UNLIMITED, access: 'admin' } })
    const { body } = await again.get('/v1/applications')
    assert.deepEqual(
      body.map(({ id, status, applicant }: Record<string, unknown>) => [id, status, applicant !== undefined]),
      [
        [4, 'received', true],
        [3, 'withdrawn', false],
        [2, 'declined', false],
        [1, 'withdrawn', false],
      ],
    )
    assert.match((await erase(t, databaseUrl)).stderr, /^no order, application or animal/)
  })

  test(`people export and erase on ${engine} find contacts, history and texts of animals`, async (t) => {
    const databaseUrl = await storeUrl(t)
    const app = await startApp(t, { databaseUrl, key: { ...UNLIMITED, access: 'admin' } })
    await addPeople(app)
    await fillContacts(app)
    // FTS5 merges by itself once a tenth of its rows are deleted.
    for (let more = 0; more < 50; more += 1) await app.post('/v1/pets', { name: 'Tom', categoryId: 2 })
    if (engine === 'PostgreSQL') await sql`analyze`.execute(app.service.context.db)
    const command = ['people', 'export', '--email', 'ada.asker@example.org']
    const exported = await runCli(t, command, { DATABASE_URL: databaseUrl })
    const { animals } = JSON.parse(exported.stdout)
    assert.deepEqual(
      animals.map(({ petId, members, history }: Record<string, object>) => [
        petId,
        Object.keys(members as object),
        (history as unknown as { changes: object }[]).map(({ changes }) => Object.keys(changes)),
      ]),
      [
        [3, [], [['contact'], ['contact'], ['contact']]],
        [
          ...[4, ['externalId', 'description', 'tags', 'contact', 'staff']],
          [['externalId', 'description', 'tags', 'staff']],
        ],
        [5, [], [['contact']]],
      ],
    )
    assert.deepEqual(animals[1].members.contact, { ...ADA, phone: '06-1234-ADA' })
    await app.stop()

    const { code, stdout, stderr } = await erase(t, databaseUrl)

    assert.deepEqual([code, stderr], [0, ''])
    const what = 'all mentions in 3 animals, 5 changes in histories and 3 other texts'
    assert.equal(stdout, `erased 1 order and 3 applications, and ${what}; no trace is left in the store\n`)
    const bytes = await storedBytes(databaseUrl)
    assert.deepEqual(bytes.match(/(?<!b)Ada[ .]Asker|1234-ADA|w:ada/gi), null)
    const again = await startApp(t, { databaseUrl, key: { ...UNLIMITED, access: 'admin' } })
    const { body } = await again.get('/v1/pets?sort=id&limit=6')
    const [, , one, two, four] = body
    assert.deepEqual(one.contact, { name: 'Ben Bell', email: 'ben@example.org' })
    assert.deepEqual(two, {
      ...{ id: 4, name: 'Rex', categoryId: 1, tags: ['calm', '(erased)'] },
      description: 'Write to (erased), or to bada.asker@example.org!',
      staff: { notes: 'Came from\n(erased).', kennel: 'B2' },
    })
    assert.equal(four.contact.email, 'bada.asker@example.org')
    assert.deepEqual(
      (await again.get('/v1/pets/3/history')).body.map(({ changes }: { changes: object }) => changes),
      [{ contact: { to: one.contact } }],
    )
    assert.equal((await again.get('/v1/applications/4')).body.note, 'Knows (erased) well.')
    assert.deepEqual(
      (await again.get('/v1/pets?q=asker')).body.map(({ id }: { id: number }) => id),
      [4],
    )
    assert.match((await erase(t, databaseUrl)).stderr, /^no order, application or animal/)
  })
}

test('people erase on PostgreSQL while a service runs: leaves no byte of the person’s data', async (t) => {
  const databaseUrl = await scratchDatabase(t)
  await addPeople(await startApp(t, { databaseUrl, key: UNLIMITED }))

  const { code, stdout } = await erase(t, databaseUrl)

  assert.deepEqual([code, stdout.split(';')[0]], [0, 'erased 1 order and 3 applications'])
  assert.doesNotMatch(await storedBytes(databaseUrl), /Ada[ .]Asker/i)
})

test('people export and erase find a foster home, with its name and phone in the history', async (t) => {
  const databaseUrl = await ENGINES.SQLite(t)
  const app = await startApp(t, { databaseUrl, key: UNLIMITED })
  const foster = { fosterName: ADA.name, fosterEmail: ADA.email, fosterPhone: '06-1234-ADA' }
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, staff: { ...foster, kennel: 'B2' } })
  await app.patch('/v1/pets/1', { staff: { fosterEmail: null, holdReason: 'Ill.' } })
  await app.post('/v1/pets', { name: 'Mia', categoryId: 1, staff: { fosterName: 'Ben Bell' } })
  const command = ['people', 'export', '--email', ADA.email]
  const exported = await runCli(t, command, { DATABASE_URL: databaseUrl })
  const [animal] = JSON.parse(exported.stdout).animals
  assert.equal(animal.members.staff.fosterName, ADA.name)
  await app.stop()

  const { code } = await erase(t, databaseUrl)

  assert.equal(code, 0)
  assert.doesNotMatch(await storedBytes(databaseUrl), /Ada[ .]Asker|1234-ADA/i)
  const again = await startApp(t, { databaseUrl, key: UNLIMITED })
  assert.deepEqual((await again.get('/v1/pets/1')).body.staff, { kennel: 'B2', holdReason: 'Ill.' })
  assert.deepEqual((await again.get('/v1/pets/2')).body.staff, { fosterName: 'Ben Bell' })
})

test('people erase with an open order: is refused, and names the order but not its adopter', async (t) => {
  const databaseUrl = `sqlite:${join(scratchFolder(t), 'test.db')}`
  const app = await startApp(t, { databaseUrl, key: UNLIMITED })
  await addPeople(app)
  await app.patch('/v1/applications/1', { status: 'approved' })

  const { code, stdout, stderr } = await erase(t, databaseUrl)

  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(stderr, 'adoptable: nothing was erased: complete or cancel open orders first (order 3)\n')
  assert.equal((await app.get('/v1/applications/3')).body.status, 'received')
})

test('people erase: names the staff accounts and organizations that have the erased e-mail address', async (t) => {
  const databaseUrl = `sqlite:${join(scratchFolder(t), 'test.db')}`
  const app = await startApp(t, { databaseUrl, key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/organizations', { name: 'Utrecht', code: 'UT1', email: ADA.email })
  const account = ['--email', ADA.email, '--name', ADA.name, '--role', 'admin']
  await runCli(t, ['staff', 'add', ...account], { DATABASE_URL: databaseUrl })

  const { code, stdout, stderr } = await erase(t, databaseUrl)

  assert.deepEqual([code, stdout], [0, ''])
  assert.match(stderr, /^a staff account has this address; remove it with `adoptable staff remove`\n/)
  assert.match(stderr, /\norganization UT1 shows this address; change it in the console\n/)
})

test('uploaded files that are not imported yet: people export names files with the address, people erase removes all', async (t) => {
  const databaseUrl = `sqlite:${join(scratchFolder(t), 'test.db')}`
  const app = await startApp(t, { databaseUrl, key: UNLIMITED })
  await upload(app, await signIn(app), `name,category,contact.email\nRex,Dog,${ADA.email}\n`)
  await upload(app, await signIn(app), 'name,category\nMax,Dog\n')
  const { workFolder } = app.service.context.photos.store
  assert.deepEqual(readdirSync(workFolder).sort(), ['import-1', 'import-2'])

  const command = ['people', 'export', '--email', 'ada.asker@example.org']
  const exported = await runCli(t, command, { DATABASE_URL: databaseUrl })
  const erased = await erase(t, databaseUrl)

  assert.match(exported.stderr, /\/import-1 contains this address \(an import not yet/)
  assert.doesNotMatch(exported.stderr, /import-2/)
  assert.deepEqual([erased.code, erased.stdout], [0, ''])
  assert.match(erased.stderr, /^removed 2 files whose import was not confirmed in the console\n/)
  assert.deepEqual(readdirSync(workFolder), [])
})

test('people without an address or subcommand: exits with code 2', async (t) => {
  for (const [words, message] of [
    [['people'], /people needs a subcommand: export, erase/],
    [['people', 'erase'], /required option '--email <address>'/],
    [['people', 'erase', '--email', 'ada'], /must be an e-mail address/],
    [['people', 'erse'], /Did you mean erase/],
  ] as const) {
    const { code, stderr } = await runCli(t, [...words], {})
    assert.equal(code, 2, stderr)
    assert.match(stderr, message)
  }
})

test('people erase on SQLite while a service runs: waits until it has rewritten the file', async (t) => {
  const databaseUrl = `sqlite:${join(scratchFolder(t), 'test.db')}`
  const app = await startApp(t, {
    databaseUrl,
    key: UNLIMITED,
    now: Date.now(),
    steady: () => performance.now(),
    jobs,
  })
  await addPeople(app)

  const { code, stdout } = await erase(t, databaseUrl)

  assert.deepEqual([code, stdout.split(';')[0]], [0, 'erased 1 order and 3 applications'])
  assert.doesNotMatch(await storedBytes(databaseUrl), /Ada[ .]Asker/i)
})
