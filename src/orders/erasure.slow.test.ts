import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilScrubbed } from '../testing/jobs.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'
import { storedBytes } from '../testing/stored-bytes.ts'

const DAY_MS = 86_400_000
const ORDERS = 300
const JSON_HEADERS = { 'content-type': 'application/json' }

/** Adopters differ in length. Every tenth takes more than a page of SQLite. */
function adopterOf(number: number) {
  const mark = `mark${number}x `
  const message = number % 10 === 0 ? mark + '🏡'.repeat(1_400) + mark : mark.repeat(1 + ((number * 37) % 60))
  return { name: `Adopter${number}X`, email: `a${number}x@example.org`, message }
}

async function place(app: TestApp, number: number): Promise<number> {
  const pet = await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
  const body = { petId: pet.body.id, adopter: adopterOf(number) }
  const answer = await app.post('/v1/store/orders', body, { 'idempotency-key': `order-${number}` })
  assert.equal(answer.status, 201)
  return answer.body.id
}

function decide(app: TestApp, id: number, status: string) {
  const headers = { ...JSON_HEADERS, 'idempotency-key': `${status}-${id}` }
  return app.request(`/v1/store/orders/${id}`, { method: 'PATCH', headers, body: { status } })
}

/** @returns the numbers of the adopters that the bytes mention */
function adoptersIn(bytes: string): number[] {
  const mentions = bytes.matchAll(/(?:Adopter|mark)(\d+)x|\ba(\d+)x@example/gi)
  return [...new Set([...mentions].map(([, number, other]) => Number(number ?? other)))].sort((a, b) => a - b)
}

test(`erasing ${ORDERS} adopters leaves no byte of them in the stopped store or in the log, and keeps the adopter of an open order`, async (t) => {
  const app = await startApp(t, { key: UNLIMITED, settings: { LOG_LEVEL: 'trace' } })
  const open: number[] = []
  for (let number = 1; number <= ORDERS; number += 1) {
    open.push(await place(app, number))
    // Not in the order of creation, so rows grow and SQLite moves neighboring rows.
    if (number % 5 !== 0) await decide(app, open[(number * 7) % open.length] ?? 0, 'approved')
    if (number % 2 === 0) {
      await decide(app, open.splice((number * 7_919) % open.length, 1)[0] ?? 0, 'cancelled')
    }
  }
  app.clock.now += DAY_MS
  for (const id of open) await decide(app, id, 'cancelled')
  const openOrder = await place(app, ORDERS + 1)
  // Erases half of them first, then the others.
  for (const days of [90, 1]) {
    app.clock.now += days * DAY_MS
    await untilScrubbed(app)
  }
  assert.deepEqual((await app.get(`/v1/store/orders/${openOrder}`)).body.adopter, adopterOf(openOrder))
  await app.stop()

  assert.deepEqual(adoptersIn(await storedBytes(app.databaseUrl)), [openOrder])
  assert.deepEqual(adoptersIn(app.log.join('')), [])
})

test('replaying an order request: the adopter is taken from the order, and never stored with the result', async (t) => {
  const app = await startApp(t, { settings: { ADOPTER_DATA_DAYS: '1' } })
  const again = () =>
    app.post('/v1/store/orders', { petId: 1, adopter: adopterOf(1) }, { 'idempotency-key': 'order-1' })
  await place(app, 1)
  const first = await again()
  assert.deepEqual([first.status, first.headers['idempotent-replayed']], [201, 'true'])
  assert.deepEqual(first.body.adopter, adopterOf(1))
  const cancelled = await decide(app, 1, 'cancelled')
  assert.deepEqual((await decide(app, 1, 'cancelled')).text, cancelled.text)
  const stored = await app.service.context.db.selectFrom('idempotency').select('result').execute()
  assert.equal(stored.length, 2)
  assert.doesNotMatch(JSON.stringify(stored), /adopter|example\.org/i)

  // Sends the same status with a new Idempotency-Key. The result is stored for 24 hours from now on.
  app.clock.now += 1.5 * DAY_MS
  const repeat = () =>
    app.request('/v1/store/orders/1', {
      method: 'PATCH',
      headers: { ...JSON_HEADERS, 'idempotency-key': 'late' },
      body: { status: 'cancelled' },
    })
  assert.deepEqual((await repeat()).body, cancelled.body)
  app.clock.now += 0.5 * DAY_MS
  await untilScrubbed(app)
  const late = await repeat()
  const { adopter, ...rest } = cancelled.body
  assert.deepEqual([late.status, late.headers['idempotent-replayed'], late.body], [200, 'true', rest])
})
