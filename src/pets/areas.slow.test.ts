import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openForCommand } from '../db/open-database.ts'
import { BLOCK_IDS } from '../search/bits.ts'
import { goOnWithId } from '../testing/next-id.ts'
import { nextOf } from '../testing/search-checks.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'
import { catchUp } from './search-index.ts'

// Animals that have no place of their own are found where their organization is, also while the index goes
// through its blocks because an organization has moved.

/** More than two steps go through. */
const BLOCKS = 70
const UTAH = { region: 'Utah', country: 'US' }
const OHIO = { region: 'Ohio', country: 'US' }
const ALL_AREAS = ['inCountry:us', 'inRegion:ohio', 'inRegion:utah']

/** Organizations 1 and 2 in Utah and 3 in Ohio, and each with an animal in every block. */
async function startWide(t: TestContext, blocks = BLOCKS) {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const { get, post, patch, service } = app
  const { db, write } = service.context
  for (const [index, address] of [UTAH, UTAH, OHIO].entries())
    await post('/v1/organizations', { code: `S${index}`, name: 'S', address })
  for (let block = 0; block < blocks; block += 1) {
    if (block > 0) await goOnWithId(app.databaseUrl, block * BLOCK_IDS + 1)
    for (const organizationId of [1, 2, 3]) {
      const animal = { name: 'Rex', categoryId: 1, status: 'available', organizationId }
      assert.equal((await post('/v1/pets', animal)).status, 201)
    }
  }
  await catchUp(write)
  let asked = 0
  return {
    ...app,
    step: () => write('indexAnimals'),
    finish: () => catchUp(write),
    async move(id: number, address: object) {
      assert.equal((await patch(`/v1/organizations/${id}`, { address })).status, 200)
    },
    /** How many animals are in a region, by the list and by the facets. */
    async count(region: string): Promise<[listed: number, counted: number]> {
      // Asked otherwise each time: the answer to the same question is kept as long as no animal changes.
      asked += 1
      const anyCategory = `categoryId=1&categoryId=${1_000 + asked}`
      const listed = await get(`/v1/pets?region=${region}&limit=100&fields=id&${anyCategory}`)
      const facets = await get(`/v1/pets/facets?facet=region&${anyCategory}`)
      assert.equal(facets.status, 200, facets.text)
      const values = facets.body.facets.region
      assert.equal(listed.status, 200, listed.text)
      const found = values.find((one: { value: string }) => one.value === region)
      let { length } = listed.body
      for (let next = nextOf(listed); next; ) {
        const more = await get(next)
        length += more.body.length
        next = nextOf(more)
      }
      return [length, found?.count ?? 0]
    },
    /** Under which areas the index holds anything. */
    async areas(): Promise<string[]> {
      const rows = db.selectFrom('search_posting').select('token').distinct().where('token', 'like', 'in%:%')
      return (await rows.orderBy('token').execute()).map(({ token }) => token)
    },
    /** Of which organizations the index knows where they are. */
    async held(): Promise<number[]> {
      const rows = db.selectFrom('search_area').select('organization_id').orderBy('organization_id')
      return (await rows.execute()).map((row) => row.organization_id)
    },
    moving: () =>
      db.selectFrom('search_area').select('organization_id').where('next_block', 'is not', null).execute(),
  }
}

