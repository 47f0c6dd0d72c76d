import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { stateOf } from '../search/state.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'

const SEARCH = '/v1/pets?breed=poodle'
/** Not asked before: an answer that is cached is still right meanwhile. */
const ANOTHER = '/v1/pets?breed=poodle&limit=7'
const ENGINES = {
  SQLite: async (t: TestContext) => `sqlite:${join(scratchFolder(t), 'test.db')}`,
  PostgreSQL: scratchDatabase,
}

/** What the index of a store holds, and what it does not know yet. */
async function indexOf(databaseUrl: string) {
  const { db, close } = await openForCommand(databaseUrl, changes)
  try {
    const postings = await db.selectFrom('search_posting').select('token').execute()
    const waiting = await db.selectFrom('search_change').select('pet_id').execute()
    const { backfillFrom, backfillTo } = await stateOf(db)
    return { tokens: postings.length, waiting: waiting.length, built: backfillFrom > backfillTo }
  } finally {
    await close()
  }
}

for (const [engine, storeUrl] of Object.entries(ENGINES)) {
  test(`reindex beside a service on ${engine}: searches wait until the index is made, lists do not`, async (t) => {
    const databaseUrl = await storeUrl(t)
    const app = await startApp(t, { databaseUrl, key: UNLIMITED })
    const { write } = app.service.context
    for (const primary of ['Poodle', 'Tabby', 'Poodle'])
      await app.post('/v1/pets', { name: 'Rex', categoryId: 1, breed: { primary } })
    const idsOf = async () => (await app.get(SEARCH)).body.map(({ id }: { id: number }) => id)
    assert.deepEqual(await idsOf(), [3, 1])
    // The job of the service builds it too: once more, where that was done before the search was asked for.
    let search: Awaited<ReturnType<typeof app.get>>
    do {
      await write('rebuildIndex')
      search = await app.get(ANOTHER)
    } while (search.status === 200)
    const list = await app.get('/v1/pets?status=sold')
    assert.deepEqual([search.status, search.body.code, list.status], [503, 'service_unavailable', 200])
    const { code, stdout, stderr } = await runCli(t, ['reindex'], { DATABASE_URL: databaseUrl })

    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^the index of the search knows 3 animals \([\d.]+ s\)\n$/)
    const { tokens, ...rest } = await indexOf(databaseUrl)
    assert.deepEqual([tokens > 10, rest], [true, { waiting: 0, built: true }])
    assert.deepEqual(await idsOf(), [3, 1])
  })

  test(`import on ${engine} leaves an index that knows its animals, though nobody serves the store`, async (t) => {
    const databaseUrl = await storeUrl(t)
    const file = join(scratchFolder(t), 'pets.ndjson')
    const lines = ['Rex', 'Mia', 'Max'].map((name) => JSON.stringify({ name, category: 'dog' }))
    writeFileSync(file, lines.join('\n'))

    const { code } = await runCli(t, ['import', file, '--init'], { DATABASE_URL: databaseUrl })

    assert.equal(code, 0)
    const { tokens, ...rest } = await indexOf(databaseUrl)
    assert.deepEqual([tokens > 3, rest], [true, { waiting: 0, built: true }])
  })

  test(`reindex mends an index on ${engine} that knows something else, and --json tells what was done`, async (t) => {
    const databaseUrl = await storeUrl(t)
    const app = await startApp(t, { databaseUrl, key: UNLIMITED })
    const { db, write } = app.service.context
    await app.post('/v1/pets', { name: 'Rex', categoryId: 1, breed: { primary: 'Poodle' } })
    while (await write('indexAnimals'));
    const writable = await openForCommand(databaseUrl, changes)
    await writable.db.deleteFrom('search_posting').where('token', '=', 'breed:poodle').execute()
    await writable.close()

    const { code, stdout } = await runCli(t, ['reindex', '--json'], { DATABASE_URL: databaseUrl })

    assert.equal(code, 0)
    const { animals, seconds } = JSON.parse(stdout)
    assert.deepEqual([animals, seconds > 0], [1, true])
    const found = await db
      .selectFrom('search_posting')
      .select('block')
      .where('token', '=', 'breed:poodle')
      .execute()
    assert.equal(found.length, 1)
  })
}

test('reindex makes no store where there is none', async (t) => {
  const { code, stderr } = await runCli(t, ['reindex'], {
    DATABASE_URL: `sqlite:${scratchFolder(t)}/none.db`,
  })

  assert.equal(code, 1)
  assert.match(stderr, /^adoptable: there is no store at [^\n]+\n$/)
})
