import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../../db/change.ts'
import { generateAccessToken } from '../../keys/tokens.ts'
import { startV2 } from '../../testing/v2.ts'

const PROBLEM = 'application/problem+json'
const NO_KEY = { authorization: undefined }
const JSON_TYPE = { ...NO_KEY, 'content-type': 'application/json' }
const FORM_TYPE = { ...NO_KEY, 'content-type': 'application/x-www-form-urlencoded' }

test('POST /v2/oauth2/token accepts a form, JSON, Basic or multipart, and returns 200 with a valid token', async (t) => {
  const { askToken, client, read } = await startV2(t)
  const fields = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret }
  const parts = Object.entries(fields).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`
  for (const sent of [
    { headers: FORM_TYPE, body: new URLSearchParams(fields).toString() },
    { headers: JSON_TYPE, body: JSON.stringify(fields) },
    { headers: { ...FORM_TYPE, authorization: basic }, body: 'grant_type=client_credentials' },
    {
      headers: { ...NO_KEY, 'content-type': 'multipart/form-data; boundary=x' },
      body: `${parts.join('')}--x--\r\n`,
    },
  ]) {
    const answer = await askToken(sent)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(Object.keys(answer.body), ['token_type', 'expires_in', 'access_token'])
    assert.deepEqual([answer.body.token_type, answer.body.expires_in], ['Bearer', 3_600])
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    const authorization = `Bearer ${answer.body.access_token}`
    assert.equal((await read('/animals', { authorization })).status, 200)
  }
})

test('POST /v2/oauth2/token with unknown credentials: 401; with an invalid request: 400', async (t) => {
  const { askToken, client } = await startV2(t)
  const grant = { grant_type: 'client_credentials' }
  const wrong = { ...grant, client_id: client.id, client_secret: 'a'.repeat(40) }
  for (const fields of [
    wrong,
    grant,
    { ...grant, client_id: client.id },
    { ...wrong, client_id: "' or 1=1" },
  ]) {
    const answer = await askToken({ headers: JSON_TYPE, body: JSON.stringify(fields) })
    assert.equal(answer.status, 401)
    assert.equal(answer.headers['content-type'], PROBLEM)
    const { title, detail, hint, errors, type } = answer.body
    assert.deepEqual([title, detail, hint], ['invalid_client', 'Client authentication failed', null])
    assert.deepEqual(Object.keys(errors[0]), ['code', 'title', 'message', 'details', 'href'])
    assert.equal(type, 'http://pets.example/v2/errors#ERR-401')
  }
  for (const [body, code] of [
    ['{}', 'ERR-00001'],
    ['{"grant_type":"password"}', 'ERR-00002'],
    ['[', 'ERR-400'],
    ['"text"', 'ERR-400'],
  ]) {
    const answer = await askToken({ headers: JSON_TYPE, body })
    assert.equal(answer.status, 400, body)
    assert.ok(answer.body.type.endsWith(`#${code}`), answer.text)
  }
  const large = await askToken({ headers: JSON_TYPE, body: JSON.stringify({ a: 'a'.repeat(9_000) }) })
  assert.equal(large.status, 413)
  const none = await askToken({ headers: { ...NO_KEY, 'content-type': 'text/plain' }, body: 'a' })
  assert.equal(none.status, 415)
})

test('GET /v2/animals with a missing, invalid or expired token, or with a key: every case gets the same 401', async (t) => {
  const { read, clock, key, token } = await startV2(t)
  const refused = async (authorization: string | undefined): Promise<void> => {
    const answer = await read('/animals', { authorization })
    assert.equal(answer.status, 401)
    assert.equal(answer.body.detail, 'Access token invalid or expired')
    assert.equal(answer.headers['content-type'], PROBLEM)
    assert.deepEqual(Object.keys(answer.body), ['type', 'status', 'title', 'detail'])
  }
  for (const authorization of [
    undefined,
    'Basic abc',
    `Bearer ${generateAccessToken()}`,
    'Bearer',
    `Bearer ${key}`,
  ])
    await refused(authorization)
  assert.equal((await read('/types/')).status, 200)
  clock.now += 3_599_999
  assert.equal((await read('/animals')).status, 200)
  clock.now += 1
  await refused(`Bearer ${token}`)
})

