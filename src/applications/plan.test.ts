import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { NodeSqliteAdapter } from '../db/dialect.ts'
import { openForCommand } from '../db/open-database.ts'
import type { Db } from '../db/tables.ts'
import { insertKey } from '../keys/store.ts'
import { startApp } from '../testing/start-app.ts'
import { page } from './search.ts'

/** Enough rows that PostgreSQL does not prefer to scan the table. */
const APPLICATIONS = 20_000

/** Adds applications of 200 keys for 2,000 animals. One in 200 is undecided. */
async function fill(db: Db): Promise<void> {
  const key = { name: 'of an application', plan: 'free', access: 'write' } as const
  for (let id = 1; id <= 201; id += 1) await insertKey(db, key, String(id).padStart(64, '0'), 0)
  await sql`
    insert into organization (code, folded_code, name, folded_name, profile, created_at, updated_at)
      values ('A', 'a', 'A', 'a', '{}', 0, 0)
  `.execute(db)
  await sql`
    with recursive number (n) as (select 1 union all select n + 1 from number where n < ${sql.lit(APPLICATIONS)})
    insert into application (pet_id, status, placed_by, organization_id, received_at, decided_at)
      select n % 2000 + 1, case when n / 3 % 200 = 0 then 'received' else 'declined' end, n / 7 % 200 + 1,
        case when n / 11 % 200 = 0 then 1 end, 0, case when n / 3 % 200 = 0 then null else 0 end
      from number
  `.execute(db)
  await sql`analyze application`.execute(db)
}

async function explain(db: Db, { sql: text, parameters }: CompiledQuery): Promise<string> {
  const command =
    db.getExecutor().adapter instanceof NodeSqliteAdapter ? 'explain query plan' : 'explain (costs off)'
  const { rows } = await db.executeQuery(CompiledQuery.raw(`${command} ${text}`, [...parameters]))
  return rows.map((row) => Object.values(row as object).join(' ')).join('; ')
}

test('GET /v1/applications with any combination of filters searches one index', async (t) => {
  const { service, databaseUrl } = await startApp(t)
  const { db } = service.context
  const store = await openForCommand(databaseUrl)
  await store.db.transaction().execute(fill)
  await store.close()
  const filters = [{}, { status: 'received' }, { petId: 1 }, { status: 'received', petId: 1 }] as const
  for (const filter of filters) {
    for (const sees of ['all', 'placed', 'organization'] as const) {
      for (const after of [undefined, APPLICATIONS / 2]) {
        const viewer = { keyId: 1, organizationId: 1, sees }
        const plan = await explain(db, page(db, { ...filter, after, limit: 20 }, viewer).compile())
        const owner = { all: '', placed: 'placed_by', organization: 'organization_id' }[sees]
        const names = 'petId' in filter ? ['pet'] : owner ? [owner] : []
        if ('status' in filter) names.push('status')
        assert.doesNotMatch(plan, /Seq Scan|TEMP B-TREE/, plan)
        // PostgreSQL may choose an index on fewer columns if its statistics predict few rows.
        if (names.length > 0)
          assert.match(plan, new RegExp(`application_by_\\w*(?:${names.join('|')})`), plan)
        // SQLite uses one index and does not know how few rows it finds.
        if ('petId' in filter)
          assert.doesNotMatch(plan, /USING INDEX application_by_(?:placed|organization)/, plan)
      }
    }
  }
})
