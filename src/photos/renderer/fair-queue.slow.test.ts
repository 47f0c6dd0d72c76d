import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import http from 'node:http'
import { type TestContext, test } from 'node:test'
import { changes } from '../../db/change.ts'
import { ApiError } from '../../errors.ts'
import type { Answer } from '../../testing/client.ts'
import { JPEG, picture } from '../../testing/pictures.ts'
import { pauseReader } from '../../testing/reader-program.ts'
import { until } from '../../testing/redis.ts'
import { makeKey, startApp, UNLIMITED } from '../../testing/start-app.ts'
import { openRenderer } from './render.ts'

/** Starts a service that reads a photo only when the test allows it, and a function that uploads to it. */
async function startHeld(t: TestContext) {
  const reader = pauseReader(t)
  const app = await startApp(t, {
    ...{ ownProcesses: true, key: { ...UNLIMITED, access: 'admin' }, settings: { TRUST_PROXY: 'loopback' } },
  })
  // Keeps the service from making other files.
  await app.service.context.write(changes.takeJob, 'photo-files', 'the test')
  await app.post('/v1/organizations', { name: 'Shelter' })
  for (const id of [1, 2, 3])
    await app.post('/v1/pets', { name: `Rex ${id}`, categoryId: 1, organizationId: 1 })
  const answered: { who: string; answer: Answer }[] = []
  let number = 0
  const keyOf = (organizationId?: number) =>
    makeKey(app.databaseUrl, { ...UNLIMITED, access: 'write', ...(organizationId && { organizationId }) })
  async function upload(who: string, key: string, petId: number): Promise<void> {
    const address = who === 'other' ? '192.0.2.2' : '192.0.2.1'
    const headers = { ...JPEG, authorization: `Bearer ${key}`, 'x-forwarded-for': address }
    number += 1
    const body = await picture({ number, width: 8 + number, height: 8 })
    answered.push({
      who,
      answer: await app.request(`/v1/pets/${petId}/photos`, { method: 'POST', body, headers }),
    })
  }
  return { app, reader, answered, keyOf, upload }
}

test('the 17th waiting photo of an organization gets 429; other keys take turns with the organization', async (t) => {
  const { app, reader, answered, keyOf, upload } = await startHeld(t)
  const [one, same, other] = [await keyOf(1), await keyOf(1), await keyOf()]
  const { workFolder } = app.service.context.photos.store
  const uploads: Promise<void>[] = []
  for (let count = 1; count <= 16; count += 1) {
    uploads.push(upload('one', count % 2 ? one : same, 1))
    // If all arrived at once, the limit of arriving uploads could refuse one before the queue is full.
    await until(() => readdirSync(workFolder).length === count)
  }
  uploads.push(upload('one', one, 1), upload('one', same, 1))
  await until(() => answered.length === 2)
  for (const { answer } of answered) {
    assert.deepEqual([answer.status, answer.body.code], [429, 'rate_limit_exceeded'])
    assert.match(answer.body.message, /^Too many of your photos are being processed\./)
    assert.match(answer.headers['retry-after'] ?? '', /^\d+$/)
  }
  uploads.push(...Array.from({ length: 17 }, () => upload('other', other, 2)))
  await until(() => answered.length === 3)
  answered.splice(0)

  for (let read = 1; read <= 32; read += 1) {
    reader.allow(1)
    await until(() => answered.length === read)
  }

  await Promise.all(uploads)
  assert.deepEqual(new Set(answered.map(({ answer }) => answer.status)), new Set([201]))
  const turns = answered.map(({ who }) => who)
  assert.deepEqual(turns.slice(0, 7), ['one', 'one', 'other', 'one', 'other', 'one', 'other'])
})

test('an upload whose client disconnects before its turn is not read', async (t) => {
  const { app, reader, answered, keyOf, upload } = await startHeld(t)
  const key = await keyOf()
  const first = upload('first', key, 1)
  await until(() => reader.begun().length === 1)
  const headers = { ...JPEG, authorization: `Bearer ${key}` }
  let refused = 0
  const left = Array.from({ length: 16 }, async (_, number) => {
    const body = await picture({ number, width: 90, height: 90 })
    const request = http.request({ port: app.port, path: '/v1/pets/2/photos', method: 'POST', headers })
    request.on('error', () => undefined).on('response', () => (refused += 1))
    request.end(body)
    return request
  })
  await until(() => refused === 1)

  const gone = (await Promise.all(left)).map((request) => {
    request.destroy()
    return request.closed || new Promise((closed) => request.once('close', closed))
  })
  await Promise.all(gone)
  await app.get('/v1/pets')
  reader.allow(2)
  await first
  await upload('late', key, 3)

  assert.deepEqual(
    answered.map(({ who, answer }) => [who, answer.status]),
    [
      ['first', 201],
      ['late', 201],
    ],
  )
  assert.equal(reader.begun().length, 2)
})

test('uploads are rendered before missing sizes, but one missing size is rendered after every four uploads', async (t) => {
  const reader = pauseReader(t)
  const renderer = openRenderer()
  t.after(() => renderer.close())
  const order: string[] = []
  const ask = (who: string, isUpload: boolean) =>
    renderer.render({ source: '', renditions: [] }, { party: { caller: who }, isUpload }).then(
      () => order.push(who),
      (error) => order.push(`${who}: ${error.status}`),
    )
  const renders = [ask('begun', true)]
  for (let time = 0; time < 21; time += 1) renders.push(ask('visitor', false))
  renders.push(ask('another', false))
  for (let time = 0; time < 5; time += 1) renders.push(ask('key', true))

  reader.allow(30)
  await Promise.all(renders)

  const [refused, ...turns] = order
  assert.equal(refused, 'visitor: 429')
  assert.deepEqual(turns.slice(0, 9), [
    ...['begun', 'key', 'key', 'key', 'visitor', 'key', 'key', 'another', 'visitor'],
  ])
  assert.equal(turns.length, 1 + 20 + 1 + 5)
})

test('a disconnected client makes room in the queue, and an error in onTurn drops the photo', async (t) => {
  const reader = pauseReader(t)
  const renderer = openRenderer()
  t.after(() => renderer.close())
  let isGone = false
  const ask = (isGone = () => false, onTurn?: () => Promise<void>) =>
    renderer
      .render(
        { source: '', renditions: [] },
        { party: { caller: 'key' }, isUpload: true, isGone },
        { onTurn },
      )
      .then(
        () => 'read',
        (error) => error.code,
      )
  const first = ask()
  const gone = Array.from({ length: 15 }, () => ask(() => isGone))
  assert.equal(await ask(), 'rate_limit_exceeded')
  isGone = true
  const last = ask(undefined, async () => {
    throw new ApiError('photo_not_found')
  })

  assert.deepEqual(new Set(await Promise.all(gone)), new Set(['request_timeout']))
  reader.allow(2)
  assert.deepEqual(await Promise.all([first, last]), ['read', 'photo_not_found'])
  assert.equal(reader.begun().length, 1)
})
