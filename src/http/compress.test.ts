import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { makeKey, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'
import type { Caller } from './caller.ts'
import { CODINGS, compress } from './compress.ts'
import type { Face } from './face.ts'
import { Type } from './type.ts'

const ADMIN = { ...UNLIMITED, access: 'admin' } as const
const DECODERS = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }
const LONG = 'Likes long walks, and Zoë 🐕. '.repeat(60)
const SHORT_VARY = 'Authorization, Origin'
const VARY = `Accept-Encoding, ${SHORT_VARY}`
const PAGES = ['/v1/pets', '/v1/pets?id=1', '/v1/pets/1']
const OTHERS = ['/v1/pets/1/history', '/v1/categories', '/v1/inventory', '/v1/categories/9']

interface Coded {
  status: number
  headers: http.IncomingHttpHeaders
  bytes: Buffer
}

/** Returns the bytes as they were sent. */
function asker({ port, key }: TestApp) {
  return (path: string, headers: http.OutgoingHttpHeaders, method = 'GET'): Promise<Coded> =>
    new Promise((resolve, reject) => {
      const sent = { authorization: `Bearer ${key}`, ...headers }
      const request = http.request({ port, path, method, headers: sent }, async (response) => {
        const bytes = Buffer.concat(await response.toArray())
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes })
      })
      request.on('error', reject).end()
    })
}

/** Starts a service in which each of the reads returns more than a kilobyte. */
async function startLong(t: Parameters<typeof startApp>[0], settings: Record<string, string> = {}) {
  const app = await startApp(t, { key: ADMIN, settings })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', description: LONG })
  for (let count = 9; count < 40; count += 1) {
    await app.post('/v1/categories', { name: `Kind ${count}`, description: 'd'.repeat(1_000) })
  }
  return { app, ask: asker(app) }
}

for (const coding of CODINGS) {
  test(`Accept-Encoding: ${coding}: every read over 1 kB decodes to the same bytes`, async (t) => {
    const { app, ask } = await startLong(t)
    await app.patch('/v1/pets/1', { description: `${LONG}!` })
    for (const path of [...PAGES, ...OTHERS]) {
      const plain = await ask(path, {})
      assert.equal(plain.headers['content-encoding'], undefined, path)
      // First from the route, then from the cache.
      for (const round of [1, 2]) {
        const about = `${path}, round ${round}`
        const coded = await ask(path, { 'accept-encoding': coding })
        assert.deepEqual([coded.status, coded.headers['content-encoding']], [200, coding], about)
        assert.ok(DECODERS[coding](coded.bytes).equals(plain.bytes), about)
        assert.ok(coded.bytes.length < plain.bytes.length, about)
        assert.equal(coded.headers['content-length'], String(coded.bytes.length), about)
        assert.equal(coded.headers['content-type'], plain.headers['content-type'], about)
        assert.deepEqual([plain.headers.vary, coded.headers.vary], [VARY, VARY], about)

        const head = await ask(path, { 'accept-encoding': coding }, 'HEAD')
        const { date, 'x-request-id': id, 'x-ratelimit-remaining': left, ...same } = coded.headers
        for (const [name, value] of Object.entries(same)) assert.equal(head.headers[name], value, about)
        assert.equal(head.bytes.length, 0)
      }
    }
  })
}

