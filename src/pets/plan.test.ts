import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { startApp } from '../testing/start-app.ts'
import { page } from './list.ts'

test('every filter of GET /v1/pets, in both orders, is one index scan without sorting', async (t) => {
  const { service } = await startApp(t)
  const { db } = service.context
  const filters = [{}, { status: ['sold'] }, { categoryId: 1 }, { status: ['sold'], categoryId: 1 }] as const
  for (const filter of filters) {
    for (const sort of ['id', '-id'] as const) {
      for (const after of [undefined, 500]) {
        const { sql, parameters } = page(db, { ...filter, sort, after, limit: 20 }).compile()
        const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])
        const { rows } = await db.executeQuery<{ detail: string }>(explain)
        const plans = rows.map(({ detail }) => detail)
        const plan = plans.join('; ')
        assert.equal(plans.length, 1, plan)
        assert.match(plan, Object.keys(filter).length > 0 ? /^SEARCH pet USING INDEX/ : /^(SCAN|SEARCH) pet/)
        assert.doesNotMatch(plan, /TEMP B-TREE/)
      }
    }
  }
})
