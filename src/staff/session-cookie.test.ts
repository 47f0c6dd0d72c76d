import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../testing/start-app.ts'
import { CLEAR_SESSION_COOKIE, sessionCookie, sessionToken } from './session-cookie.ts'

const tokenOf = (cookie?: string) => sessionToken({ headers: cookie === undefined ? {} : { cookie } })

test('sessionCookie is bound to this host, Secure, HttpOnly and SameSite=Lax', () => {
  assert.equal(
    sessionCookie('abc'),
    '__Host-session=abc; Max-Age=2592000; Path=/; Secure; HttpOnly; SameSite=Lax',
  )
  assert.equal(CLEAR_SESSION_COOKIE, '__Host-session=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax')
})

test('sessionToken is read among other cookies, and is undefined when it is sent twice', () => {
  assert.equal(tokenOf(), undefined)
  assert.equal(tokenOf('a=b'), undefined)
  assert.equal(tokenOf('__Host-session='), undefined)
  assert.equal(tokenOf('x__Host-session=abc'), undefined)
  assert.equal(tokenOf('__Host-session=abc'), 'abc')
  assert.equal(tokenOf('a=b; __Host-session=abc; c=d'), 'abc')
  assert.equal(tokenOf('a=b;__Host-session=abc'), 'abc')
  assert.equal(tokenOf('__Host-session=abc; __Host-session=def'), undefined)
})

test('POST /console/sign-out from another origin, by Sec-Fetch-Site or Origin, gets 403', async (t) => {
  const { request } = await startApp(t)
  const statusOf = async (headers: Record<string, string>) =>
    (await request('/console/sign-out', { method: 'POST', headers: { host: 'pets.test:81', ...headers } }))
      .status

  for (const [headers, status] of [
    [{ 'sec-fetch-site': 'same-origin' }, 303],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, 303],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'none' }, 403],
    [{ 'sec-fetch-site': 'cross-site', origin: 'http://pets.test:81' }, 403],
    [{}, 403],
    [{ origin: 'http://pets.test:81' }, 303],
    [{ origin: 'http://pets.test' }, 403],
    [{ origin: 'https://pets.test:81' }, 403],
    [{ origin: 'http://evil.test' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'x-forwarded-host': 'evil.test', origin: 'http://evil.test' }, 403],
  ] as const) {
    assert.equal(await statusOf(headers), status, JSON.stringify(headers))
  }
})

test('POST /console/sign-out with a forwarded origin or the origin of BASE_URL gets 303', async (t) => {
  const proxied = await startApp(t, { settings: { TRUST_PROXY: 'loopback' } })
  const set = await startApp(t, { settings: { BASE_URL: 'https://pets.test/v1' } })
  const statusOf = async ({ request }: typeof proxied, headers: Record<string, string>) =>
    (await request('/console/sign-out', { method: 'POST', headers })).status

  const forwarded = { host: 'inside:8080', 'x-forwarded-for': '192.0.2.1', 'x-forwarded-host': 'pets.test' }
  const https = { ...forwarded, 'x-forwarded-proto': 'https' }
  assert.equal(await statusOf(proxied, { ...https, origin: 'https://pets.test' }), 303)
  assert.equal(await statusOf(proxied, { ...https, origin: 'http://pets.test' }), 403)
  assert.equal(await statusOf(proxied, { ...https, origin: 'https://inside:8080' }), 403)
  assert.equal(await statusOf(set, { host: 'Pets.test', origin: 'https://pets.test' }), 303)
  assert.equal(await statusOf(set, { host: 'pets.test', origin: 'http://pets.test' }), 403)
})

test('GET /console/sign-in over http from another host gets 403; over https or from this machine it gets 200', async (t) => {
  const plain = await startApp(t)
  const set = await startApp(t, { settings: { BASE_URL: 'https://pets.test/v1' } })
  const proxied = await startApp(t, { settings: { TRUST_PROXY: 'loopback' } })
  const answers: Record<number, boolean> = { 200: true, 403: false }
  const may = async ({ get }: typeof plain, headers: Record<string, string>) =>
    answers[(await get('/console/sign-in', headers)).status]

  for (const host of [
    'localhost',
    'localhost:8080',
    '127.0.0.1:8080',
    '127.9.9.9',
    '[::1]:8080',
    'a.localhost',
  ])
    assert.equal(await may(plain, { host }), true, host)
  for (const host of ['pets.test', 'localhost.pets.test', '192.168.0.7:8080', '127.pets.test', '[::2]'])
    assert.equal(await may(plain, { host }), false, host)
  assert.equal(await may(plain, { host: 'pets.test', 'x-forwarded-proto': 'https' }), false)
  assert.equal(await may(proxied, { host: 'pets.test', 'x-forwarded-proto': 'https' }), true)
  assert.equal(await may(set, { host: 'pets.test' }), true)
  assert.equal(await may(set, { host: 'other.test' }), false)
})
