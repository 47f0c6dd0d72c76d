import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '../config.ts'
import { start } from '../start.ts'
import { asNextRelease, NEXT_MIGRATION } from '../testing/next-release.ts'
import { startApp } from '../testing/start-app.ts'
import { openForCommand } from './open-database.ts'

/** A store, and in it a line of SQL. */
async function storeAfter(t: TestContext, change: string): Promise<string> {
  const { databaseUrl, stop } = await startApp(t)
  await stop()
  const { db, close } = await openForCommand(databaseUrl)
  await sql.raw(change).execute(db)
  await close()
  return databaseUrl
}

test('a store that a newer release has changed is not served, and the message says what to do', async (t) => {
  const later = `insert into kysely_migration (name, timestamp) values ('9999-later', '2030')`
  const databaseUrl = await storeAfter(t, later)

  const message = /the store .+ is of a newer release \(9999-later\): take that one/
  await assert.rejects(start(readConfig({ DATABASE_URL: databaseUrl, PORT: '0' })), message)
  await assert.rejects(openForCommand(databaseUrl), message)
})

test('a store of the release before is brought up to date by the next start, and by no command', async (t) => {
  const { databaseUrl, post, stop } = await startApp(t)
  await post('/v1/pets', { name: 'Rex', categoryId: 1 })
  await stop()
  asNextRelease(t)
  await assert.rejects(openForCommand(databaseUrl), /older release: back it up, and start the service once/)

  const first = await start(readConfig({ DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'silent' }))
  await first.stop()
  const { get, service } = await startApp(t, { databaseUrl })
  assert.equal((await get('/v1/pets/1')).body.name, 'Rex')
  const seen = await sql<{ name: string }>`select name from kysely_migration`.execute(service.context.db)
  assert.deepEqual(
    seen.rows.map(({ name }) => name),
    ['0001-tables', NEXT_MIGRATION],
  )
})
