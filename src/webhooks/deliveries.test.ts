import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Insertable } from 'kysely'
import { changes as allChanges } from '../changes.ts'
import { changes } from '../db/change.ts'
import { openForCommand } from '../db/open-database.ts'
import type { Tables } from '../db/tables.ts'
import { recordEvents } from '../events/log.ts'
import { cleanup } from '../testing/cleanup.ts'
import { payloadOf, REX, SENDING, startWithTwo, untilDelivery } from '../testing/deliveries.ts'
import { runDoctor } from '../testing/findings.ts'
import { doJobs } from '../testing/jobs.ts'
import { type ReceivedDelivery, startReceiver } from '../testing/receiver.ts'
import { startApp, type TestApp } from '../testing/start-app.ts'
import type { Parties } from './attempts.ts'

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]

type NewWebhookRow = Partial<Omit<Insertable<Tables['webhook']>, 'id'>>

/** Adds a webhook with deliveries that the service does not send yet. */
async function addDue(
  { databaseUrl, clock }: TestApp,
  webhook: NewWebhookRow & { id: number },
  subjects: string[],
) {
  const store = await openForCommand(databaseUrl, allChanges)
  const url = `https://${webhook.id}.example.org/`
  const row = { url, types: '[]', secret: 'whsec_', last_event_id: 1_000 }
  const now = clock.now + DAY_MS
  await store.db
    .insertInto('webhook')
    .values({ ...row, created_at: clock.now, ...webhook })
    .execute()
  const due = subjects.map((subject) => ({ webhook_id: webhook.id, subject, status: 'pending' as const }))
  while (due.length > 0) {
    const rows = due.splice(0, 1_000).map((delivery) => ({ ...delivery, due_at: now, created_at: clock.now }))
    await store.db.insertInto('delivery').values(rows).execute()
  }
  await store.close()
}

const leaseOf = ({ clock }: TestApp, max = 8) => ({
  ...{ now: clock.now + 2 * DAY_MS, max, maxPerWebhook: 4, sending: [] },
})

test('events of one animal are sent one at a time', async (t) => {
  const app = await startApp(t)
  await addDue(app, { id: 1 }, new Array(20_000).fill('pet:1'))
  const lease = () => app.service.context.write(changes.leaseDeliveries, leaseOf(app))

  assert.deepEqual(
    (await lease()).map(({ id }) => id),
    [1],
  )
  assert.deepEqual(await lease(), [])
})

test('failing webhooks do not use up the simultaneous deliveries of a process', async (t) => {
  const app = await startApp(t)
  const subjects = ['pet:1', 'pet:2', 'pet:3', 'pet:4']
  for (const id of [1, 2, 3]) await addDue(app, { id, failing_since: 1 }, subjects)
  await addDue(app, { id: 4 }, ['pet:1'])
  const leased = await app.service.context.write(changes.leaseDeliveries, leaseOf(app))

  assert.deepEqual(
    leased.map(({ webhookId }) => webhookId),
    [1, 1, 2, 4],
  )
})

test('four organizations and hosts with many deliveries leave some of the process free for others', async (t) => {
  const app = await startApp(t, SENDING)
  for (const code of ['A1', 'B2', 'C3']) await app.post('/v1/organizations', { name: code, code })
  const subjects = ['pet:1', 'pet:2', 'pet:3', 'pet:4']
  const add = (ids: number[], webhook: NewWebhookRow) =>
    Promise.all(ids.map((id) => addDue(app, { id, ...webhook }, subjects)))
  const lease = (sending: Parties[] = []) =>
    app.service.context.write(changes.leaseDeliveries, { ...leaseOf(app, 32), sending })
  await add([1, 2, 3], { organization_id: 1 })
  await add([4, 5, 6], { organization_id: 2 })
  await add([7, 8], { organization_id: 3, url: 'https://hooks.example.org/' })
  await add([9], { url: 'https://hooks.example.org/' })
  await add([10, 11], { url: 'https://other.example.org/' })
  const leased = await lease()
  const sending = leased.map(({ parties }) => parties)

  const count = (ids: number[]) => leased.filter(({ webhookId }) => ids.includes(webhookId)).length
  assert.deepEqual([count([1, 2, 3]), count([4, 5, 6]), count([7, 8, 9]), count([10, 11])], [8, 6, 5, 4])
  assert.deepEqual(await lease(sending), [])
  await add([12], {})
  assert.deepEqual(
    (await lease(sending)).map(({ webhookId }) => webhookId),
    [12, 12, 12],
  )
})

