import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { findByHash } from '../keys/identify.ts'
import { hashKey } from '../keys/key-format.ts'
import { makeKey, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'
import type { View } from './caller.ts'

// Compares responses of the hook with responses of the route. `If-Match: *` leads to the route.

const BY_ROUTE = { 'if-match': '*' }

/** Counts the requests that reach a route. */
function countRouted(t: TestContext): () => number {
  let routed = 0
  const count = (): void => {
    routed += 1
  }
  subscribe('tracing:fastify.request.handler:start', count)
  t.after(() => unsubscribe('tracing:fastify.request.handler:start', count))
  return () => routed
}

async function startWithPets(t: TestContext): Promise<TestApp> {
  const app = await startApp(t, { key: UNLIMITED })
  for (const status of ['available', 'sold', undefined]) {
    await app.post('/v1/pets', { name: 'Zoë 🐕', categoryId: 1, status })
  }
  return app
}

/** Everything a client sees, except what differs by request. */
function seen({ status, headers, text }: Awaited<ReturnType<TestApp['get']>>) {
  const { date, 'x-request-id': id, 'x-ratelimit-remaining': remaining, ...others } = headers
  return {
    status,
    headers: others,
    order: Object.keys(headers),
    text,
    id: /^mine/.test(String(id)) ? id : typeof id,
    left: typeof remaining,
  }
}

test('GET of a cached page returns the same bytes as its route', async (t) => {
  const routed = countRouted(t)
  const { get } = await startWithPets(t)
  for (const path of [
    '/v1/pets',
    '/v1/pets?limit=2',
    '/v1/pets?status=sold',
    '/v1/pets?categoryId=1&sort=id',
    '/v1/pets?id=2',
    '/v1/pets?id=9',
    '/v1/pets/2',
  ]) {
    const { etag, 'last-modified': modified } = (await get(path)).headers
    for (const headers of [
      {},
      { 'x-request-id': 'mine-1' },
      { 'x-request-id': 'not usable' },
      { 'if-none-match': etag },
      { 'if-none-match': '"other"' },
      { 'if-modified-since': modified },
      { 'if-modified-since': 'Tue Dec  1 00:00:00 2026' },
      { 'if-modified-since': 'yesterday' },
      { 'if-modified-since': modified, 'if-none-match': '"other"' },
      { connection: 'close' },
    ]) {
      const before = routed()
      const short = await get(path, headers)
      assert.equal(routed(), before, 'the page came from the cache')
      const long = await get(path, { ...headers, ...BY_ROUTE })
      assert.equal(routed(), before + 1)
      assert.deepEqual(seen(short), seen(long))
      assert.equal(
        Number(long.headers['x-ratelimit-remaining']),
        Number(short.headers['x-ratelimit-remaining']) - 1,
      )
    }
  }
})

test('GET of a cached page with Accept-Encoding returns the bytes of its route, which is called once per coding', async (t) => {
  const routed = countRouted(t)
  const { get, patch } = await startWithPets(t)
  await patch('/v1/pets/2', { description: 'Likes long walks. '.repeat(100) })
  for (const path of ['/v1/pets', '/v1/pets?id=2', '/v1/pets/2']) {
    for (const coding of ['br', 'zstd', 'gzip']) {
      const acceptCoding = { 'accept-encoding': coding }
      const begun = routed()
      const { etag, 'last-modified': modified } = (await get(path, acceptCoding)).headers
      assert.equal(routed(), begun + 1, 'the page was not cached in this coding')
      for (const headers of [
        acceptCoding,
        { ...acceptCoding, 'if-none-match': etag },
        { ...acceptCoding, 'if-none-match': '"other"' },
        { ...acceptCoding, 'if-modified-since': modified },
      ]) {
        const before = routed()
        const short = await get(path, headers)
        assert.equal(routed(), before, 'the page came from the cache')
        const long = await get(path, { ...headers, ...BY_ROUTE })
        assert.equal(routed(), before + 1)
        assert.deepEqual(seen(short), seen(long))
      }
    }
  }
})

test('GET with If-None-Match of an encoded page that was cached again unencoded gets 304', async (t) => {
  const routed = countRouted(t)
  const { get, patch, post } = await startWithPets(t)
  await patch('/v1/pets/2', { description: 'Likes long walks. '.repeat(100) })
  const acceptCoding = { 'accept-encoding': 'br' }
  const { etag } = (await get('/v1/pets?id=2', acceptCoding)).headers
  await post('/v1/pets', { name: 'Ben', categoryId: 1 })
  await get('/v1/pets?id=2')
  const before = routed()
  const { status, headers } = await get('/v1/pets?id=2', { ...acceptCoding, 'if-none-match': etag })
  assert.deepEqual([status, headers.etag, routed()], [304, etag, before])
})

test('a cached page and a routed page write the same log line', async (t) => {
  const { get, log } = await startWithPets(t)
  await get('/v1/pets?limit=2')
  const lines: Record<string, unknown>[] = []
  for (const headers of [{}, BY_ROUTE]) {
    log.length = 0
    await get('/v1/pets?limit=2', { ...headers, 'x-request-id': 'mine-1' })
    const { time, ms, ...line } = JSON.parse(log.at(-1) ?? '{}')
    assert.deepEqual([typeof time, typeof ms], ['number', 'number'])
    lines.push(line)
  }
  assert.deepEqual(lines[0], lines[1])
})

test('requests to the cache and to the route together: exactly the limit is allowed', async (t) => {
  const { get } = await startApp(t, { key: { plan: 'enterprise', limits: { perMinute: 40, perDay: 1_000 } } })
  const left: string[] = []
  for (let count = 0; count < 40; count += 1) {
    const { status, headers } = await get('/v1/pets', count % 2 ? BY_ROUTE : {})
    assert.equal(status, 200)
    left.push(String(headers['x-ratelimit-remaining']))
  }
  assert.deepEqual(
    left,
    Array.from({ length: 40 }, (_, index) => String(39 - index)),
  )
  const [short, long] = [await get('/v1/pets'), await get('/v1/pets', BY_ROUTE)]
  assert.equal(short.status, 429)
  assert.deepEqual(seen(short), seen(long))
})

test('an ignored parameter leads to the same cached page, and to 400 with Prefer: handling=strict', async (t) => {
  const routed = countRouted(t)
  const { get } = await startWithPets(t)
  const strict = { prefer: 'handling=strict' }
  for (const path of ['/v1/pets?limit=2', '/v1/pets/2']) {
    const { text } = await get(path)
    const before = routed()
    for (const query of ['utm_source=1', 'Limit=1', 'x[]=1&y']) {
      const ignored = `${path}${path.includes('?') ? '&' : '?'}${query}`
      assert.equal((await get(ignored)).text, text)
      assert.equal((await get(ignored, strict)).status, 400)
    }
    assert.equal(routed(), before)
    assert.equal((await get(path, strict)).text, text)
  }
  for (const query of ['limit[]=2', 'limit=2&limit=1', 'limit=%', 'limit=']) {
    await get('/v1/pets?limit=2')
    assert.equal((await get(`/v1/pets?${query}`)).status, 400, query)
  }
})

test('a cached page counts for its organization, or else for its key or address', async (t) => {
  const { get, post, databaseUrl, key, service } = await startApp(t, {
    key: { ...UNLIMITED, access: 'admin' },
  })
  await post('/v1/organizations', { name: 'Harbour Shelter', code: 'CO12' })
  const own = [
    await makeKey(databaseUrl, { organizationId: 1 }),
    await makeKey(databaseUrl, { organizationId: 1 }),
  ]
  const ownerOf = async (view: View, path: string, authorization: string | undefined) => {
    assert.equal((await get(path, { authorization })).status, 200)
    const variant = authorization ? '' : 'en'
    return service.context.pages.get(view, `${variant} http://pets.example${path}`)?.owner
  }
  for (const [index, one] of own.entries())
    assert.equal(
      await ownerOf('organization:1', `/v1/pets?limit=${index + 1}`, `Bearer ${one}`),
      'organization:1',
    )
  assert.match((await ownerOf('all', '/v1/pets', `Bearer ${key}`)) ?? '', /^key:\d$/)
  assert.equal(await ownerOf('public', '/robots.txt', undefined), 'ip:127.0.0.1')
})

test('an invalid request for a cached page gets the error of its route', async (t) => {
  const { get, request, key } = await startWithPets(t)
  await get('/v1/pets')
  assert.equal((await get('/v1/pets', { authorization: `Bearer ${key}0` })).status, 401)
  assert.equal((await get('/v1/pets', { authorization: `Bearer ${key}, Bearer ${key}` })).status, 401)
  assert.equal((await get('/v1/pets', { host: 'a b' })).status, 400)
  assert.equal((await get('/v1/pets', { 'if-match': '"other"' })).status, 412)
  assert.equal((await request('/v1/pets', { method: 'DELETE' })).status, 405)
  assert.equal((await request('/v1/pets', { method: 'HEAD' })).text, '')
})

test('a cached list after a change is the new list; a revoked or expired key gets 401', async (t) => {
  const { get, post, databaseUrl, key, clock } = await startWithPets(t)
  await get('/v1/pets')
  const { body } = await post('/v1/pets', { name: 'Rex', categoryId: 1 })
  assert.equal((await get('/v1/pets')).body[0].id, body.id)

  const { db, write, close } = await openForCommand(databaseUrl, changes)
  const { id } = (await findByHash(db, hashKey(key))) ?? { id: 0 }
  await write(changes.rotateKey, id, 'f'.repeat(64), clock.now, 1_000)
  assert.equal((await get('/v1/pets')).status, 200)
  clock.now += 999
  assert.equal((await get('/v1/pets')).status, 200)
  clock.now += 1
  assert.equal((await get('/v1/pets')).status, 401)

  clock.now -= 1
  assert.equal((await get('/v1/pets')).status, 200)
  await write(changes.revokeKey, id, clock.now)
  assert.equal((await get('/v1/pets')).status, 401)
  await close()
})

test('a cached animal is served until GET /pets/{petId} is removed', async (t) => {
  const { get, clock } = await startWithPets(t)
  const end = Date.UTC(2030, 11, 5)
  const statuses: number[] = []
  for (clock.now of [end - 2, end - 1, end]) statuses.push((await get('/v1/pets/1')).status)
  assert.deepEqual(statuses, [200, 200, 410])
})

/** Makes Node refuse the head of the next response to a request with the id `broken`. */
function breakNext(t: TestContext): void {
  const real = ServerResponse.prototype.writeHead as (...given: unknown[]) => ServerResponse
  const { mock } = t.mock.method(
    ServerResponse.prototype,
    'writeHead',
    function (this: ServerResponse, ...given: unknown[]) {
      if (this.req.headers['x-request-id'] !== 'broken') return real.apply(this, given)
      mock.restore()
      throw new TypeError('broken')
    },
  )
}

const BROKEN = { 'x-request-id': 'broken' }

test('a response whose head Node refuses, cached or not: 500, and the cause is logged', async (t) => {
  const { get, log } = await startWithPets(t)
  await get('/v1/pets')
  for (const way of [{}, BY_ROUTE]) {
    log.length = 0
    breakNext(t)
    const answers = await Promise.all([BROKEN, {}, {}].map((one) => get('/v1/pets', { ...way, ...one })))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [500, 200, 200],
    )
    const [{ headers = {}, body } = {}] = answers
    assert.equal(body.code, 'internal_error')
    assert.equal(headers['x-request-id'], 'broken')
    assert.ok(Number(headers['x-ratelimit-remaining']) > 0)
    assert.equal(headers.link ?? headers.etag, undefined)
    const lines = log.filter((line) => line.includes('"broken"')).map((line) => JSON.parse(line))
    assert.deepEqual(
      lines.map(({ msg, status, err }) => [msg, status ?? err.message]),
      [
        ['internal_error', 'broken'],
        ['request', 500],
      ],
    )
  }
})
