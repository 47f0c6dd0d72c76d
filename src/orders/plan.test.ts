import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { startApp } from '../testing/start-app.ts'
import * as orders from './store.ts'

test('every filter of orders is one walk along an index, without sorting', async (t) => {
  const { db } = (await startApp(t)).service.context
  for (const filter of [{}, { status: 'placed' }, { petId: 1 }, { status: 'placed', petId: 1 }] as const) {
    for (const seesAll of [true, false]) {
      const viewer = { keyId: 1, seesAll }
      const { sql, parameters } = orders.page(db, { ...filter, after: 500, limit: 20 }, viewer).compile()
      const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])
      const { rows } = await db.executeQuery<{ detail: string }>(explain)
      const plan = rows.map(({ detail }) => detail).join('; ')
      assert.match(plan, /^SEARCH adoption_order USING (INDEX|INTEGER PRIMARY KEY)[^;]*$/)
    }
  }
})
