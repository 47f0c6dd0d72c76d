import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { assertError } from '../testing/client.ts'
import { signIn } from '../testing/console.ts'
import { payloadOf, REX, SENDING, startWithTwo, untilDelivery } from '../testing/deliveries.ts'
import { type ReceivedDelivery, startReceiver } from '../testing/receiver.ts'
import { startSmtp } from '../testing/smtp-server.ts'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'
import type { Delivery } from './schema.ts'

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]

/** Signs as Standard Webhooks 1.0 says. */
function signatureOf(secret: string, { headers, body }: ReceivedDelivery): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

test('a webhook gets signed events of its types and organization', async (t) => {
  const app = await startWithTwo(t)
  const { received, until, url } = await startReceiver(t)
  const { secret } = await app.add({
    url: url('/own'),
    organizationId: 1,
    types: ['pet.created', 'pet.deleted'],
  })
  await app.add({ url: url('/all') })
  await app.post('/v1/pets', { ...REX, organizationId: 2 })
  await app.post('/v1/pets', { ...REX, organizationId: 1 })
  await app.patch('/v1/pets/2', { name: 'Max' })
  await until(4)
  await app.post('/v1/categories', { name: 'Alpacas' })
  await until(5)

  const typesAt = (path: string) =>
    received.filter((delivery) => delivery.path === path).map((delivery) => payloadOf(delivery).type)
  assert.deepEqual(typesAt('/own'), ['pet.created'])
  assert.deepEqual(typesAt('/all').sort(), ['category.created', 'pet.created', 'pet.created', 'pet.updated'])
  const own = received.find(({ path }) => path === '/own') as ReceivedDelivery
  const { type, timestamp, data } = payloadOf(own)
  assert.deepEqual([type, timestamp], ['pet.created', '2026-12-01T00:00:00.000Z'])
  assert.deepEqual([data.petId, data.organizationId], [2, 1])
  assert.equal(own.headers['webhook-id'], `evt_${data.eventId}`)
  assert.equal(own.headers['webhook-signature'], signatureOf(secret, own))
  assert.equal(own.headers['content-type'], 'application/json')
})

test('webhooks of an organization are managed with its write keys, and other keys get 404', async (t) => {
  const app = await startWithTwo(t)
  const key = (organizationId?: number) =>
    makeKey(app.databaseUrl, { ...UNLIMITED, access: 'write', ...(organizationId && { organizationId }) })
  const [own, other, free] = [await key(1), await key(2), await key()]
  const url = 'https://hooks.example.org/'
  const as = (bearer: string) => ({ authorization: `Bearer ${bearer}` })
  const added = await app.post('/v1/webhooks', { url }, as(own))
  assert.deepEqual([added.status, added.body.organizationId], [201, 1])
  assert.match(added.body.secret, /^whsec_[\w+/]{43}=$/)

  const { body } = await app.get('/v1/webhooks', as(own))
  assert.deepEqual(Object.keys(body[0]), ['id', 'url', 'types', 'enabled', 'createdAt', 'organizationId'])
  for (const bearer of [other, free]) {
    assert.deepEqual((await app.get('/v1/webhooks', as(bearer))).body, [])
    assertError(await app.get('/v1/webhooks/1', as(bearer)), 404, 'webhook_not_found', 'GET')
    for (const path of ['rotate', 'test', 'recover?since=2026-12-01T00:00:00Z'])
      assertError(await app.post(`/v1/webhooks/1/${path}`, {}, as(bearer)), 404, 'webhook_not_found', path)
    assertError(await app.patch('/v1/webhooks/1', { url }, as(bearer)), 404, 'webhook_not_found', 'PATCH')
    assertError(await app.delete('/v1/webhooks/1', as(bearer)), 404, 'webhook_not_found', 'DELETE')
  }
  assertError(await app.post('/v1/webhooks', { url }, as(free)), 403, 'other_organization', 'no organization')
  assertError(
    await app.post('/v1/webhooks', { url, organizationId: 2 }, as(own)),
    ...([403, 'other_organization', 'another organization'] as const),
  )
  assert.equal((await app.delete('/v1/webhooks/1', as(own))).status, 204)
})

test('POST /v1/webhooks shows the secret once; a repeated request gets a response without it', async (t) => {
  const app = await startWithTwo(t)
  const headers = { 'idempotency-key': 'a' }
  const first = await app.post('/v1/webhooks', { url: 'https://hooks.example.org/' }, headers)
  const again = await app.post('/v1/webhooks', { url: 'https://hooks.example.org/' }, headers)

  assert.equal(again.status, 201)
  assert.deepEqual({ ...again.body, secret: first.body.secret }, first.body)
  assert.equal(again.body.secret, undefined)
  assert.doesNotMatch((await app.get('/v1/webhooks')).text, /whsec_/)
})