test('webhooks of other organizations do not slow down the queue', async (t) => {
  const app = await startApp(t, SENDING)
  const { until, url } = await startReceiver(t)
  for (let organizationId = 1; organizationId <= 25; organizationId += 1) {
    await app.post('/v1/organizations', { name: 'A' })
    await app.post('/v1/webhooks', { url: url(), types: ['pet.created'], organizationId })
  }
  const store = await openForCommand(app.databaseUrl, allChanges)
  const event = { type: 'pet.created', audience: 'public', organizationId: 1 } as const
  const events = Array.from({ length: 210 }, (_, index) => ({ ...event, data: { petId: index } }))
  const hasMore = await store.db.transaction().execute(async (db) => {
    await recordEvents(db, events, app.clock.now)
    return allChanges.queueDeliveries(db, app.clock.now)
  })
  await store.close()

  assert.equal(hasMore, false)
  await until(1)
})

test('a stop ends the leases of deliveries under way, so they are sent again immediately', async (t) => {
  const app = await startWithTwo(t)
  const { until, url, received } = await startReceiver(t, () => (received.length === 1 ? 'hang' : {}))
  const { id } = await app.add({ url: url(), types: ['pet.created'] })
  await app.post('/v1/pets', REX)
  await until(1)
  await app.stop()
  const { databaseUrl, clock } = app
  const next = await startApp(t, { ...SENDING, databaseUrl, now: clock.now })

  await until(2)
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1)
  const { attempts } = await untilDelivery(next, id, ({ status }) => status === 'delivered')
  assert.equal(attempts, 1)
})