test('small responses, errors, orders and responses to changes are not compressed', async (t) => {
  const { app, ask } = await startLong(t)
  await app.post('/v1/pets', { name: 'A', categoryId: 1, status: 'available' })
  const adopter = { name: 'A', email: 'a@example.org', message: 'm'.repeat(1_900) }
  await app.post('/v1/store/orders', { petId: 2, adopter })
  const all = { 'accept-encoding': 'gzip, br, zstd, *' }
  for (const [path, vary] of [
    ['/v1/pets?id=2', VARY],
    ['/v1/pets/2', VARY],
    ['/v1/categories/1', VARY],
    ['/v1/store/orders', SHORT_VARY],
    ['/v1/store/orders/1', SHORT_VARY],
    [`/v1/pets?${Array.from({ length: 40 }, (_, count) => `limit=${count}x`).join('&')}`, undefined],
    ['/v1/nowhere', undefined],
    ['/livez', undefined],
  ] as const) {
    const { headers, bytes } = await ask(path, all)
    assert.deepEqual([headers['content-encoding'], headers.vary], [undefined, vary], path)
    assert.equal(headers['content-length'], String(bytes.length), path)
  }
  const invalid = Array.from({ length: 40 }, (_, count) => ({ [`a${count}`]: 1 }))
  for (const answer of [
    await app.patch('/v1/pets/1', { name: 'Max' }, all),
    await app.post('/v1/pets', { name: 'B', categoryId: 1, description: LONG }, all),
    await app.post('/v1/pets', { name: 1, colors: [1, 2, 3, 4, 5], traits: invalid, goodWith: 1 }, all),
    await app.patch('/v1/store/orders/1', { status: 'approved' }, all),
  ]) {
    assert.equal(answer.headers['content-encoding'], undefined, answer.text)
    assert.ok(answer.body)
  }
})

test('a response of 1,024 bytes is compressed, a response of 1,023 bytes is not', async (t) => {
  const { app, ask } = await startLong(t)
  const { text } = await app.get('/v1/pets/1')
  const least = 1_024 - Buffer.byteLength(text.replace(LONG, ''))
  for (const [length, coding] of [
    [least, 'br'],
    [least - 1, undefined],
  ] as const) {
    await app.patch('/v1/pets/1', { description: 'd'.repeat(length) })
    const { headers } = await ask('/v1/pets/1', { 'accept-encoding': 'br' })
    assert.equal(headers['content-encoding'], coding)
  }
})

test('Vary names Accept-Encoding and Origin, even on a 304 and with an allowed origin', async (t) => {
  const { ask } = await startLong(t, { CORS_ORIGINS: 'https://a.example' })
  const requestHeaders = { 'accept-encoding': 'br', origin: 'https://a.example' }
  for (const path of PAGES) {
    const { headers } = await ask(path, requestHeaders)
    assert.equal(headers['access-control-allow-origin'], 'https://a.example')
    const revalidated = await ask(path, { ...requestHeaders, 'if-none-match': headers.etag })
    assert.deepEqual([revalidated.status, headers.vary, revalidated.headers.vary], [304, VARY, VARY], path)
  }
})

test('each coding has its own ETag: If-None-Match needs the ETag of its coding, If-Match accepts any', async (t) => {
  const { app, ask } = await startLong(t)
  const codings = [undefined, ...CODINGS]
  for (const path of PAGES) {
    const etags: string[] = []
    for (const coding of codings) etags.push(String((await ask(path, accepting(coding))).headers.etag))
    assert.equal(new Set(etags).size, codings.length, path)
    for (const [at, coding] of codings.entries()) {
      for (const [of, etag] of etags.entries()) {
        const { status, headers, bytes } = await ask(path, { ...accepting(coding), 'if-none-match': etag })
        assert.deepEqual(
          [status, headers.etag],
          [of === at ? 304 : 200, etags[at]],
          `${path} ${coding} ${etag}`,
        )
        assert.equal(bytes.length === 0, of === at)
        assert.equal((await ask(path, { ...accepting(coding), 'if-match': etag })).status, 200)
      }
    }
  }
  for (const [round, coding] of codings.entries()) {
    const change = (condition: http.OutgoingHttpHeaders) =>
      app.patch('/v1/pets/1', { name: `Rex ${round}` }, condition)
    const { etag } = (await ask('/v1/pets?id=1', accepting(coding))).headers
    assert.equal((await change({ 'if-none-match': etag })).status, 412, `${coding}`)
    assert.equal((await change({ 'if-match': `W/${etag}` })).status, 412, `${coding}`)
    assert.equal((await change({ 'if-match': etag })).status, 200, `${coding}`)
    assert.equal((await change({ 'if-match': etag })).status, 412, `${coding}: it was changed since`)
  }
  const { etag } = (await ask('/v1/pets?id=1', accepting('br'))).headers
  assert.equal(
    (await app.request('/v1/pets/1', { method: 'DELETE', headers: { 'if-match': etag } })).status,
    204,
  )
})

