import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { changes } from '../db/change.ts'
import type { Write } from '../db/write.ts'
import { cleanup } from '../testing/cleanup.ts'
import { openStore } from '../testing/import-lines.ts'
import { untilScrubbed } from '../testing/jobs.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { until } from '../testing/redis.ts'
import { startApp } from '../testing/start-app.ts'
import { storedBytes } from '../testing/stored-bytes.ts'

test('removeStaff leaves no byte of the name and address in the store', async (t) => {
  const app = await startApp(t)
  const { context } = app.service
  const person = { email: 'quentin.ixtlan@shelter.example', name: 'Quentin Ixtlan', role: 'staff' } as const
  await context.write(changes.inviteStaff, person, undefined, hash('sha256', 'link'), app.clock.now)
  const { id } = await context.db.selectFrom('staff').select('id').executeTakeFirstOrThrow()
  await context.write(changes.updateStaff, id, { name: 'Quentin Ixtlan-Bayou' }, undefined)
  assert.match(await storedBytes(app.databaseUrl), /ixtlan/i)

  await context.write(changes.removeStaff, id, undefined, app.clock.now)
  await untilScrubbed(app)
  await app.stop()

  assert.doesNotMatch(await storedBytes(app.databaseUrl), /ixtlan/i)
})

const PERSON = { email: 'ana@shelter.example', name: 'Ana', role: 'staff', organizationId: 1 } as const
const KEY = { name: 'Our site', plan: 'free', access: 'read', organizationId: 1 } as const
const HASH = hash('sha256', 'link')

const ADDITIONS: [change: string, add: (write: Write) => Promise<unknown>, code: string][] = [
  ['inviteStaff', (write) => write(changes.inviteStaff, PERSON, undefined, HASH, 0), 'validation_failed'],
  ['insertKey', (write) => write(changes.insertKey, KEY, HASH, 0), 'organization_not_found'],
]

for (const [change, add, code] of ADDITIONS)
  test(`${change} while the organization is being removed gets the error of an unknown organization`, async (t) => {
    const url = await scratchDatabase(t)
    const store = await openStore(t, url)
    await store.write(changes.insertOrganization, { code: 'CO1', name: 'Hill' }, 0)
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    cleanup(t).defer(() => other.end())
    await other.query('begin')
    await other.query('delete from organization where id = 1')

    const refused = assert.rejects(add(store.write), { code })
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => (await waiting.execute(store.db)).rows.length > 0)
    await other.query('commit')
    await refused
  })
