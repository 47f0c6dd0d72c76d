import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { changes } from '../db/change.ts'
import { doJobs } from '../testing/jobs.ts'
import { type Options, startApp, type TestApp } from '../testing/start-app.ts'
import { countUnscrubbed } from './adopters.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ADOPTER = { name: 'Ada', email: 'ada@example.org' }

const tidyUp = ({ service }: TestApp): Promise<void> => doJobs(service.context)

/** Starts a service with its own steady clock, and one order that is closed now. */
async function startWithOrder(t: TestContext, options: Options = {}) {
  const steady = { now: 0 }
  const app = await startApp(t, { ...options, steady: () => steady.now })
  // Reads the clocks for the first time; otherwise the first job does that.
  await app.service.context.knownTime()
  if (options.databaseUrl === undefined) {
    await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
    await app.post('/v1/store/orders', { petId: 1, adopter: ADOPTER })
    await cancel(app)
  }
  const pass = async (ms: number) => {
    app.clock.now += ms
    steady.now += ms
    await tidyUp(app)
  }
  return { app, pass }
}

const cancel = (app: TestApp) => app.request('/v1/store/orders/1', { method: 'DELETE' })

async function adopterIn(app: TestApp): Promise<unknown> {
  const { db } = app.service.context
  return (await db.selectFrom('adoption_order').select('adopter').executeTakeFirst())?.adopter
}

const countWarnings = ({ log }: TestApp): number =>
  log.filter((line) => /the store has counted to/.test(line)).length

test('an erasure before the clock was read for the first time is recorded, and the known time begins with the clock', async (t) => {
  const app = await startApp(t)
  const { context } = app.service

  const person = { email: 'ana@shelter.example', name: 'Ana', role: 'staff' } as const
  await context.write(changes.inviteStaff, person, undefined, hash('sha256', 'link'), app.clock.now)
  await context.write(changes.removeStaff, 1, undefined, app.clock.now)

  assert.equal(await countUnscrubbed(context.db), 1)
  assert.equal(await context.knownTime(), app.clock.now)
  assert.equal(await countUnscrubbed(context.db), 1)
})

test('the clock jumps ahead 91 days: one warning is logged, and adopters are erased only after 91 days have passed', async (t) => {
  const { app, pass } = await startWithOrder(t)
  await pass(HOUR_MS)
  app.clock.now += 91 * DAY_MS
  await tidyUp(app)
  await tidyUp(app)
  assert.equal(countWarnings(app), 1)
  assert.ok(await adopterIn(app))

  await pass(88 * DAY_MS)
  assert.ok(await adopterIn(app), 'only 88 days have passed')
  await pass(3 * DAY_MS)
  assert.equal(await adopterIn(app), null)
})

test('a start with the clock 91 days ahead erases nothing and adds one day to the known time; quick restarts add nothing', async (t) => {
  const { app, pass } = await startWithOrder(t)
  await pass(2 * HOUR_MS)
  await app.stop()
  const now = app.clock.now + 91 * DAY_MS
  for (let start = 1; start <= 4; start += 1) {
    const { app: again } = await startWithOrder(t, { databaseUrl: app.databaseUrl, now })
    await tidyUp(again)
    assert.equal(countWarnings(again), 1)
    assert.equal(await again.service.context.knownTime(), app.clock.now + DAY_MS)
    assert.ok(await adopterIn(again))
    await again.stop()
  }
})

test('a service that is stopped every night erases adopters on time', async (t) => {
  let { app, pass } = await startWithOrder(t)
  const begun = app.clock.now
  for (let day = 1; day <= 4; day += 1) {
    await pass(8 * HOUR_MS)
    await app.stop()
    const now = begun + day * DAY_MS
    ;({ app, pass } = await startWithOrder(t, { databaseUrl: app.databaseUrl, now }))
    await tidyUp(app)
    assert.equal(await app.service.context.knownTime(), now)
  }
  assert.equal(countWarnings(app), 0)
})

test('closing an order while the clock is years behind sets decidedAt to the known time of the store', async (t) => {
  const steady = { now: 0 }
  const app = await startApp(t, { steady: () => steady.now })
  for (const id of [1, 2]) {
    await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
    await app.post('/v1/store/orders', { petId: id, adopter: ADOPTER })
  }
  const right = app.clock.now
  await cancel(app)
  await tidyUp(app)
  app.clock.now = 0
  await app.request('/v1/store/orders/2', { method: 'DELETE' })
  await tidyUp(app)
  app.clock.now = right + DAY_MS
  await tidyUp(app)

  const { body } = await app.get('/v1/store/orders/2')
  assert.deepEqual(body.adopter, ADOPTER)
  assert.equal(body.decidedAt, new Date(right).toISOString())
})

test('while no adopter is due to be erased, the known time follows a corrected clock', async (t) => {
  const app = await startApp(t, { now: 0, steady: () => 0 })
  await tidyUp(app)
  app.clock.now = Date.UTC(2026, 11, 1)
  assert.equal(await app.service.context.knownTime(), app.clock.now)
})

test('several processes on one store advance the known time once', async (t) => {
  const { app, pass } = await startWithOrder(t)
  await pass(HOUR_MS)
  const { write } = app.service.context
  const at = app.clock.now
  const late = at + 100 * DAY_MS
  // Each process reports the same last known time, and that the same minute has passed.
  for (let process = 0; process < 4; process += 1) {
    assert.equal(await write(changes.advanceKnownTime, late, at + 60_000), at + 60_000)
  }
})
