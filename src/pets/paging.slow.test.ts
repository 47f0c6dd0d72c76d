import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openForCommand } from '../db/open-database.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

const ANIMALS = 100_000

/** Adds all animals in one statement, as a migration from another program would. */
async function fill(databaseUrl: string): Promise<void> {
  const store = await openForCommand(databaseUrl)
  await sql`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${ANIMALS})
    insert into pet (name, category_id, status)
    select 'Pet ' || n, 1 + n % 8, case n % 4 when 0 then 'available' when 1 then 'pending' when 2 then 'sold' end
    from numbers`.execute(store.db)
  await store.close()
}

/** Adds and removes animals all over the list while `goesOn`. @param removed gets the removed ids */
async function churn({ post, request }: TestApp, removed: Set<number>, goesOn: () => boolean): Promise<void> {
  for (let round = 0; goesOn(); round += 1) {
    const id = ((round * 7_919) % ANIMALS) + 1
    const [added, gone] = await Promise.all([
      post('/v1/pets', { name: 'Newcomer', categoryId: 1, status: 'available' }),
      request(`/v1/pets/${id}`, { method: 'DELETE' }),
    ])
    assert.deepEqual([added.status, gone.status], [201, 204])
    removed.add(id)
  }
}

for (const sort of ['-id', 'id']) {
  test(`paging through 100,000 animals with sort=${sort} during inserts and deletes returns each existing animal once`, async (t) => {
    const app = await startApp(t, { key: UNLIMITED })
    await fill(app.databaseUrl)
    let paging = true
    const removed = new Set<number>()
    const changing = churn(app, removed, () => paging)

    const read: number[] = []
    let next: string | undefined = `/v1/pets?limit=100&sort=${sort}`
    while (next !== undefined && read.length < 2 * ANIMALS) {
      const { body, headers } = await app.get(next)
      for (const { id } of body) read.push(id)
      next = /<http:\/\/pets\.example([^>]*)>; rel="next"/.exec(String(headers.link))?.[1]
      // Waits until one animal is removed for every 5,000 that were read.
      while (removed.size < read.length / 5_000) await Promise.race([changing, new Promise(setImmediate)])
    }
    paging = false
    await changing

    assert.equal(new Set(read).size, read.length, 'an animal was returned twice')
    assert.deepEqual(
      read,
      read.toSorted((a, b) => (sort === 'id' ? a - b : b - a)),
      'not in order',
    )
    const found = new Set(read)
    for (let id = 1; id <= ANIMALS; id += 1) {
      if (!found.has(id)) assert.ok(removed.has(id), `${id} existed all the time but was not returned`)
    }
  })
}
