import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForCommand } from '../db/open-database.ts'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'

const NOW = Date.UTC(2026, 10, 23, 12)
const DAY_MS = 86_400_000
const LEFT = { outcomeKind: 'transferred', outcomeDate: '2026-11-10' }

async function startWithTwo(t: Parameters<typeof startApp>[0]) {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' }, now: NOW })
  for (const code of ['A1', 'B2']) await app.post('/v1/organizations', { name: code, code })
  const add = async (staff: object, more: object = {}): Promise<number> =>
    (await app.post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId: 1, staff, ...more })).body.id
  return { ...app, add }
}

test('GET /v1/statistics counts intakes, outcomes, stays, applications and animals in care', async (t) => {
  const { add, patch, post, get, clock } = await startWithTwo(t)
  await add({ intakeDate: '2026-11-01', ...LEFT })
  await add({ intakeDate: '2026-10-01', ...LEFT, outcomeKind: 'died' })
  await add({ intakeDate: '2026-11-10', ...LEFT, outcomeKind: 'returned_to_owner' }, { categoryId: 2 })
  await add({ intakeDate: '2020-01-01', ...LEFT, outcomeDate: '2025-11-30' })
  const adopted = await add({ intakeDate: '2026-11-03' }, { status: 'available' })
  const applicant = { name: 'Ada', email: 'ada@example.org' }
  for (const name of ['Ada', 'Ben'])
    await post('/v1/applications', { petId: adopted, applicant: { ...applicant, name } })
  await patch(`/v1/pets/${adopted}`, { status: 'sold' })
  await add({ intakeDate: '2026-11-22' }, { status: 'available' })
  await add({ intakeDate: '2025-01-01' }, { status: 'pending', organizationId: 2 })
  await add({}, { status: undefined })
  clock.now += 2 * DAY_MS

  const { status, body } = await get('/v1/statistics?organizationId=1')

  assert.equal(status, 200)
  const none = { intakes: 0, adopted: 0, transferred: 0, returnedToOwner: 0, died: 0 }
  assert.deepEqual(body, {
    ...{ from: '2025-12-01', to: '2026-11-25', inCare: 2 },
    months: [
      { month: '2026-10', categoryId: 1, ...none, intakes: 1 },
      { month: '2026-11', categoryId: 1, ...none, intakes: 4, adopted: 1, transferred: 1, died: 1 },
      { month: '2026-11', categoryId: 2, ...none, intakes: 1, returnedToOwner: 1 },
    ],
    liveReleaseRate: 0.75,
    lengthOfStay: {
      ...{ animals: 4, lowerQuartile: 0, median: 9, upperQuartile: 20 },
      categories: [
        { categoryId: 1, animals: 3, lowerQuartile: 9, median: 20, upperQuartile: 40 },
        { categoryId: 2, animals: 1, lowerQuartile: 0, median: 0, upperQuartile: 0 },
      ],
    },
    applications: { received: 2, animals: 1, perAnimal: 2 },
    waiting: [
      { minDays: 0, maxDays: 7, animals: 2 },
      { minDays: 8, maxDays: 30, animals: 0 },
      { minDays: 31, maxDays: 90, animals: 0 },
      { minDays: 91, maxDays: 180, animals: 0 },
      { minDays: 181, maxDays: 365, animals: 0 },
      { minDays: 366, animals: 0 },
    ],
  })
  const all = (await get('/v1/statistics')).body
  assert.deepEqual([all.inCare, all.waiting.at(-1).animals], [3, 1])
  const month = (await get('/v1/statistics?months=1')).body
  assert.deepEqual([month.from, month.months.length], ['2026-11-01', 2])
  for (const months of ['0', '61', 'x'])
    assert.equal((await get(`/v1/statistics?months=${months}`)).status, 400)
})

test('GET /v1/statistics of an empty store answers 200 without a rate and a median', async (t) => {
  const { get } = await startWithTwo(t)
  const { inCare, months, liveReleaseRate, lengthOfStay, applications } = (await get('/v1/statistics')).body
  assert.deepEqual(
    { inCare, months, liveReleaseRate, lengthOfStay, applications },
    {
      ...{ inCare: 0, months: [], liveReleaseRate: undefined },
      lengthOfStay: { animals: 0, categories: [] },
      applications: { received: 0, animals: 0 },
    },
  )
})

test('GET /v1/statistics with a read key gets 403; with a key of an organization it counts only that organization', async (t) => {
  const { add, get, databaseUrl } = await startWithTwo(t)
  await add({ intakeDate: '2026-11-01' })
  await add({ intakeDate: '2026-11-01' }, { organizationId: 2 })
  const as = async (more: object) => {
    const key = await makeKey(databaseUrl, { ...UNLIMITED, ...more } as Parameters<typeof makeKey>[1])
    return { authorization: `Bearer ${key}` }
  }
  assert.equal((await get('/v1/statistics', await as({ access: 'read' }))).status, 403)
  const own = await as({ access: 'write', organizationId: 1 })
  assert.equal((await get('/v1/statistics', own)).body.inCare, 1)
  const other = await get('/v1/statistics?organizationId=2', own)
  assert.deepEqual([other.status, other.body.code], [403, 'other_organization'])
})

test('GET /v1/statistics counts an animal without an intake date from the day it was first known', async (t) => {
  const { add, get, databaseUrl } = await startWithTwo(t)
  const ids = [await add({}), await add({}), await add({})]
  const store = await openForCommand(databaseUrl)
  for (const [index, published_at] of [NOW - 40 * DAY_MS, NOW + DAY_MS, null].entries())
    await store.db
      .updateTable('pet')
      .set({ published_at })
      .where('id', '=', ids[index] ?? 0)
      .execute()
  await store.close()
  const { months, waiting } = (await get('/v1/statistics')).body
  assert.deepEqual(
    months.map(({ month, intakes }: { month: string; intakes: number }) => [month, intakes]),
    [
      ['2026-10', 1],
      ['2026-11', 2],
    ],
  )
  assert.deepEqual(
    waiting.map(({ animals }: { animals: number }) => animals),
    [2, 0, 1, 0, 0, 0],
  )
})

test('GET /v1/statistics counts more animals than one batch', async (t) => {
  const app = await startWithTwo(t)
  const id = await app.add({ intakeDate: '2026-11-01' })
  const store = await openForCommand(app.databaseUrl)
  const stored = await store.db.selectFrom('pet').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const { id: _, ...row } = stored
  for (let done = 0; done < 2_100; done += 30)
    await store.db.insertInto('pet').values(Array(30).fill(row)).execute()
  await store.close()
  assert.equal((await app.get('/v1/statistics')).body.inCare, 2_101)
})