test('POST /v1/webhooks/{id}/rotate: deliveries are signed with both secrets for a day, then with the new one', async (t) => {
  const app = await startWithTwo(t)
  const { until, url } = await startReceiver(t)
  const { id, secret } = await app.add({ url: url() })
  const rotated = (await app.post(`/v1/webhooks/${id}/rotate`, {})).body.secret
  await app.post(`/v1/webhooks/${id}/test`, {})
  const [first] = await until(1)
  assert.ok(first)
  assert.equal(
    first.headers['webhook-signature'],
    `${signatureOf(rotated, first)} ${signatureOf(secret, first)}`,
  )
  assert.equal(payloadOf(first).type, 'webhook.test')

  app.clock.now += DAY_MS
  await app.post(`/v1/webhooks/${id}/test`, {})
  const [, second] = await until(2)
  assert.ok(second)
  assert.equal(second.headers['webhook-signature'], signatureOf(rotated, second))
})

test('a delivery that gets no 2xx is sent ten times in three days, with the same id and new signatures', async (t) => {
  const app = await startWithTwo(t)
  const { received, until, url } = await startReceiver(t, () => ({ status: 500, body: 'out of order' }))
  const { id, secret } = await app.add({ url: url() })
  await app.post(`/v1/webhooks/${id}/test`, {})
  const waits: number[] = []
  for (let attempts = 1; attempts < 10; attempts += 1) {
    await until(attempts)
    const { dueAt } = await untilDelivery(
      app,
      id,
      (delivery) =>
        delivery.attempts === attempts &&
        delivery.responseStatus === 500 &&
        Date.parse(delivery.dueAt ?? '') > app.clock.now,
    )
    waits.push(Date.parse(String(dueAt)) - app.clock.now)
    app.clock.now = Date.parse(String(dueAt))
  }
  await until(10)
  const last = await untilDelivery(app, id, ({ status }) => status === 'failed')

  assert.deepEqual([last.attempts, last.responseStatus, last.responseBody], [10, 500, 'out of order'])
  const expected = [
    5_000,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
  ]
  for (const [index, wait] of waits.entries())
    assert.ok(Math.abs(wait / Number(expected[index]) - 1) <= 0.2, `wait ${index}: ${wait}`)
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-timestamp'])).size, 10)
  for (const delivery of received)
    assert.equal(delivery.headers['webhook-signature'], signatureOf(secret, delivery))

  await app.post(`/v1/webhooks/${id}/deliveries/${last.id}/retry`, {})
  await until(11)
})

test('Retry-After is obeyed; 429, 502 and 504 pause all deliveries of the endpoint', async (t) => {
  const app = await startWithTwo(t)
  const slow = { status: 429, headers: { 'retry-after': '7200' } }
  let isSlow = true
  const { until, url, received } = await startReceiver(t, () => (isSlow ? slow : {}))
  const { id } = await app.add({ url: url() })
  await app.post(`/v1/webhooks/${id}/test`, {})
  const { dueAt } = await untilDelivery(app, id, ({ responseStatus }) => responseStatus === 429)
  assert.equal(Date.parse(String(dueAt)) - app.clock.now, 2 * HOUR_MS)
  await app.post('/v1/pets', REX)
  await untilDelivery(app, id, ({ type, attempts }) => type === 'pet.created' && attempts === 0)
  isSlow = false
  assert.equal(received.length, 1)

  app.clock.now += 2 * HOUR_MS
  await until(3)
  Object.assign(slow.headers, { 'retry-after': '9'.repeat(20) })
  isSlow = true
  await app.post(`/v1/webhooks/${id}/test`, {})
  const isPaused = ({ responseStatus, dueAt }: Delivery) =>
    responseStatus === 429 && Date.parse(String(dueAt)) > app.clock.now
  const next = await untilDelivery(app, id, isPaused)
  assert.equal(Date.parse(String(next.dueAt)) - app.clock.now, DAY_MS)
  isSlow = false
  const count = received.length
  await app.patch(`/v1/webhooks/${id}`, { url: url('/new') })
  await app.post('/v1/pets', REX)
  await until(count + 1)
})

