import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { startApp } from '../testing/start-app.ts'
import { findByMicrochip, foldMicrochip, selectByMicrochip } from './staff-list.ts'

test('chips compare without case, blanks, hyphens and points; words and repeated digits are not chips', () => {
  for (const [microchip, expected] of [
    ['985112006543210', '985112006543210'],
    ['985 112-006.543 210', '985112006543210'],
    ['0A12-3B45C6', '0a123b45c6'],
    ['none', undefined],
    ['see collar', undefined],
    ['000 000 000 000', undefined],
    ['12345', undefined],
    [undefined, undefined],
  ])
    assert.equal(foldMicrochip({ staff: { ...(microchip && { microchip }) } }), expected, microchip)
})

test('animals are found by their chip, of all organizations or of one, through the index', async (t) => {
  const { post, patch, service } = await startApp(t, { key: { access: 'admin' } })
  const { db } = service.context
  for (const code of ['A1', 'B2']) await post('/v1/organizations', { name: code, code })
  for (const [microchip, organizationId] of [
    ['985-112-006-543-210', 1],
    ['985112006543210', 2],
    ['985 112 006 543 210', 1],
    ['0A123B45C6', 2],
    ['none', 2],
  ])
    await post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId, staff: { microchip } })
  const chips = ['985112006543210', '0a123b45c6', 'none', '123456789']
  const found = async (organizationId?: number) =>
    Object.fromEntries(await findByMicrochip(db, chips, organizationId))

  assert.deepEqual(await found(), { '985112006543210': [1, 3], '0a123b45c6': [4], none: [5] })
  assert.deepEqual(await found(1), { '985112006543210': [1, 3] })
  assert.deepEqual(await found(2), { '985112006543210': [2], '0a123b45c6': [4], none: [5] })
  await patch('/v1/pets/1', { staff: { microchip: '900000000000001' } })
  assert.deepEqual(await found(1), { '985112006543210': [3] })

  if (dialectOf(db).engine === 'postgres') return
  const { sql, parameters } = selectByMicrochip(db, chips, undefined).compile(db)
  const { rows } = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  )
  const plan = rows.map(({ detail }) => detail).join('; ')
  assert.match(plan, /SEARCH pet USING COVERING INDEX pet_by_microchip/)
  assert.doesNotMatch(plan, /SCAN pet|TEMP B-TREE/)
})