const accepting = (coding: string | undefined) => (coding ? { 'accept-encoding': coding } : {})

test('after a change the compressed page is new, and no view gets the page of another view', async (t) => {
  const { app, ask } = await startLong(t)
  const secret = 'Only staff may read this. '
  await app.patch('/v1/pets/1', { staff: { notes: secret } })
  const reader = await makeKey(app.databaseUrl, { ...UNLIMITED, access: 'read' })
  const requestHeaders = { 'accept-encoding': 'br' }
  const asReader = { ...requestHeaders, authorization: `Bearer ${reader}` }
  const seen = async (path: string, headers: http.OutgoingHttpHeaders) =>
    String(DECODERS.br((await ask(path, headers)).bytes))
  for (const path of ['/v1/pets', '/v1/pets?id=1', '/v1/pets/1']) {
    for (const name of ['Max', 'Ben']) {
      await app.patch('/v1/pets/1', { name })
      for (const _ of [1, 2]) {
        const [all, open] = [await seen(path, requestHeaders), await seen(path, asReader)]
        assert.deepEqual([all.includes(name), all.includes(secret)], [true, true])
        assert.deepEqual([open.includes(name), open.includes(secret)], [true, false])
      }
    }
  }
})

/** A face with one route, which makes its own ETag. */
function taggedFace(): Face {
  const visitor = (address = '') => ({ name: address, view: 'all' }) as unknown as Caller
  return {
    prefix: '/tagged',
    gate: {
      identify: (_request, address) => visitor(address),
      visitor,
      admit: () => ({ headers: {} }),
      authorize: () => undefined,
    },
    writeError: ({ code }) => ({ type: 'text/plain', body: code }),
    routes(app) {
      for (const [path, headers] of [
        ['/with', { etag: '"1"' }],
        ['/without', {}],
      ] as const) {
        const schema = { response: { 200: Type.Unknown() } }
        app.get(path, { config: { access: 'read' }, schema }, (_request, reply) =>
          reply.headers(headers).type('text/plain').send(LONG),
        )
      }
    },
  }
}

test('a response whose route created the ETag is not compressed', async (t) => {
  const ask = asker(await startApp(t, { faces: () => [taggedFace()] }))
  const codingOf = async (path: string) =>
    (await ask(path, { 'accept-encoding': 'br' })).headers['content-encoding']
  assert.deepEqual([await codingOf('/tagged/with'), await codingOf('/tagged/without')], [undefined, 'br'])
})

test('at most 8 responses are compressed at once', async () => {
  const begun = Array.from({ length: 20 }, () => compress('a'.repeat(5_000), 'br'))
  assert.deepEqual(
    begun.map((one) => one !== undefined),
    begun.map((_, at) => at < 8),
  )
  for (const bytes of await Promise.all(begun.slice(0, 8))) assert.ok(bytes && bytes.length < 100)
  assert.ok(await compress('a'.repeat(5_000), 'gzip'))
})

test('many different pages requested at once all arrive, compressed or not', async (t) => {
  const { app, ask } = await startLong(t)
  const paths = Array.from({ length: 60 }, (_, count) => `/v1/pets?limit=${count + 1}`)
  const { text } = await app.get('/v1/pets')
  const answers = await Promise.all(paths.map((path) => ask(path, { 'accept-encoding': 'zstd' })))
  for (const { headers, bytes } of answers) {
    const coded = headers['content-encoding'] === 'zstd'
    assert.equal(String(coded ? DECODERS.zstd(bytes) : bytes), text)
    assert.equal(/-zstd"$/.test(String(headers.etag)), coded)
    assert.equal(headers['content-length'], String(bytes.length))
  }
})