test('a response with 410 or webhook-delivery: disable disables the webhook, until it is enabled again', async (t) => {
  const app = await startWithTwo(t)
  for (const answer of [{ status: 410 }, { status: 200, headers: { 'webhook-delivery': 'disable' } }]) {
    const { until, url } = await startReceiver(t, () => answer)
    const { id } = await app.add({ url: url() })
    await app.post(`/v1/webhooks/${id}/test`, {})
    await until(1)
    for (let isEnabled = true; isEnabled; ) isEnabled = (await app.get(`/v1/webhooks/${id}`)).body.enabled
    assert.equal((await app.get(`/v1/webhooks/${id}`)).body.disabledReason, 'gone')
    const { body } = await app.patch(`/v1/webhooks/${id}`, { enabled: true })
    assert.deepEqual([body.enabled, body.disabledReason], [true, undefined])
  }
})

test('a webhook is disabled after five days in which every delivery failed', async (t) => {
  const app = await startWithTwo(t)
  const { until, url } = await startReceiver(t, () => ({ status: 500 }))
  const { id } = await app.add({ url: url() })
  await app.post(`/v1/webhooks/${id}/test`, {})
  await untilDelivery(app, id, ({ responseStatus }) => responseStatus === 500)
  app.clock.now += 5 * DAY_MS
  for (let times = 0; times < 2; times += 1) await app.post(`/v1/webhooks/${id}/test`, {})
  await until(4)
  for (let isEnabled = true; isEnabled; ) isEnabled = (await app.get(`/v1/webhooks/${id}`)).body.enabled

  assert.equal((await app.get(`/v1/webhooks/${id}`)).body.disabledReason, 'failing')
})

test('an endpoint that does not respond delays neither other webhooks nor the shutdown', async (t) => {
  const app = await startWithTwo(t)
  const hanging = await startReceiver(t, () => 'hang')
  const quick = await startReceiver(t)
  for (let number = 0; number < 3; number += 1) await app.add({ url: hanging.url(`/${number}`) })
  await app.add({ url: quick.url() })
  for (let number = 0; number < 10; number += 1) await app.post('/v1/pets', REX)

  await quick.until(10)
  await hanging.until(3)
  await app.stop()
})

test('a webhook gets the events of an animal in order', async (t) => {
  const app = await startWithTwo(t)
  const { received, until, url } = await startReceiver(t)
  await app.add({ url: url() })
  for (const name of ['Rex', 'Mia']) await app.post('/v1/pets', { ...REX, name })
  for (let version = 0; version < 10; version += 1)
    for (const id of [1, 2]) await app.patch(`/v1/pets/${id}`, { tags: [`${version}`] })
  await until(22)

  for (const petId of [1, 2]) {
    const ids = received.map((delivery) => payloadOf(delivery).data).filter((data) => data.petId === petId)
    assert.deepEqual(
      ids.map(({ eventId }) => eventId),
      ids.map(({ eventId }) => eventId).toSorted(),
    )
  }
})

test('a webhook still gets events after the clock was set back', async (t) => {
  const app = await startWithTwo(t)
  const { until, url } = await startReceiver(t)
  await app.add({ url: url() })
  app.clock.now -= HOUR_MS
  await app.post('/v1/pets', REX)
  await until(1)
})

test('a webhook is disabled: its organization gets one e-mail; without an organization, each admin does', async (t) => {
  const smtp = await startSmtp(t)
  const settings = {
    ...SENDING.settings,
    ...{ SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'service@example.org' },
  }
  const app = await startApp(t, { ...SENDING, settings })
  await app.post('/v1/organizations', { name: 'A1', code: 'A1', email: 'shelter@example.org' })
  const { until, url } = await startReceiver(t, () => ({ status: 410 }))
  const { body } = await app.post('/v1/webhooks', { url: url('/secret'), organizationId: 1 })
  await app.post('/v1/webhooks', { url: url('/all') })
  await signIn(app, { role: 'admin' })
  await signIn(app, { role: 'manager', organizationId: 1 })
  const names = ['Rex', 'Mia', 'Tom', 'Kim']
  await Promise.all(names.map((name) => app.post('/v1/pets', { ...REX, name, organizationId: 1 })))
  await until(2)
  for (const id of [body.id, body.id + 1]) while ((await app.get(`/v1/webhooks/${id}`)).body.enabled);
  await app.stop()

  const recipients = smtp.emails.flatMap(({ to }) => to)
  assert.match(recipients.toSorted().join(), /^person\d+@shelter\.example,shelter@example\.org$/)
  assert.match(String(smtp.emails[0]?.data), /Events are no longer sent to 127\.0\.0\.1/)
  assert.doesNotMatch(String(smtp.emails[0]?.data), /\/secret/)
})
