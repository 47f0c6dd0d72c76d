import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../db/change.ts'
import { newToken } from '../http/token.ts'
import { doJobs, untilScrubbed } from '../testing/jobs.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'
import { storedBytes } from '../testing/stored-bytes.ts'
import { findByLink } from './store.ts'

const DAY_MS = 86_400_000
const APPLICATIONS = 120

/** Of every length: every tenth takes more than a page. */
function applicationOf(number: number) {
  const mark = `mark${number}x `
  const message = number % 10 === 0 ? mark + '🏡'.repeat(1_400) + mark : mark.repeat(1 + ((number * 37) % 60))
  return {
    applicant: {
      name: `Applicant${number}X`,
      email: `a${number}x@example.org`,
      phone: `mark${number}x`,
      address: mark.repeat(3),
    },
    message,
    answers: [{ question: `Why ${mark}?`, answer: mark.repeat(1 + ((number * 13) % 50)) }],
  }
}

async function addPet(app: TestApp): Promise<number> {
  return (await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })).body.id
}

async function apply(app: TestApp, petId: number, number: number): Promise<number> {
  const headers = { 'idempotency-key': `application-${number}` }
  const answer = await app.post('/v1/applications', { petId, ...applicationOf(number) }, headers)
  assert.equal(answer.status, 201)
  return answer.body.id
}

async function decide(app: TestApp, id: number, status: string) {
  const words = { note: `About mark${id}x.`, reply: `Dear Applicant${id}X` }
  const headers = { 'idempotency-key': `${status}-${id}` }
  const answer = await app.patch(`/v1/applications/${id}`, { status, ...words }, headers)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** The numbers of the applicants of whom any byte is left. */
function leftIn(bytes: string): number[] {
  const left = bytes.matchAll(/(?:Applicant|mark)(\d+)x|\ba(\d+)x@example/gi)
  return [...new Set([...left].map(([, number, other]) => Number(number ?? other)))].sort((a, b) => a - b)
}

test(`of ${APPLICATIONS} applicants no byte is left of those who were erased, and all of those who were not`, async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const pets = [await addPet(app), await addPet(app), await addPet(app)]
  const [waits, adopted, removed] = pets as [number, number, number]
  const stays: number[] = []
  for (let number = 1; number <= APPLICATIONS; number += 1) {
    assert.equal(await apply(app, pets[number % 3] ?? 0, number), number)
    // In another order than they came: rows grow between others, and SQLite moves what stands beside them.
    const earlier = 1 + ((number * 7_919) % Math.max(1, number - 1))
    if (number % 3 === 0 && number % 2 === 0) await decide(app, number, 'declined')
    else if (number % 3 === 0) stays.push(number)
    if (number % 5 === 0) await app.patch(`/v1/applications/${earlier}`, { note: `mark${earlier}x again` })
  }
  const { orderId } = await decide(app, 1, 'approved')
  await app.patch(`/v1/store/orders/${orderId}`, { status: 'completed' })
  await app.delete(`/v1/pets/${removed}`)
  assert.equal(adopted, 2)
  const link = newToken()
  const sending = { by: null, linkHash: link.hash, now: app.clock.now }
  const { write, db } = app.service.context
  await write(changes.insertApplication, { petId: waits, ...applicationOf(APPLICATIONS + 1) }, sending)
  await write(changes.withdrawByLink, link.token, app.clock.now)
  assert.equal((await findByLink(db, link.token))?.status, 'withdrawn')

  app.clock.now += 91 * DAY_MS
  await untilScrubbed(app)

  const gone = (await app.get('/v1/applications/1')).body
  assert.deepEqual(Object.keys(gone).sort(), [
    'decidedAt',
    'decidedBy',
    'id',
    'orderId',
    'petId',
    'receivedAt',
    'status',
  ])
  assert.equal(await findByLink(db, link.token), undefined)
  assert.equal((await app.get('/v1/store/orders/1')).body.adopter, undefined)
  const [kept = 0] = stays
  assert.deepEqual((await app.get(`/v1/applications/${kept}`)).body.applicant, applicationOf(kept).applicant)
  await app.stop()
  const left = leftIn(await storedBytes(app.databaseUrl))
  // PostgreSQL keeps what is long in a form in which not all is found.
  assert.deepEqual(
    left.filter((number) => !stays.includes(number)),
    [],
  )
  assert.ok(left.length > stays.length / 2, `${left}`)
})

test('the days count from the decision, or from the end of the order; what waits for its animal is kept', async (t) => {
  const app = await startApp(t, { key: UNLIMITED, settings: { ADOPTER_DATA_DAYS: '10' } })
  const petId = await addPet(app)
  for (const number of [1, 2, 3]) await apply(app, petId, number)
  await decide(app, 1, 'declined')
  const { orderId } = await decide(app, 2, 'approved')
  const erased = async () => {
    await doJobs(app.service.context)
    const { body } = await app.get('/v1/applications')
    return body
      .filter(({ applicant }: { applicant?: object }) => !applicant)
      .map(({ id }: { id: number }) => id)
  }
  app.clock.now += 11 * DAY_MS - 1
  assert.deepEqual(await erased(), [])
  app.clock.now += 1
  assert.deepEqual(await erased(), [1])
  app.clock.now += 400 * DAY_MS
  assert.deepEqual(await erased(), [1], 'an order that is open, and an animal that waits')
  await app.patch(`/v1/store/orders/${orderId}`, { status: 'completed' })
  app.clock.now += 11 * DAY_MS
  assert.deepEqual(await erased(), [3, 2, 1])
})

test('a replay after the erasure tells of nobody, and nothing can be written to what was erased', async (t) => {
  const app = await startApp(t, { settings: { ADOPTER_DATA_DAYS: '1' } })
  await apply(app, await addPet(app), 1)
  await decide(app, 1, 'declined')
  app.clock.now += 1.5 * DAY_MS
  const repeat = () => app.patch('/v1/applications/1', { status: 'declined' }, { 'idempotency-key': 'late' })
  assert.equal((await repeat()).body.applicant.name, 'Applicant1X')
  app.clock.now += 0.5 * DAY_MS
  await untilScrubbed(app)
  const late = await repeat()
  assert.deepEqual([late.status, late.headers['idempotent-replayed']], [200, 'true'])
  assert.deepEqual(Object.keys(late.body).sort(), [
    'decidedAt',
    'decidedBy',
    'id',
    'petId',
    'receivedAt',
    'status',
  ])
  const written = await app.patch('/v1/applications/1', { note: 'mark1x' })
  assert.deepEqual([written.status, written.body.code], [409, 'application_closed'])
  assert.equal((await app.patch('/v1/applications/1', { note: null })).status, 200)
})