test('GET /v1/pets by region finds animals where their organization is, before, while and after it moves in the index', async (t) => {
  const { count, move, step, finish, areas, moving } = await startWide(t)
  const expect = async (utah: number, ohio: number, when: string): Promise<void> => {
    assert.deepEqual(
      [await count('Utah'), await count('Ohio')],
      [
        [utah, utah],
        [ohio, ohio],
      ],
      when,
    )
  }
  await expect(2 * BLOCKS, BLOCKS, 'at first')
  assert.deepEqual(await areas(), ALL_AREAS)
  await move(1, OHIO)
  await expect(BLOCKS, 2 * BLOCKS, 'moved, which the index does not know')
  await step()
  assert.equal((await moving()).length, 1)
  await expect(BLOCKS, 2 * BLOCKS, 'in the first blocks')
  // Further, before the index has gone through all of them.
  await move(1, { region: 'Bern', country: 'CH' })
  await move(2, OHIO)
  await expect(0, 2 * BLOCKS, 'moved again')
  await step()
  await expect(0, 2 * BLOCKS, 'again in the first blocks')
  await finish()
  assert.deepEqual(await moving(), [])
  await expect(0, 2 * BLOCKS, 'in all blocks')
  assert.deepEqual(await count('Bern'), [BLOCKS, BLOCKS])
  assert.deepEqual(await areas(), ['inCountry:ch', 'inCountry:us', 'inRegion:bern', 'inRegion:ohio'])
})

test('GET /v1/pets by region finds an animal that changed hands while its organization moved where the new one is', async (t) => {
  const { count, move, step, finish, patch, areas } = await startWide(t)
  const last = (BLOCKS - 1) * BLOCK_IDS + 1
  await move(1, OHIO)
  await step()
  // Of these the index has gone through the block of the first alone.
  for (const id of [1, last]) await patch(`/v1/pets/${id}`, { organizationId: 3 })
  assert.deepEqual(await count('Ohio'), [2 * BLOCKS, 2 * BLOCKS])
  await finish()
  assert.deepEqual(
    [await count('Ohio'), await count('Utah')],
    [
      [2 * BLOCKS, 2 * BLOCKS],
      [BLOCKS, BLOCKS],
    ],
  )
  await move(3, { region: null })
  await finish()
  assert.deepEqual(await count('Ohio'), [BLOCKS - 2, BLOCKS - 2])
  assert.deepEqual(await areas(), ALL_AREAS)
})

test('of an organization that moves nothing stays where the last animals are gone before the index knows', async (t) => {
  const { count, move, finish, areas, delete: remove } = await startWide(t, 2)
  const last = BLOCK_IDS + 1
  await move(1, OHIO)
  await move(2, OHIO)
  for (const id of [last, last + 1, last + 2]) assert.equal((await remove(`/v1/pets/${id}`)).status, 204)
  await finish()
  assert.deepEqual(
    [await count('Utah'), await count('Ohio')],
    [
      [0, 0],
      [3, 3],
    ],
  )
  assert.deepEqual(await areas(), ['inCountry:us', 'inRegion:ohio'])
})

test('a store whose index has no areas yet, and one whose index is made anew, gets them', async (t) => {
  const { finish, areas, held, service, databaseUrl } = await startWide(t)
  // As the migration leaves it.
  const { db, close } = await openForCommand(databaseUrl)
  await db.deleteFrom('search_posting').where('token', 'like', 'in%:%').execute()
  await db.updateTable('search_area').set({ next_block: 0 }).execute()
  await close()
  await finish()
  assert.deepEqual(await areas(), ALL_AREAS)
  await service.context.write('rebuildIndex')
  assert.deepEqual(await held(), [])
  await finish()
  assert.deepEqual(await areas(), ALL_AREAS)
})

test('DELETE /v1/organizations leaves nothing of it in the index, and the others of its region are found', async (t) => {
  const { count, finish, held, post, patch, delete: remove } = await startWide(t)
  await post('/v1/organizations', { code: 'X', name: 'X', address: UTAH })
  await patch('/v1/pets/1', { organizationId: 4 })
  await finish()
  assert.deepEqual(await held(), [1, 2, 3, 4])
  await patch('/v1/pets/1', { organizationId: 3 })
  assert.equal((await remove('/v1/organizations/4')).status, 204)
  await finish()
  assert.deepEqual(await held(), [1, 2, 3])
  assert.deepEqual(await count('Utah'), [2 * BLOCKS - 1, 2 * BLOCKS - 1])
})
