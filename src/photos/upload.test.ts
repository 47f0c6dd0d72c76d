import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readdirSync } from 'node:fs'
import http from 'node:http'
import { type TestContext, test } from 'node:test'
import { changes } from '../db/change.ts'
import * as keys from '../keys/store.ts'
import { cleanup } from '../testing/cleanup.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { until } from '../testing/redis.ts'
import { makeKey, scratchFolder, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

const FILES_OF_ONE = 2

/** Starts a service that makes only the first files of photos, with an animal that has some. */
async function startWithPhotos(t: TestContext, photos: number) {
  const folder = scratchFolder(t)
  const app = await startApp(t, { key: UNLIMITED, settings: { PHOTOS_URL: `file:${folder}` } })
  for (const job of ['photo-files', 'removed-photos'] as const)
    await app.service.context.write(changes.takeJob, job, 'the test')
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const add = async (number: number, key?: string) => {
    const headers = { ...JPEG, ...(key !== undefined && { 'idempotency-key': key }) }
    const body = await picture({ number, width: 8 + number, height: 8 })
    const {
      status,
      headers: answerHeaders,
      body: photo,
    } = await app.request('/v1/pets/1/photos', {
      ...{ method: 'POST', body, headers },
    })
    const { location, 'idempotent-replayed': replayed } = answerHeaders
    return { status, location, replayed, code: photo.code, id: photo.id }
  }
  for (let number = 1; number <= photos; number += 1) assert.equal((await add(number)).status, 201)
  return { app, add, files: () => globSync('??/*', { cwd: folder }).length }
}

test('POST of the 20th photo again gets the same answer with its Idempotency-Key, and 200 without the key', async (t) => {
  const { add, files } = await startWithPhotos(t, 19)
  const first = await add(20, 'k')
  assert.deepEqual([first.status, first.replayed], [201, undefined])

  assert.deepEqual(await add(20, 'k'), { ...first, replayed: 'true' })
  assert.deepEqual([(await add(20)).status, (await add(20)).id], [200, first.id])
  assert.equal((await add(20, 'another')).status, 200)
  assert.deepEqual(
    [(await add(21)).code, (await add(21, 'new')).code],
    ['too_many_photos', 'too_many_photos'],
  )
  assert.equal((await add(21, 'k')).code, 'idempotency_key_reused')
  assert.equal(files(), 20 * FILES_OF_ONE)
})

test('POST with the Idempotency-Key of a removed photo gets the stored answer, and makes no new files', async (t) => {
  const { app, add, files } = await startWithPhotos(t, 1)
  const first = await add(2, 'k')
  await app.delete(`/v1/pets/1/photos/${first.id}`)
  const before = files()

  assert.deepEqual(await add(2, 'k'), { ...first, replayed: 'true' })

  assert.equal(files(), before)
  assert.equal((await app.get('/v1/pets/1/photos')).body.length, 1)
})

test('an upload that adds no photo leaves no files: used Idempotency-Key, same bytes, or too many photos', async (t) => {
  const { app, add, files } = await startWithPhotos(t, 18)
  assert.equal((await add(19, 'k')).status, 201)
  for (const number of [20, 21, 22]) assert.equal((await add(number, 'k')).code, 'idempotency_key_reused')
  assert.equal(files(), 19 * FILES_OF_ONE)

  const many = await Promise.all([30, 30, 30, 31, 31, 32, 33, 34].map((number) => add(number)))
  const one = many.find(({ status }) => status === 201)
  const others = many.filter(({ status, id }) => status !== 201 && !(status === 200 && id === one?.id))
  assert.deepEqual(new Set(others.map(({ code }) => code)), new Set(['too_many_photos']))
  assert.equal(files(), 20 * FILES_OF_ONE)
  assert.equal((await app.get('/v1/pets/1/photos')).body.length, 20)
})

test('POST of one photo with one Idempotency-Key 6 times at once gets 201 with that photo, or 409', async (t) => {
  const { add, files } = await startWithPhotos(t, 0)
  const answers = await Promise.all(Array.from({ length: 6 }, () => add(1, 'k')))

  for (const { status, code, id } of answers)
    if (status === 409) assert.equal(code, 'idempotency_key_in_use')
    else assert.deepEqual([status, id], [201, 1])
  assert.equal(files(), FILES_OF_ONE)
})

/** Starts an upload that stops after its first bytes. */
function halfUpload(
  t: TestContext,
  { port, key }: Pick<TestApp, 'port' | 'key'>,
  body: Buffer = Buffer.alloc(1_000_000),
): http.ClientRequest {
  const headers = { ...JPEG, authorization: `Bearer ${key}`, 'content-length': body.length }
  const request = http.request({ port, path: '/v1/pets/1/photos', method: 'POST', headers, agent: false })
  request.on('error', () => undefined).write(body.subarray(0, 9))
  cleanup(t).defer(() => void request.destroy())
  return request
}

test('an upload that ends after its key was revoked gets 403 and stores nothing', async (t) => {
  const { app, files } = await startWithPhotos(t, 0)
  const body = await picture()
  const key = await makeKey(app.databaseUrl, { ...UNLIMITED, access: 'write' })
  const request = halfUpload(t, { ...app, key }, body)
  const answered = once(request, 'response')
  const { workFolder } = app.service.context.photos.store
  await until(() => readdirSync(workFolder).length === 1)
  const { context } = app.service
  const last = (await keys.list(context.db)).at(-1)
  await context.write(changes.revokeKey, last?.id ?? 0, app.clock.now)
  request.end(body.subarray(9))

  const [response] = await answered
  assert.equal(response.resume().statusCode, 403)
  await until(() => readdirSync(workFolder).length === 0)
  assert.deepEqual([(await app.get('/v1/pets/1/photos')).body, files()], [[], 0])
})

test('64 stalled uploads of one key: 48 get 429, other keys can upload, and ending one upload makes room', async (t) => {
  const app = await startApp(t, { key: UNLIMITED, settings: { TRUST_PROXY: 'loopback' } })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const { workFolder } = app.service.context.photos.store
  const body = await picture()
  const other = await makeKey(app.databaseUrl, { ...UNLIMITED, access: 'write' })
  const add = (key = app.key) => {
    const address = key === app.key ? '192.0.2.1' : '192.0.2.2'
    const headers = { ...JPEG, authorization: `Bearer ${key}`, 'x-forwarded-for': address }
    return app.request('/v1/pets/1/photos', { method: 'POST', body, headers })
  }
  let refused = 0
  const halves = Array.from({ length: 64 }, () =>
    halfUpload(t, app).on('response', ({ statusCode }) => (refused += Number(statusCode === 429))),
  )
  await until(() => refused === 48)
  assert.equal(readdirSync(workFolder).length, 16)

  const own = await add()

  assert.deepEqual([own.status, own.body.code], [429, 'rate_limit_exceeded'])
  assert.match(own.body.message, /^You are uploading too many photos at once\. Wait until/)
  assert.match(own.headers['retry-after'] ?? '', /^\d+$/)
  assert.equal((await add(other)).status, 201)
  for (const half of halves) half.destroy()
  await until(async () => (await add()).status === 200)
})

test('POST /v1/pets/{id}/photos without a body gets 422, or 415 for another type', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  for (const [headers, status, code] of [
    [JPEG, 422, 'invalid_image'],
    [{ 'content-type': 'image/tiff' }, 415, 'unsupported_media_type'],
    [{}, 415, 'unsupported_media_type'],
  ] as const) {
    const answer = await app.request('/v1/pets/1/photos', { method: 'POST', headers })
    assert.deepEqual([answer.status, answer.body.code], [status, code])
  }
})
