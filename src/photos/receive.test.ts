import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import http from 'node:http'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { until } from '../testing/redis.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

/** An upload that stops after its first bytes. */
function halfUpload(t: TestContext, { port, key }: TestApp): http.ClientRequest {
  const headers = { ...JPEG, authorization: `Bearer ${key}`, 'content-length': 1_000_000 }
  const request = http.request({ port, path: '/v1/pets/1/photos', method: 'POST', headers, agent: false })
  request.on('error', () => undefined).write('half')
  cleanup(t).defer(() => void request.destroy())
  return request
}

test('of more than 64 uploads at once the next is a 503, until one of them is over', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const { workFolder } = app.service.context.photos.store
  const body = await picture()
  const add = () => app.request('/v1/pets/1/photos', { method: 'POST', body, headers: JPEG })
  const halves = Array.from({ length: 64 }, () => halfUpload(t, app))
  await until(() => readdirSync(workFolder).length === 64)

  const refused = await add()

  assert.deepEqual([refused.status, refused.body.code], [503, 'service_unavailable'])
  assert.match(refused.headers['retry-after'] ?? '', /^\d+$/)
  assert.equal((await app.get('/v1/pets')).status, 200)
  halves[0]?.destroy()
  await until(() => readdirSync(workFolder).length === 63)
  await until(async () => (await add()).status === 201)
})

test('an upload without a body is told what to send, by its type or as an empty picture', async (t) => {
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
