import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { NodeSqliteAdapter } from '../db/dialect.ts'
import { openForCommand } from '../db/open-database.ts'
import type { Db } from '../db/tables.ts'
import { insertKey } from '../keys/store.ts'
import { startApp } from '../testing/start-app.ts'
import * as orders from './store.ts'

/** Enough that PostgreSQL does not prefer to scan whole tables. */
const ORDERS = 20_000

/** Adds closed orders of 200 keys for 200 animals. One in 200 is completed. */
async function fill(db: Db): Promise<void> {
  const key = { name: 'of an order', plan: 'free', access: 'write' } as const
  for (let id = 1; id <= 201; id += 1) await insertKey(db, key, String(id).padStart(64, '0'), 0)
  await sql`
    with recursive number (n) as (select 1 union all select n + 1 from number where n < ${sql.lit(ORDERS)})
    insert into adoption_order (pet_id, status, placed_by, placed_at, decided_at)
      select n % 200 + 1, case when n / 3 % 200 = 0 then 'completed' else 'cancelled' end, n / 7 % 200 + 1, 0, 0
      from number
  `.execute(db)
  await sql`
    insert into adoption_order_pet (order_id, pet_id)
      select id, id % 1000 + 300 from adoption_order where id % 7 = 0
  `.execute(db)
  await sql`analyze adoption_order`.execute(db)
  await sql`analyze adoption_order_pet`.execute(db)
}

async function explain(db: Db, { sql: text, parameters }: CompiledQuery): Promise<string> {
  const command =
    db.getExecutor().adapter instanceof NodeSqliteAdapter ? 'explain query plan' : 'explain (costs off)'
  const { rows } = await db.executeQuery(CompiledQuery.raw(`${command} ${text}`, [...parameters]))
  return rows.map((row) => Object.values(row as object).join(' ')).join('; ')
}

/**
 * Asserts that every condition is part of one index search. SQLite: SEARCH … USING INDEX … (a=? AND id<?).
 * PostgreSQL: Index Cond: ((a = 1) AND (id < 500)). PostgreSQL may sort a few rows.
 */
function assertOneSearch(plan: string, columns: string[]): void {
  assert.doesNotMatch(plan, /TEMP B-TREE|Filter|Seq Scan|BitmapAnd/, plan)
  const conditions = /USING .*|Index Cond: .*/.exec(plan.replace(/Recheck Cond[^;]*/, ''))?.[0] ?? ''
  const found = [...conditions.matchAll(/(\w+) ?[=<] ?['?]/g)].map(([, name]) => name)
  assert.deepEqual(found.map((name) => (name === 'rowid' ? 'id' : name)).sort(), columns.sort(), plan)
}

test('every combination of order filters runs as one index search', async (t) => {
  const { service, databaseUrl } = await startApp(t)
  const { db } = service.context
  const store = await openForCommand(databaseUrl)
  await store.db.transaction().execute(fill)
  await store.close()
  const filters = [{}, { status: 'completed' }, { petId: 1 }, { status: 'completed', petId: 1 }] as const
  for (const filter of filters) {
    for (const sees of ['all', 'placed', 'organization'] as const) {
      // One animal has few orders, which are filtered without an index.
      if (sees === 'organization' && 'petId' in filter) continue
      for (const after of [undefined, 500]) {
        const query = orders
          .page(db, { ...filter, after, limit: 20 }, { keyId: 1, organizationId: 1, sees })
          .compile()
        const columns = [
          ...{ all: [], placed: ['placed_by'], organization: ['organization_id'] }[sees],
          ...('petId' in filter ? ['pet_id'] : []),
          ...('status' in filter ? ['status'] : []),
          ...(after === undefined ? [] : ['id']),
        ]
        if (columns.length > 0) assertOneSearch(await explain(db, query), columns)
        if (!('petId' in filter)) continue
        const others = orders
          .page(db, { ...filter, after, limit: 20, asOther: true }, { keyId: 1, organizationId: 1, sees })
          .compile()
        const plan = await explain(db, others)
        assert.match(plan, /adoption_order_pet_by_pet/, plan)
      }
    }
  }
})
