import assert from 'node:assert/strict'
import http from 'node:http'
import { type TestContext, test } from 'node:test'
import { changes } from '../db/change.ts'
import { assertError } from '../testing/client.ts'
import { type Message, openStream, STREAM } from '../testing/event-stream.ts'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'

const REX = { name: 'Rex', categoryId: 1, organizationId: 1 }
const ADMIN = { ...UNLIMITED, access: 'admin' } as const

async function start(t: TestContext, settings: Record<string, string> = {}) {
  const app = await startApp(t, { key: ADMIN, settings })
  for (const code of ['A1', 'B2']) await app.post('/v1/organizations', { name: code, code })
  return app
}

const typesOf = (messages: Message[]) => messages.map(({ event }) => event)

test('GET /v1/events/stream sends each new event with the same members as the list', async (t) => {
  const app = await start(t)
  const stream = await openStream(t, app, '', { 'accept-encoding': 'gzip' })
  await app.post('/v1/pets', REX)
  await app.patch('/v1/pets/1', { status: 'available' })
  const messages = await stream.read(2)

  const { body } = await app.get('/v1/events?type=pet.created&type=pet.status_changed')
  assert.deepEqual(
    messages.map(({ data }) => JSON.parse(data)),
    body,
  )
  assert.deepEqual(
    messages.map(({ id, event }) => [id, event]),
    body.map(({ id, type }: { id: string; type: string }) => [id, type]),
  )
  assert.match(stream.text(), /^retry: \d+\n/)
  assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.equal(stream.headers['cache-control'], 'no-store')
  assert.equal(stream.headers['x-accel-buffering'], 'no')
  assert.equal(stream.headers['content-encoding'], undefined)
  assert.ok(stream.headers['x-ratelimit-remaining'])
})

test('GET /v1/events/stream with Last-Event-ID continues without gap or repetition', async (t) => {
  const app = await start(t)
  const first = await openStream(t, app)
  for (let count = 0; count < 250; count += 1) await app.post('/v1/pets', REX)
  const before = await first.read(120)
  first.close()
  await app.post('/v1/pets', REX)
  const second = await openStream(t, app, '?after=0000000000000000', { 'last-event-id': before.at(-1)?.id })
  await app.post('/v1/pets', REX)
  const after = await second.read(132)

  const ids = [...before, ...after].map(({ data }) => JSON.parse(data).data.petId)
  assert.deepEqual(
    ids,
    Array.from({ length: 252 }, (_, index) => index + 1),
  )
  // A client without an event has the id that the service sent first.
  const third = await openStream(t, app)
  third.close()
  await app.post('/v1/pets', REX)
  const fourth = await openStream(t, app, '', { 'last-event-id': third.lastId() })
  assert.deepEqual(typesOf(await fourth.read(1)), ['pet.created'])
})

test('GET /v1/events/stream sends only events of the requested types that the key may see', async (t) => {
  const app = await start(t)
  const keyOf = (more: object) => makeKey(app.databaseUrl, { ...UNLIMITED, ...more })
  const keys = {
    admin: app.key,
    read: await keyOf({ access: 'read' }),
    own: await keyOf({ access: 'write', organizationId: 1 }),
    other: await keyOf({ access: 'write', organizationId: 2 }),
  }
  const streams = await Promise.all(Object.values(keys).map((key) => openStream(t, { ...app, key })))
  const filtered = await openStream(t, app, '?type=pet.created&type=pet.deleted')
  await app.post('/v1/pets', { ...REX, status: 'available' })
  await app.post('/v1/applications', { petId: 1, applicant: { name: 'Ada', email: 'ada@example.org' } })
  await app.patch('/v1/applications/1', { status: 'declined' })
  await app.post('/v1/pets', REX)

  for (const [index, key] of Object.values(keys).entries()) {
    const { body } = await app.get('/v1/events?after=0000000000000002', { authorization: `Bearer ${key}` })
    const messages = await streams[index]?.read(body.length)
    assert.deepEqual(
      messages?.map(({ data }) => JSON.parse(data)),
      body,
    )
    assert.equal(body.length, index % 2 === 0 ? 4 : 2)
  }
  assert.deepEqual(typesOf(await filtered.read(2)), ['pet.created', 'pet.created'])
})

test('a sixth stream of a key gets 429 until another one is closed', async (t) => {
  const app = await start(t)
  const streams = await Promise.all(Array.from({ length: 5 }, () => openStream(t, app)))

  const sixth = await app.get(STREAM)
  assertError(sixth, 429, 'rate_limit_exceeded', 'a sixth stream')
  assert.match(sixth.body.message, /5 open streams/)
  assert.equal((await app.get('/v1/pets')).status, 200)
  await openStream(t, { ...app, key: await makeKey(app.databaseUrl, UNLIMITED) })

  streams[0]?.close()
  while ((await app.request(STREAM, { method: 'HEAD' })).status === 429);
  await openStream(t, app)
})

test('GET /v1/events/stream with an id that the log no longer has gets 410, with an invalid id 400', async (t) => {
  const app = await start(t)
  app.clock.now += 40 * 86_400_000
  await app.service.context.write(changes.removeOldEvents, app.clock.now)

  const old = '0000000000000001'
  assertError(await app.get(`${STREAM}?after=${old}`), 410, 'events_expired', 'an old after')
  const headers = { 'last-event-id': old }
  assertError(await app.get(STREAM, headers), 410, 'events_expired', 'an old Last-Event-ID')
  assertError(await app.get(STREAM, { 'last-event-id': 'x' }), 400, 'invalid_parameter', 'not an id')
})

test('a client of the stream that stops reading is disconnected, and other clients get all events', async (t) => {
  const app = await start(t, { REQUEST_TIMEOUT_SECONDS: '1', HEADERS_TIMEOUT_SECONDS: '1' })
  const request = http.get(`http://127.0.0.1:${app.port}${STREAM}`, {
    headers: { authorization: `Bearer ${app.key}` },
    agent: false,
  })
  const slow = await new Promise<http.IncomingMessage>((resolve) => request.on('response', resolve))
  slow.on('error', () => undefined).pause()
  const { connections } = app.service.app
  const [socket] = [...connections].filter(({ remotePort }) => remotePort === request.socket?.localPort)
  // The buffers of the operating system would hold thousands of events.
  assert.ok(socket)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  Object.assign(socket, { _writev: () => undefined, _write: () => undefined })
  const other = await openStream(t, app)
  for (let count = 0; count < 300; count += 1) await app.post('/v1/pets', REX)

  await closed
  assert.ok(socket.writableLength < 65_536, `${socket.writableLength} bytes`)
  assert.equal((await other.read(300)).length, 300)
})

test('streams end when their key is revoked or expires, and on shutdown with a time to retry', async (t) => {
  const app = await start(t)
  const { write } = app.service.context
  const revoked = await openStream(t, { ...app, key: await makeKey(app.databaseUrl, UNLIMITED) })
  const expired = await openStream(t, { ...app, key: await makeKey(app.databaseUrl, UNLIMITED) })
  const other = await openStream(t, app)

  await write(changes.revokeKey, 2, app.clock.now)
  await revoked.ended
  await write(changes.rotateKey, 3, 'b'.repeat(64), app.clock.now, 1_000)
  app.clock.now += 2_000
  await expired.ended

  await app.post('/v1/pets', REX)
  assert.deepEqual(typesOf(await other.read(1)), ['pet.created'])
  const stopped = app.stop()
  await other.ended
  assert.match(other.text(), /retry: \d+\n\n$/)
  await stopped
})
