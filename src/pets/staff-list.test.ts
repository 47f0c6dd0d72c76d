import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { openForCommand } from '../db/open-database.ts'
import { cleanup } from '../testing/cleanup.ts'
import { addAnimal, startNetwork } from '../testing/network.ts'
import { latestChanges } from './staff-list.ts'

/**
 * Starts a service in which organization 1 changes an animal once, and then organization 2 changes another
 * animal 3,000 times.
 */
async function startWithChanges(t: TestContext) {
  const app = await startNetwork(t)
  const { db, close } = await openForCommand(app.databaseUrl)
  cleanup(t).defer(close)
  for (const organizationId of [1, 2])
    await app.patch(`/v1/pets/${await addAnimal(app, organizationId)}`, { name: `Max ${organizationId}` })
  await sql`
    with recursive number (n) as (select 1 union all select n + 1 from number where n < 3000)
    insert into pet_change (pet_id, organization_id, at, key_id, changes)
      select pet_id, organization_id, at, key_id, changes from pet_change, number where organization_id = 2
  `.execute(db)
  return { app, db }
}

test('latestChanges finds a change of an organization that is older than 3,000 changes of another organization', async (t) => {
  const { app, db } = await startWithChanges(t)
  const names = async (organizationId?: number) =>
    (await latestChanges(db, organizationId, 2)).map(({ name }) => name)

  assert.deepEqual(await names(1), ['Max 1'])
  assert.deepEqual(await names(2), ['Max 2', 'Max 2'])
  assert.deepEqual(await names(), ['Max 2', 'Max 2'])
  await app.patch('/v1/pets/1', { organizationId: 2 })
  assert.deepEqual(await names(1), [], 'the animal has moved')
  await app.delete('/v1/pets/2')
  assert.deepEqual(await names(), ['Max 1'], 'the animal of the other changes was removed')
})

test('latestChanges searches the changes of an organization in an index, without sorting', async (t) => {
  const { db } = await startWithChanges(t)
  const executor = db.getExecutor()
  const execute = executor.executeQuery
  const queries: CompiledQuery[] = []
  executor.executeQuery = (query, ...more) => {
    queries.push(query)
    return execute.call(executor, query, ...more) as never
  }
  await latestChanges(db, 1, 8)
  executor.executeQuery = execute

  assert.equal(queries.length, 2)
  for (const { sql: text, parameters } of queries) {
    const { rows } = await db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${text}`, [...parameters]),
    )
    const plan = rows.map(({ detail }) => detail).join('; ')
    assert.match(plan, /^SEARCH pet_change USING (COVERING )?INDEX pet_change_by_organization/, plan)
    assert.doesNotMatch(plan, /TEMP B-TREE/)
  }
})