test('a token of a revoked key gets 401 immediately, even on an open connection; a token under /v1 gets 401', async (t) => {
  const { read, keyId, service, askToken, request, token } = await startV2(t)
  assert.equal((await read('/animals')).status, 200)
  assert.equal((await request('/v1/pets', { headers: { authorization: `Bearer ${token}` } })).status, 401)
  await service.context.write(changes.revokeKey, keyId, 0)
  assert.equal((await read('/animals')).status, 401)
  assert.equal((await askToken()).status, 401)
})

test('requests with a token count for its key; requests for a token count for the key and the IP address', async (t) => {
  const { read, askToken } = await startV2(t, { settings: { ANONYMOUS_PER_MINUTE: '3' } }, { plan: 'free' })
  const first = await read('/animals')
  assert.deepEqual([first.headers['x-ratelimit-limit'], first.headers['x-ratelimit-remaining']], ['60', '58'])
  for (let count = 1; count < 3; count += 1) assert.equal((await askToken()).status, 200)
  const over = await askToken()
  assert.deepEqual([over.status, over.body.title], [429, 'Too Many Requests'])
  for (let count = 4; count < 60; count += 1) await read('/animals')
  const limited = await read('/animals')
  assert.deepEqual([limited.status, limited.body.type.split('#')[1]], [429, 'ERR-429'])
  assert.ok(Number(limited.headers['retry-after']) > 0)
})

test('requests for a token over the limit of the key: 429, and no token is stored', async (t) => {
  const settings = { ANONYMOUS_PER_MINUTE: '1000' }
  const { askToken, client, clock, service } = await startV2(t, { settings }, { plan: 'free' })
  const wrong = { grant_type: 'client_credentials', client_id: client.id, client_secret: 'a'.repeat(40) }
  const headers = JSON_TYPE
  assert.equal(
    (await askToken({ headers, body: JSON.stringify(wrong) })).status,
    401,
    'does not count for the key',
  )
  for (let left = 58; left >= 0; left -= 1) {
    const answer = await askToken()
    assert.deepEqual([answer.status, answer.headers['x-ratelimit-remaining']], [200, String(left)])
  }
  const over = await askToken()
  assert.deepEqual([over.status, over.body.type.split('#')[1]], [429, 'ERR-429'])
  assert.ok(Number(over.headers['retry-after']) > 0)
  assert.equal((await service.context.db.selectFrom('access_token').selectAll().execute()).length, 60)
  clock.now += 60_000
  assert.equal((await askToken()).status, 200)
})

test('tokens are stored as hashes and removed after they expire', async (t) => {
  const { service, token, clock, askToken } = await startV2(t)
  const { db, write } = service.context
  const storedTokens = () => db.selectFrom('access_token').selectAll().execute()
  assert.doesNotMatch(JSON.stringify(await storedTokens()), new RegExp(token))
  clock.now += 3_600_000
  await askToken()
  assert.equal((await storedTokens()).length, 2)
  assert.equal(
    await write(changes.removeExpired, { table: 'access_token', key: 'hash', time: 'expires_at' }, clock.now),
    false,
  )
  assert.equal((await storedTokens()).length, 1)
})

test('POST /v2/oauth2/token with truncated or too many multipart parts: 400, and the service continues', async (t) => {
  const { askToken } = await startV2(t)
  const file = '--x\r\ncontent-disposition: form-data; name="a"; filename="b"\r\n\r\nabc'
  for (const body of [file, `--x\r\n\r\n\r\n`.repeat(600), '--x', '']) {
    const headers = { ...NO_KEY, 'content-type': 'multipart/form-data; boundary=x' }
    assert.equal((await askToken({ headers, body })).status, 400)
    assert.equal((await askToken({ headers: JSON_TYPE, body: '{}' })).status, 400)
  }
})
