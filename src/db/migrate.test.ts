import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '../config.ts'
import { start } from '../start.ts'
import { scratchFolder, startApp } from '../testing/start-app.ts'
import { openForCommand } from './open-database.ts'
import { openFile } from './sqlite.ts'
import { fileOf } from './store-url.ts'

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

const MERGED = join(import.meta.dirname, '../../torture/upgrade/merged-steps.sql')

/** A store as it was before its first steps became one. */
function storeBefore(t: TestContext, change = ''): string {
  const file = join(scratchFolder(t), 'old.db')
  const database = openFile(file, 'write')
  database.exec(readFileSync(MERGED, 'utf8') + change)
  database.close()
  return `sqlite:${file}`
}

test('a store from before its steps became one is brought over by the next start, and by no command', async (t) => {
  const databaseUrl = storeBefore(t, `insert into pet (name, category_id) values ('Rex', 1);`)
  await assert.rejects(openForCommand(databaseUrl), /older release: back it up, and start the service once/)

  const first = await start(readConfig({ DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'silent' }))
  await first.stop()

  const { get, service } = await startApp(t, { databaseUrl })
  assert.equal((await get('/v1/pets/1')).body.name, 'Rex')
  const seen = sql<{ name: string }>`select name from kysely_migration`.execute(service.context.db)
  assert.deepEqual(
    (await seen).rows.map(({ name }) => name),
    [
      '0001-tables',
      '0002-jobs',
      '0003-profile',
      '0004-organizations',
      '0005-vocabulary',
      '0006-bonds',
      '0007-photos',
      '0008-photo-sources',
      '0009-order-pets',
      '0010-search',
      '0011-staff',
      '0012-applications',
      '0013-source-owners',
      '0014-tokens',
    ],
  )
})

test('a store that lacks some of these steps is refused in words, and stays as it is', async (t) => {
  const databaseUrl = storeBefore(t, `delete from kysely_migration where name > '0012';`)
  const before = readFileSync(fileOf(databaseUrl))

  const message = /made by a version before 1\.0\.0 \(0011-installation\).* export its animals/
  await assert.rejects(start(readConfig({ DATABASE_URL: databaseUrl, PORT: '0' })), message)
  assert.ok(readFileSync(fileOf(databaseUrl)).equals(before))
})
