import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { type TestContext, test } from 'node:test'
import { type Answer, assertError, readAnswers } from '../testing/client.ts'
import { startApp, type TestApp } from '../testing/start-app.ts'

const list = (...lines: string[]): string[] => lines.join('|').split('|')

const REX = { name: 'Rex', categoryId: 1 }

interface RawApp extends TestApp {
  /** Sends a request line unchanged. A client would normalize it. */
  ask(method: string, target: string): Promise<Answer>
}

async function startUnlimited(t: TestContext): Promise<RawApp> {
  const app = await startApp(t, { key: { plan: 'enterprise', limits: { perMinute: 1e9, perDay: 1e9 } } })
  const fields = `Host: pets.example\r\nAuthorization: Bearer ${app.key}\r\nConnection: close\r\n`
  const ask: RawApp['ask'] = async (method, target) => {
    const answers = readAnswers(await app.raw(`${method} ${target} HTTP/1.1\r\n${fields}\r\n`))
    assert.equal(answers.length, 1, `${method} ${target}`)
    return answers[0] as Answer
  }
  return { ...app, ask }
}

test('an unsupported method on a path under /v1: 405 with Allow, whatever the body', async (t) => {
  const app = await startUnlimited(t)
  const allowed: [path: string, allow: string][] = [
    ['/v1/pets', 'GET, HEAD, POST'],
    ['/v1/pets?limit=0', 'GET, HEAD, POST'],
    ['/v1/pets/1', 'DELETE, GET, HEAD, PATCH'],
    ['/v1/pets/abc', 'DELETE, GET, HEAD, PATCH'],
    ['/v1/pets/1/history', 'GET, HEAD'],
    ['/v1/p%65ts', 'GET, HEAD, POST'],
    ['/v1/pets/%31', 'DELETE, GET, HEAD, PATCH'],
    ['http://other.example/v1/pets?limit=0', 'GET, HEAD, POST'],
    ['/v1/pets#a', 'GET, HEAD, POST'],
  ]
  for (const [path, allow] of allowed) {
    const allowed = new Set([...allow.split(', '), 'CONNECT'])
    for (const method of METHODS.filter((name) => !allowed.has(name))) {
      const answer = await app.ask(method, path)
      assertError(answer, 405, 'method_not_allowed', `${method} ${path}`)
      assert.equal(answer.headers.allow, allow, `${method} ${path}`)
    }
  }
  for (const [body = '', type = ''] of [
    ['{', 'application/json'],
    ['a', 'text/plain'],
    ['a', 'no type'],
    ['a'.repeat(100_000), 'application/json'],
  ]) {
    const headers = { 'content-type': type, 'content-length': body.length }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'QUERY', 'OPTIONS']) {
      const answer = await app.request('/v1/pets', { method, body, headers })
      assertError(answer, 405, 'method_not_allowed', `${method} ${type}`)
    }
    const unknown = await app.request('/v1/nowhere', { method: 'POST', body, headers })
    assertError(unknown, 404, 'route_not_found', type)
  }
  assert.deepEqual((await app.get('/v1/pets')).body, [])
})

test('an unknown path under /v1 with a key: 404 with the rate-limit headers', async (t) => {
  const { ask, get, post } = await startUnlimited(t)
  await post('/v1/pets', REX)
  const near = list(
    '/v1/pets/1/|/v1/pets/1/a|/v1//pets|/v1/pets//|/v1/pets//1|/v1/Pets|/v1/PETS|/v1/pets.json',
    '/v1/pets;a=1',
  )
  const far = list(
    '/v1/|/v1|/v1?limit=1|/v1//|/v1/nowhere|/v1/*|/v1/:petId|/v1/pet|/v1/petss|/v1/v1/pets',
    '/v1/livez|/v1/docs',
  )
  const odd = list(
    '/v1/./pets|/v1/../pets|/v1/../livez|/v1/pets/../pets|/v1/%2e/pets|/v1/pets%2F1|/v1/pets%3Flimit=1',
    '/v1/pets%00|/v1/%20pets',
  )
  for (const path of [...near, ...far, ...odd]) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      assertError(await ask(method, path), 404, 'route_not_found', `${method} ${path}`)
    }
  }
  for (const path of [...near, ...far]) {
    assertError(await get(path, { authorization: undefined }), 401, 'missing_api_key', path)
  }
  assert.deepEqual((await get('/v1/pets')).body, [{ id: 1, ...REX }])
})

test('a trailing slash under /v1: 404 route_not_found that names the path without the slash', async (t) => {
  const { ask } = await startUnlimited(t)
  const named: [path: string, without: string][] = [
    ['/v1/pets/', '/v1/pets'],
    ['/v1/pets/?limit=1', '/v1/pets'],
    ['/v1/p%65ts/', '/v1/pets'],
    ['/v1/pets/1/', '/v1/pets/1'],
    ['/v1/pets//', '/v1/pets'],
    ['/v1/store/orders/', '/v1/store/orders'],
    ['/v1/categories/', '/v1/categories'],
  ]
  for (const [path, without] of named) {
    for (const method of ['GET', 'DELETE', 'PATCH', 'PUT', 'POST']) {
      const answer = await ask(method, path)
      assertError(answer, 404, 'route_not_found', `${method} ${path}`)
      assert.ok(answer.body.message.endsWith(`: ${without}`), answer.text)
      assert.equal(answer.headers.sunset, undefined, `${method} ${path}`)
    }
  }
  assertError(await ask('GET', '/livez/'), 404, 'route_not_found', 'outside', false)
  assert.equal((await ask('GET', '/docs/')).status, 200)
  assert.equal((await ask('GET', '/')).status, 200)
})

test('an unknown path or method outside of /v1: 404 or 405, without a key and without limits', async (t) => {
  const { ask, get, raw } = await startUnlimited(t)
  const paths = list(
    '/pets|/V1/pets|//v1/pets|/./v1/pets|/../v1/pets|/v/pets|/v1x|/v1.0/pets|/%2Fv1/pets',
    '/v1%2Fpets|ftp://a/v1/pets|/livez/|/Livez|/docs/nowhere|/openapi|/.well-known/|/favicon.ico|/.env',
    '/a?b=/v1/|/a#/v1/pets|*|*livez|*animals|*console/|*v1/pets|ftp://a|http:///livez',
  )
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'OPTIONS', 'QUERY']) {
      assertError(await ask(method, path), 404, 'route_not_found', `${method} ${path}`, false)
    }
  }
  assertError(await ask('GET', `/${'a'.repeat(8_192)}`), 414, 'uri_too_long', 'a long one', false)
  const [hostless] = readAnswers(await raw('GET /nowhere HTTP/1.1\r\n\r\n'))
  assertError(hostless as Answer, 400, 'bad_request', 'without a Host', false)
  for (const path of list(
    '/|/livez|/readyz|/openapi.json|/docs|/.well-known/api-catalog|http://other.example',
  )) {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']) {
      const answer = await ask(method, path)
      assertError(answer, 405, 'method_not_allowed', `${method} ${path}`, false)
      assert.equal(answer.headers.allow, 'GET, HEAD', path)
    }
  }
  assertError(
    await get('/nowhere', { authorization: 'Bearer wrong' }),
    404,
    'route_not_found',
    'a wrong key',
    false,
  )
})
