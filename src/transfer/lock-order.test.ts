import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { changes } from '../db/change.ts'
import { cleanup } from '../testing/cleanup.ts'
import { BY_ID, importText, lines, openStore } from '../testing/import-lines.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { until } from '../testing/redis.ts'

test('an import changes animals in the order of their ids, so it cannot deadlock with an order for these animals', async (t) => {
  const url = await scratchDatabase(t)
  const store = await openStore(t, url)
  await store.write(changes.insertKey, { name: 'a', plan: 'free', access: 'write' }, '1'.repeat(64), 0)
  const dog = (id: number, name: string) => ({ id, name, category: 'Dog' })
  await importText(store, lines(dog(1, 'Rex'), dog(2, 'Max')), BY_ID)
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  cleanup(t).defer(() => other.end())
  await other.query('begin')
  await other.query('select from pet where id = 1 for update')

  const importing = importText(store, lines(dog(2, 'Max II'), dog(1, 'Rex II')), BY_ID)
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await until(async () => (await waiting.execute(store.db)).rows.length > 0)
  await other.query('select from pet where id = 2 for update nowait')
  await other.query('commit')
  assert.equal((await importing).updated, 2)
})
