import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '../config.ts'
import { start } from '../start.ts'
import { startNetwork } from '../testing/network.ts'
import { asNextRelease, NEXT_MIGRATION } from '../testing/next-release.ts'
import { startApp } from '../testing/start-app.ts'
import { openForCommand } from './open-database.ts'

/** Creates a store and runs one SQL statement on it. */
async function storeAfter(t: TestContext, change: string): Promise<string> {
  const { databaseUrl, stop } = await startApp(t)
  await stop()
  const { db, close } = await openForCommand(databaseUrl)
  await sql.raw(change).execute(db)
  await close()
  return databaseUrl
}

test('a store of a newer release: serve and commands refuse the store, and the message says what to do', async (t) => {
  const later = `insert into kysely_migration (name, timestamp) values ('9999-later', '2030')`
  const databaseUrl = await storeAfter(t, later)

  const message = /the store .+ belongs to a newer release \(9999-later\): run that release/
  await assert.rejects(start(readConfig({ DATABASE_URL: databaseUrl, PORT: '0' })), message)
  await assert.rejects(openForCommand(databaseUrl), message)
})

test('a store of an older release: a start migrates the store, a command refuses it', async (t) => {
  const { databaseUrl, post, stop } = await startApp(t)
  await post('/v1/pets', { name: 'Rex', categoryId: 1 })
  await stop()
  asNextRelease(t)
  await assert.rejects(openForCommand(databaseUrl), /older release: back it up, then start the service once/)

  const first = await start(readConfig({ DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'silent' }))
  await first.stop()
  const { get, service } = await startApp(t, { databaseUrl })
  assert.equal((await get('/v1/pets/1')).body.name, 'Rex')
  const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(service.context.db)
  assert.deepEqual(
    applied.rows.map(({ name }) => name),
    [
      '0001-tables',
      '0002-change-owner',
      '0003-microchips',
      '0004-organization-changes',
      '0005-outbox',
      '0006-staff-search',
      '0007-events',
      '0008-followed',
      '0009-organization-source',
      '0010-webhook-behind',
      '0011-source-time',
      NEXT_MIGRATION,
    ],
  )
})

const BEFORE_CHANGE_OWNER = [
  'drop index pet_change_by_organization',
  'alter table pet_change drop column organization_id',
  'alter table known_time drop column animals_scrub_due',
  'drop index pet_by_microchip',
  ...['followed_pet', 'followed', 'delivery', 'webhook', 'event_log', 'event', 'outbox'].map(
    (table) => `drop table ${table}`,
  ),
  ...['number', 'kennel', 'intake'].flatMap((key) => [
    `drop index pet_search_by_${key}`,
    `alter table pet_search drop column ${key}`,
  ]),
  'alter table pet drop column source',
  'drop index organization_by_source',
  'alter table organization drop column source',
  'alter table application drop column language',
  'alter table installation drop column sends_email',
  "delete from kysely_migration where name > '0002'",
]

test('migration 0002: earlier changes belong to the animal’s organization, or to operators if the animal moved', async (t) => {
  const { databaseUrl, post, patch, stop, callers } = await startNetwork(t)
  for (const organizationId of [1, 1, undefined]) {
    const { body } = await post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId })
    await patch(`/v1/pets/${body.id}`, { contact: { name: `Contact of ${body.id}` } })
  }
  await patch('/v1/pets/2', { organizationId: 2 })
  await stop()
  const { db, close } = await openForCommand(databaseUrl)
  for (const statement of BEFORE_CHANGE_OWNER) await sql.raw(statement).execute(db)
  await close()

  const first = await start(readConfig({ DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'silent' }))
  await first.stop()
  const { get } = await startApp(t, { databaseUrl })
  const seenBy = async (caller: object) => {
    const texts = [1, 2, 3].map(async (id) => (await get(`/v1/pets/${id}/history`, { ...caller })).text)
    return (await Promise.all(texts)).map((text) => text.includes('Contact of'))
  }
  assert.deepEqual(await seenBy(callers.ownWrite), [true, false, false])
  assert.deepEqual(await seenBy(callers.otherWrite), [false, false, false])
  assert.deepEqual(await seenBy(callers.write), [true, true, true])
})
