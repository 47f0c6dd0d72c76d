import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import type { Write } from '../db/write.ts'
import { makeKey, scratchStore, startApp } from '../testing/start-app.ts'
import { generateKey, hashKey } from './key-format.ts'
import * as keys from './store.ts'

/** Id of the key that a test creates in addition to its own. */
const SECOND = 2

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Changes the store outside of the running service, as a command does. */
async function changeStore<Result>(databaseUrl: string, work: (write: Write) => Promise<Result>) {
  const store = await openForCommand(databaseUrl, changes)
  const result = await work(store.write)
  await store.close()
  return result
}

test('a rotated key has two secrets and one counter until the overlap ends', async (t) => {
  const { clock, databaseUrl, get } = await startApp(t)
  const old = await makeKey(databaseUrl, { plan: 'free' })
  const next = generateKey('production')
  await changeStore(databaseUrl, (write) =>
    write(changes.rotateKey, SECOND, hashKey(next), clock.now, 3_600_000),
  )

  assert.equal((await get('/v1/pets', bearer(old))).headers['x-ratelimit-remaining'], '59')
  assert.equal((await get('/v1/pets', bearer(next))).headers['x-ratelimit-remaining'], '58')
  clock.now += 3_600_000
  assert.equal((await get('/v1/pets', bearer(old))).status, 401)
  assert.equal((await get('/v1/pets', bearer(next))).status, 200)
})

test('a second rotation does not prolong the earlier secrets', async (t) => {
  const { clock, databaseUrl, get } = await startApp(t)
  const [first, second, third] = [
    await makeKey(databaseUrl),
    generateKey('production'),
    generateKey('production'),
  ]
  await changeStore(databaseUrl, (write) =>
    write(changes.rotateKey, SECOND, hashKey(second), clock.now, 1_000),
  )
  await changeStore(databaseUrl, (write) =>
    write(changes.rotateKey, SECOND, hashKey(third), clock.now, 60_000),
  )
  clock.now += 1_000

  assert.equal((await get('/v1/pets', bearer(first))).status, 401)
  assert.equal((await get('/v1/pets', bearer(second))).status, 200)
  assert.equal((await get('/v1/pets', bearer(third))).status, 200)
})

test('rotating a missing or revoked key returns no secret', async (t) => {
  const { clock, databaseUrl, get } = await startApp(t)
  await makeKey(databaseUrl)
  assert.ok(await changeStore(databaseUrl, (write) => write(changes.revokeKey, SECOND, clock.now)))

  for (const id of [SECOND, 99]) {
    const next = generateKey('production')
    assert.equal(
      await changeStore(databaseUrl, (write) =>
        write(changes.rotateKey, id, hashKey(next), clock.now, 1_000),
      ),
      false,
    )
    assert.equal((await get('/v1/pets', bearer(next))).status, 401)
  }
})

test('POST /v1/pets with a read key: 403 insufficient_access, and nothing is stored', async (t) => {
  const { get, post } = await startApp(t, { key: { access: 'read' } })

  const refused = await post('/v1/pets', { name: 'Rex', categoryId: 1 })

  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_access'])
  assert.deepEqual((await get('/v1/pets')).body, [])
})

test('two Authorization headers get 401, even if one of them is valid', async (t) => {
  const { key, raw } = await startApp(t)
  const other = generateKey('production')

  for (const [first, second] of [
    [key, other],
    [other, key],
    [key, key],
  ]) {
    const headers = `Host: x\r\nAuthorization: Bearer ${first}\r\nAuthorization: Bearer ${second}`
    assert.match(
      await raw(`GET /v1/pets HTTP/1.1\r\n${headers}\r\n\r\n`),
      /^HTTP\/1.1 401 .*invalid_api_key/s,
    )
  }
})

test('a request without a valid key counts against the limit of its address, not of a key', async (t) => {
  const { get } = await startApp(t, { settings: { ANONYMOUS_PER_MINUTE: '4', ANONYMOUS_PER_DAY: '100' } })
  const wrong = [
    undefined,
    'Bearer x',
    bearer(generateKey('production')).authorization,
    'Basic abc',
    undefined,
  ]
  const answers = []
  for (const authorization of wrong) answers.push(await get('/v1/pets', { authorization }))

  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers['x-ratelimit-remaining']]),
    [
      [401, '3'],
      [401, '2'],
      [401, '1'],
      [401, '0'],
      [429, '0'],
    ],
  )
  assert.equal(answers[4]?.body.code, 'rate_limit_exceeded')
  assert.equal((await get('/v1/pets')).headers['x-ratelimit-remaining'], '999')
})

test('X-Forwarded-For counts only from a proxy in TRUST_PROXY', async (t) => {
  const anonymous = (forwarded: string) => ({ authorization: undefined, 'x-forwarded-for': forwarded })
  const limits = { ANONYMOUS_PER_MINUTE: '2', ANONYMOUS_PER_DAY: '100' }
  const direct = await startApp(t, { settings: limits })
  const proxied = await startApp(t, { settings: { ...limits, TRUST_PROXY: 'loopback' } })
  const remaining = async ({ get }: typeof direct, forwarded: string) =>
    (await get('/v1/pets', anonymous(forwarded))).headers['x-ratelimit-remaining']

  assert.equal(await remaining(direct, '192.0.2.1'), '1')
  assert.equal(await remaining(direct, '192.0.2.2'), '0')
  assert.equal(await remaining(proxied, '192.0.2.1'), '1')
  assert.equal(await remaining(proxied, '192.0.2.2'), '1')
  assert.equal(await remaining(proxied, '2001:db8::1'), '1')
  assert.equal(await remaining(proxied, '2001:db8::ffff:1'), '0', 'the same /64')
  assert.equal(await remaining(proxied, '::ffff:192.0.2.2'), '0', 'the same IPv4 address')
})

test('no key appears in the log, wherever a client sends it', async (t) => {
  const { key, get, log, post, request } = await startApp(t, { settings: { LOG_LEVEL: 'trace' } })
  await get('/v1/pets')
  await get(`/v1/pets?api_key=${key}`, { 'x-request-id': key })
  await get(`/v1/${key}`, { 'user-agent': key, referer: key, cookie: key })
  await get(`/${key}`)
  await get(`/v1/%zz${key}`)
  await post(`/v1/pets`, { name: key, categoryId: 99 })
  await request('/v1/pets', {
    method: 'POST',
    body: `{"${key}`,
    headers: { 'content-type': 'application/json' },
  })

  assert.ok(log.length >= 6)
  const text = log.join('')
  assert.ok(!text.includes(key))
  assert.ok(!text.includes(key.slice(11, 23)))
})

test('several processes that start a new store at the same time create one first key', async (t) => {
  const store = await openForCommand(scratchStore(t), changes)
  t.after(() => store.close())
  const [first, other] = ['a'.repeat(64), 'b'.repeat(64)]
  await store.db.insertInto('secret').values({ name: 'first key', value: other }).execute()

  const key = { name: 'first', plan: 'business', access: 'admin' } as const
  assert.equal(await store.write(changes.insertFirstKey, key, first, 0), false)
  assert.deepEqual(await keys.list(store.db), [])
})
