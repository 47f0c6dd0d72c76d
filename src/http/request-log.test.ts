import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from '../keys/key-format.ts'
import { loggablePath } from './request-log.ts'

const KEY = generateKey('production')
const SECRET = KEY.slice('adopt_live_'.length)

test('a key that somebody put into a path is not logged, however it is encoded', () => {
  const hex = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')
  const paths = [
    KEY,
    `adopt%5Flive_${SECRET}`,
    `%61dopt_live%5f${SECRET}`,
    hex(KEY),
    `%2561dopt_live_${SECRET}`,
  ]
  for (const path of [...paths, `${KEY}/%zz/${hex(KEY)}`, `a?${KEY}`]) {
    const shown = loggablePath(`/v1/pets/${path}`)
    assert.ok(!decodeURIComponent(shown.replaceAll('%zz', '')).includes(SECRET), shown)
    assert.match(shown, /^\/v1\/pets\//)
  }
})

test('a path without a key is logged as it came, without its query and its end beyond 200 characters', () => {
  for (const path of ['/v1/pets', '/v1/p%65ts/%zz', '/adopt_', '/%E2%82%AC']) {
    assert.equal(loggablePath(`${path}?a=b`), path)
  }
  assert.equal(loggablePath(`/${'a'.repeat(300)}`).length, 200)
})
