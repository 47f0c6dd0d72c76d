import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserCookie, passwordTag, provenPasswordTag } from './session-cookie.ts'

const NOW = 1_800_000_000_000
const DAY_MS = 86_400_000
const account = (number: number) => ({ email: `person${number}@shelter.example`, password: `hash ${number}` })

/** The headers of a browser that signs in to accounts one after the other. */
function signedIn(...accounts: { email: string; password: string }[]): { cookie?: string } {
  let headers: { cookie?: string } = {}
  for (const account of accounts) {
    const [cookie = ''] = browserCookie('secret', { headers }, account, NOW).split(';')
    headers = { cookie: `other=1; ${cookie}` }
  }
  return headers
}

test('browserCookie keeps proofs of the ten accounts that signed in last', () => {
  const headers = signedIn(...Array.from({ length: 12 }, (_, number) => account(number)))
  const tags = Array.from({ length: 12 }, (_, number) =>
    provenPasswordTag('secret', { headers }, account(number).email, NOW),
  )
  const expected = Array.from({ length: 12 }, (_, number) =>
    number < 2 ? undefined : passwordTag('secret', account(number).password),
  )
  assert.deepEqual(tags, expected)
  assert.equal(provenPasswordTag('secret', { headers }, ' PERSON11@shelter.example', NOW), expected[11])
  assert.equal(provenPasswordTag('another', { headers }, account(11).email, NOW), undefined)
  assert.ok((headers.cookie?.length ?? 0) < 450)
})

test('browserCookie after a change of the password replaces the proof of that account', () => {
  const [before, after] = [account(1), { ...account(1), password: 'another hash' }]
  const headers = signedIn(before, account(2), after)
  assert.equal(headers.cookie?.split('.').length, 2)
  const tag = provenPasswordTag('secret', { headers }, before.email, NOW)
  assert.equal(tag, passwordTag('secret', after.password))
  assert.notEqual(tag, passwordTag('secret', before.password))
})

test('provenPasswordTag is undefined after 90 days and for a forged date, password or hash', () => {
  const headers = signedIn(account(1))
  const tagAt = (now: number, cookie = headers.cookie) =>
    provenPasswordTag('secret', { headers: { cookie } }, account(1).email, now)
  assert.ok(tagAt(NOW + 89 * DAY_MS))
  assert.equal(tagAt(NOW + 90 * DAY_MS), undefined)
  const [, day = '', tag = '', mac = ''] = /(\d{5})([\w-]{11})([\w-]{22})$/.exec(headers.cookie ?? '') ?? []
  for (const proof of [`99999${tag}${mac}`, `${day}${'A'.repeat(11)}${mac}`, `${day}${tag}${'A'.repeat(22)}`])
    assert.equal(tagAt(NOW, `__Host-browser=${proof}`), undefined, proof)
})

test('browserCookie is HttpOnly, Secure and SameSite=Lax, and contains no address', () => {
  assert.match(
    browserCookie('secret', { headers: {} }, account(1), NOW),
    /^__Host-browser=\d{5}[\w-]{33}; Max-Age=7776000; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
  )
})
