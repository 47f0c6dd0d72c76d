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

/** An application of any length. Every tenth is longer than a page of the store. */
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

/** Returns the numbers of the applicants whose data is still in the file. */
function leftIn(bytes: string): number[] {
  const left = bytes.matchAll(/(?:Applicant|mark)(\d+)x|\ba(\d+)x@example/gi)
  return [...new Set([...left].map(([, number, other]) => Number(number ?? other)))].sort((a, b) => a - b)
}

test(`after erasing some of ${APPLICATIONS} applicants no byte of their data remains, and the other applications are complete`, async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const pets = [await addPet(app), await addPet(app), await addPet(app)]
  const [waits, adopted, removed] = pets as [number, number, number]
  const stays: number[] = []
  for (let number = 1; number <= APPLICATIONS; number += 1) {
    assert.equal(await apply(app, pets[number % 3] ?? 0, number), number)
    // Not in the order of creation, so rows grow and SQLite moves neighboring rows.
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

  const erased = (await app.get('/v1/applications/1')).body
  assert.deepEqual(Object.keys(erased).sort(), [
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
  const [remaining = 0] = stays
  assert.deepEqual(
    (await app.get(`/v1/applications/${remaining}`)).body.applicant,
    applicationOf(remaining).applicant,
  )
  await app.stop()
  const left = leftIn(await storedBytes(app.databaseUrl))
  // PostgreSQL compresses long values, so not all are found.
  assert.deepEqual(
    left.filter((number) => !stays.includes(number)),
    [],
  )
  assert.ok(left.length > stays.length / 2, `${left}`)
})

test('ADOPTER_DATA_DAYS count from the decision or the end of the order; open applications stay', async (t) => {
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
  assert.deepEqual(await erased(), [1], 'one order is open, and one application is undecided')
  await app.patch(`/v1/store/orders/${orderId}`, { status: 'completed' })
  app.clock.now += 11 * DAY_MS
  assert.deepEqual(await erased(), [3, 2, 1])
})

test('a replay after the erasure has no personal data, and PATCH of a note gets 409 application_closed', async (t) => {
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
