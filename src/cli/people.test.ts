import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { erase, fill } from '../testing/people.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'
import { storedBytes } from '../testing/stored-bytes.ts'

const ENGINES = {
  SQLite: async (t: TestContext) => `sqlite:${join(scratchFolder(t), 'test.db')}`,
  PostgreSQL: scratchDatabase,
}
for (const [engine, storeUrl] of Object.entries(ENGINES)) {
  test(`people export on ${engine} prints all that is stored of somebody, and nothing of others`, async (t) => {
    const databaseUrl = await storeUrl(t)
    const app = await startApp(t, { databaseUrl, key: UNLIMITED })
    await fill(app)

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
    assert.deepEqual([none.code, JSON.parse(none.stdout)], [0, { orders: [], applications: [] }])
    assert.match(none.stderr, /^no order or application that is stored has this address\n$/)
  })

  test(`people erase on ${engine} without a service leaves no byte of somebody, and all of others`, async (t) => {
    const databaseUrl = await storeUrl(t)
    const app = await startApp(t, { databaseUrl, key: UNLIMITED })
    await fill(app)
    await app.stop()
    assert.match(await storedBytes(databaseUrl), /Ada[ .]Asker/)

    const { code, stdout, stderr } = await erase(t, databaseUrl)

    assert.deepEqual([code, stderr], [0, ''])
    assert.equal(stdout, 'erased 1 order and 3 applications; no byte of it is left in the store\n')
    const bytes = await storedBytes(databaseUrl)
    assert.doesNotMatch(bytes, /Ada[ .]Asker/i)
    assert.match(bytes, /Ben Beside/)
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
    assert.match((await erase(t, databaseUrl)).stderr, /^no order or application/)
  })
}

test('people erase on PostgreSQL beside a service leaves no byte of somebody', async (t) => {
  const databaseUrl = await scratchDatabase(t)
  await fill(await startApp(t, { databaseUrl, key: UNLIMITED }))

  const { code, stdout } = await erase(t, databaseUrl)

  assert.deepEqual([code, stdout.split(';')[0]], [0, 'erased 1 order and 3 applications'])
  assert.doesNotMatch(await storedBytes(databaseUrl), /Ada[ .]Asker/i)
})

test('people erase refuses while an order is open, and names it without its adopter', async (t) => {
  const databaseUrl = `sqlite:${join(scratchFolder(t), 'test.db')}`
  const app = await startApp(t, { databaseUrl, key: UNLIMITED })
  await fill(app)
  await app.patch('/v1/applications/1', { status: 'approved' })

  const { code, stdout, stderr } = await erase(t, databaseUrl)

  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(stderr, 'adoptable: nothing was erased: complete or cancel what is open first (order 3)\n')
  assert.equal((await app.get('/v1/applications/3')).body.status, 'received')
})

test('people asks for an address, and for one of its commands', async (t) => {
  for (const [words, message] of [
    [['people'], /people needs one of its commands: export, erase/],
    [['people', 'erase'], /required option '--email <address>'/],
    [['people', 'erase', '--email', 'ada'], /must be an e-mail address/],
    [['people', 'erse'], /Did you mean erase/],
  ] as const) {
    const { code, stderr } = await runCli(t, [...words], {})
    assert.equal(code, 2, stderr)
    assert.match(stderr, message)
  }
})