test('a delivery is received as soon as the headers of a 2xx have arrived, even if the body never ends', async (t) => {
  const app = await startWithTwo(t)
  const server = http.createServer((_request, response) => void response.writeHead(200).write('thank you'))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  cleanup(t).defer(() => void server.close().closeAllConnections())
  const { id } = await app.add({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` })
  await app.post(`/v1/webhooks/${id}/test`, {})

  const delivery = await untilDelivery(
    app,
    id,
    ({ attempts, dueAt }) => attempts === 1 && dueAt === undefined,
  )
  assert.deepEqual(
    [delivery.status, delivery.responseStatus, delivery.responseBody],
    ['delivered', 200, 'thank you'],
  )
})

test('deliveries that were stored while the clock was ahead are sent after it is corrected', async (t) => {
  const app = await startWithTwo(t)
  let isWorking = false
  const { until, url } = await startReceiver(t, () => ({ status: isWorking ? 204 : 503 }))
  const { id } = await app.add({ url: url(), types: ['pet.created'] })
  app.clock.now += 365 * DAY_MS
  await app.post('/v1/pets', REX)
  await untilDelivery(app, id, ({ responseStatus }) => responseStatus === 503)
  app.clock.now -= 365 * DAY_MS
  isWorking = true
  await doJobs(app.service.context)
  await until(2)
  await untilDelivery(app, id, ({ status }) => status === 'delivered')
  assert.match(String((await app.get(`/v1/webhooks/${id}/deliveries`)).body[0].createdAt), /^2026-12-01/)
})

test('a delivery whose event was removed because of its age is not sent', async (t) => {
  const app = await startWithTwo(t)
  let isWorking = false
  const { until, url, received } = await startReceiver(t, () => ({ status: isWorking ? 204 : 500 }))
  const { id } = await app.add({ url: url(), types: ['pet.created'] })
  await app.post('/v1/pets', REX)
  await untilDelivery(app, id, ({ responseStatus }) => responseStatus === 500)
  await app.service.context.write(changes.removeOldEvents, app.clock.now + 1)
  app.clock.now += MINUTE_MS
  isWorking = true
  const before = received.length
  await app.post('/v1/pets', REX)
  await until(before + 1)

  assert.equal(payloadOf(received.at(-1) as ReceivedDelivery).data.petId, 2)
  const sent = await untilDelivery(app, id, ({ status }) => status === 'delivered')
  assert.equal((await app.get(`/v1/webhooks/${id}/deliveries`)).body.length, 1)
  assert.equal(sent.type, 'pet.created')
})

test('doctor reports webhooks that fail or were disabled, and deliveries that are overdue', async (t) => {
  const app = await startApp(t, { settings: { METRICS_PORT: '0' } })
  await addDue(app, { id: 1, failing_since: 1 }, ['pet:1', 'pet:2'])
  await addDue(app, { id: 2, enabled: 0, disabled_reason: 'gone' }, ['pet:1'])
  const findings = await runDoctor({ DATABASE_URL: app.databaseUrl })
  const { registry } = app.service.context.metrics ?? assert.fail('nothing is measured')

  assert.deepEqual(
    findings.filter(({ check }) => /webhooks|deliveries/.test(check)).map(({ found }) => found),
    ['webhook 1 has failed since 1970-01-01T00:00:00.001Z', 'webhook 2 was switched off (gone)', '2 waiting'],
  )
  assert.match(await registry.metrics(), /^adoptable_deliveries_waiting 2$/m)
})

test('POST /v1/webhooks/{id}/recover sends each undelivered event since a time once', async (t) => {
  const app = await startWithTwo(t)
  const { until, url, received } = await startReceiver(t)
  const { id } = await app.add({ url: url(), enabled: false, types: ['pet.created'] })
  await app.post('/v1/pets', REX)
  app.clock.now += HOUR_MS
  const since = new Date(app.clock.now).toISOString()
  await app.post('/v1/pets', REX)
  await app.patch(`/v1/webhooks/${id}`, { enabled: true })
  const recover = async () => (await app.post(`/v1/webhooks/${id}/recover?since=${since}`, {})).body
  assert.deepEqual(await recover(), { deliveries: 1 })
  await until(1)
  await untilDelivery(app, id, ({ status }) => status === 'delivered')
  assert.deepEqual(await recover(), { deliveries: 0 })
  await app.post('/v1/pets', REX)
  await until(2)

  assert.deepEqual(received.map((delivery) => payloadOf(delivery).data.petId).sort(), [2, 3])
})

test('POST /v1/webhooks/{id}/recover looks at 2,000 events, and says where to continue', async (t) => {
  const app = await startWithTwo(t)
  const event = { type: 'pet.created', audience: 'public', organizationId: 1, data: { petId: 1 } } as const
  const store = await openForCommand(app.databaseUrl, allChanges)
  const record = (count: number, at: number) =>
    store.db.transaction().execute((db) => recordEvents(db, new Array(count).fill(event), app.clock.now + at))
  await record(1, HOUR_MS)
  // An import that began earlier, and was committed later.
  await record(2_400, HOUR_MS - MINUTE_MS)
  await record(2_400, HOUR_MS)
  await store.close()
  const { id } = await app.add({ url: 'https://hooks.example.org/', enabled: false, types: ['pet.created'] })
  let [sent, after] = [0, '']
  do {
    const { body } = await app.post(`/v1/webhooks/${id}/recover?since=2026-12-01T01:00:00Z${after}`, {})
    sent += body.deliveries
    after = body.continueAfter && `&after=${body.continueAfter}`
  } while (after !== undefined)

  assert.equal(sent, 2_401)
})

test('POST /v1/webhooks/{id}/recover also works before the webhook is enabled', async (t) => {
  const app = await startWithTwo(t)
  const { until, url } = await startReceiver(t)
  const { id } = await app.add({ url: url(), enabled: false, types: ['pet.created'] })
  await app.post('/v1/pets', REX)
  const since = new Date(app.clock.now).toISOString()
  assert.deepEqual((await app.post(`/v1/webhooks/${id}/recover?since=${since}`, {})).body, { deliveries: 1 })
  await app.patch(`/v1/webhooks/${id}`, { enabled: true })
  await until(1)
})

test('POST /v1/webhooks/{id}/recover accepts a time in a leap second', async (t) => {
  const app = await startWithTwo(t)
  const { until, url } = await startReceiver(t)
  const { id } = await app.add({ url: url(), types: ['organization.created'] })
  await app.post(`/v1/webhooks/${id}/recover?since=2016-12-31T23:59:60Z`, {})
  await until(2)
})
