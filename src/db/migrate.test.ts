import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../testing/start-app.ts'
import { openForCommand } from './database.ts'

test('a store that a newer release has changed is not served, and the message says what to do', async (t) => {
  const { databaseUrl, stop } = await startApp(t)
  await stop()
  const { db, close } = await openForCommand(databaseUrl)
  await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030')`.execute(db)
  await close()

  await assert.rejects(startApp(t, { databaseUrl }), /newer release.+9999-later.+take that one/)
})
