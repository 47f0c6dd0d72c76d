import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../config.ts'
import { assertError, readAnswers } from '../testing/client.ts'
import { startApp } from '../testing/start-app.ts'

const ORIGIN = 'https://app.example.org'
const PREFLIGHT = { authorization: undefined, 'access-control-request-method': 'PATCH' }
const allowed = ({ headers }: { headers: object }) =>
  Object.entries(headers).filter(([name]) => name.startsWith('access-control-'))

test('CORS_ORIGINS accepts exact origins or *; the error for other values says what to write', () => {
  const read = (value: string) => readConfig({ CORS_ORIGINS: value }).corsOrigins
  assert.deepEqual(read(''), [])
  assert.deepEqual(read('*'), ['*'])
  assert.deepEqual(read(`${ORIGIN}, http://localhost:3000`), [ORIGIN, 'http://localhost:3000'])
  assert.deepEqual(read('capacitor://localhost'), ['capacitor://localhost'])
  for (const wrong of [
    'app.example.org',
    `${ORIGIN}/`,
    `${ORIGIN}/a`,
    `*,${ORIGIN}`,
    'https://*.example.org/',
  ])
    assert.throws(() => read(wrong), /CORS_ORIGINS must be/, wrong)
  assert.throws(() => read('https://APP.example.org:443'), /written as https:\/\/app\.example\.org/)
})

test('a preflight from an allowed origin: 204 with the permissions, and the request is not charged', async (t) => {
  const app = await startApp(t, { settings: { CORS_ORIGINS: ORIGIN, ANONYMOUS_PER_MINUTE: '1' } })
  for (const path of ['/v1/pets', '/v1/pets/1', '/v1/nowhere', '/v1/%g1']) {
    const answer = await app.request(path, { method: 'OPTIONS', headers: { ...PREFLIGHT, origin: ORIGIN } })
    assert.deepEqual([answer.status, answer.text], [204, ''], path)
    assert.equal(answer.headers['access-control-allow-origin'], ORIGIN)
    assert.match(String(answer.headers['access-control-allow-methods']), /PATCH/)
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match'])
      assert.match(String(answer.headers['access-control-allow-headers']), new RegExp(`\\b${name}\\b`))
    assert.equal(answer.headers.vary, 'Origin, Access-Control-Request-Headers')
    assert.ok(answer.headers['x-request-id'])
  }
  const { status, headers } = await app.get('/v1/pets', { authorization: undefined })
  assert.deepEqual([status, headers['x-ratelimit-remaining']], [401, '0'], 'the preflight was not charged')
})

test('an allowed origin may read every response: from cache or route, refusals, and errors of the HTTP parser', async (t) => {
  const app = await startApp(t, { settings: { CORS_ORIGINS: ORIGIN } })
  const { get, post, raw } = app
  const made = await post('/v1/pets', { name: 'Rex', categoryId: 1 }, { origin: ORIGIN })
  const answers = [
    made,
    await get('/v1/pets', { origin: ORIGIN }),
    await get('/v1/pets', { origin: ORIGIN }),
    await get('/v1/pets', { origin: ORIGIN, 'if-none-match': '*' }),
    await get('/v1/pets', { origin: ORIGIN, authorization: undefined }),
    await get('/v1/nowhere', { origin: ORIGIN }),
    await get('/v1/%g1', { origin: ORIGIN }),
    ...readAnswers(
      await raw(
        `POST /v1/pets HTTP/1.1\r\nHost: a\r\nOrigin: ${ORIGIN}\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n`,
      ),
    ),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 200, 304, 401, 404, 400, 401],
  )
  const names =
    'X-RateLimit-Limit|X-RateLimit-Remaining|X-RateLimit-Reset|Retry-After|Link|ETag|Location|X-Request-Id'
  for (const { status, headers } of answers) {
    assert.equal(headers['access-control-allow-origin'], ORIGIN, String(status))
    const exposed = String(headers['access-control-expose-headers'])
    for (const name of names.split('|')) assert.match(exposed, new RegExp(`\\b${name}\\b`))
    assert.equal(headers['access-control-allow-credentials'], undefined)
  }
})

test('a request from another origin, or without an origin, gets no CORS headers', async (t) => {
  const app = await startApp(t, { settings: { CORS_ORIGINS: ORIGIN } })
  for (const origin of [undefined, 'https://other.example', `${ORIGIN}.evil.example`, 'null', '*']) {
    const answer = await app.get('/v1/pets', { origin })
    assert.deepEqual([answer.status, allowed(answer)], [200, []], origin)
  }
  const headers = { ...PREFLIGHT, origin: 'https://other.example' }
  const preflight = await app.request('/v1/pets', { method: 'OPTIONS', headers })
  assert.deepEqual([preflight.status, allowed(preflight)], [204, []])
})

test('CORS_ORIGINS=* allows every origin; by default only /openapi.json is open', async (t) => {
  const open = await startApp(t, { settings: { CORS_ORIGINS: '*' } })
  const any = await open.get('/v1/pets', { origin: 'https://any.example' })
  assert.equal(any.headers['access-control-allow-origin'], '*')

  const closed = await startApp(t)
  const headers = { ...PREFLIGHT, origin: ORIGIN }
  assert.deepEqual(allowed(await closed.get('/v1/pets', { origin: ORIGIN })), [])
  const refused = await closed.request('/v1/pets', { method: 'OPTIONS', headers })
  assertError(refused, 401, 'missing_api_key', 'no preflight')
  assert.deepEqual(allowed(refused), [])
  const description = await closed.get('/openapi.json', { origin: ORIGIN, authorization: undefined })
  assert.equal(description.headers['access-control-allow-origin'], '*')
  const preflight = await closed.request('/openapi.json', { method: 'OPTIONS', headers })
  assert.deepEqual([preflight.status, preflight.headers['access-control-allow-origin']], [204, '*'])
})
