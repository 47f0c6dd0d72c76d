import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '../config.ts'
import { start } from '../start.ts'
import { startApp } from '../testing/start-app.ts'
import { openForCommand } from './database.ts'

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

test('a command leaves the tables of an older release to the next start', async (t) => {
  const last = 'select max(name) from kysely_migration'
  const databaseUrl = await storeAfter(t, `delete from kysely_migration where name = (${last})`)

  await assert.rejects(openForCommand(databaseUrl), /older release: back it up, and start the service once/)
})
