import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../../testing/client.ts'
import { startApp } from '../../testing/start-app.ts'

const FEW = { ANONYMOUS_PER_MINUTE: '4', ANONYMOUS_PER_DAY: '100' }

test('paths outside /v1 get 429 after the limit of the IP address, except health checks', async (t) => {
  const { get, request, raw } = await startApp(t, { settings: FEW })
  assert.equal((await get('/docs')).status, 200)
  assert.equal((await get('/openapi.json')).status, 200)
  assert.equal((await get('/nowhere')).status, 404)
  assert.equal((await request('/livez', { method: 'POST' })).status, 405)

  for (const path of ['/', '/docs', '/docs/reference.js', '/openapi.json', '/nowhere', '/%zz']) {
    const answer = await get(path)
    assertError(answer, 429, 'rate_limit_exceeded', path)
    assert.equal(answer.headers['retry-after'], '60', path)
    assert.equal(answer.headers['x-ratelimit-remaining'], '0', path)
  }
  assert.match(await raw('DESCRIBE / HTTP/1.1\r\nHost: a\r\n\r\n'), /^HTTP\/1\.1 429 /)
  for (const path of ['/livez', '/readyz', '/.well-known/api-catalog']) {
    assert.equal((await get(path)).status, 200, path)
  }
  // A key has its own limit. Without a key, the limit of the IP address is the same under /v1.
  assert.equal((await get('/v1/pets')).status, 200)
  assert.equal((await get('/v1/pets', { authorization: undefined })).status, 429)
})

test('requests under /v1 are counted once, even for an unknown path', async (t) => {
  const { get } = await startApp(t, { settings: FEW })
  for (const left of ['3', '2']) {
    const { status, headers } = await get('/v1/nowhere', { authorization: undefined })
    assert.deepEqual([status, headers['x-ratelimit-remaining']], [401, left])
  }
})
