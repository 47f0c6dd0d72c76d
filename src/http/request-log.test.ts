import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { generateKey } from '../keys/key-format.ts'
import { loggablePath, requestLog } from './request-log.ts'

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
    `%${'25'.repeat(40)}61dopt_live_${SECRET}`,
    `%6${'%3'.repeat(40)}1dopt_live_${SECRET}`,
    `%4%61dopt_live_${SECRET}`,
  ]
  for (const path of [...paths, `${KEY}/%zz/${hex(KEY)}`, `a?${KEY}`]) {
    const shown = loggablePath(`/v1/pets/${path}`)
    assert.ok(!shown.includes(SECRET), shown)
    assert.ok(!decodeURIComponent(shown.replace(/%(zz|.?$)/g, '')).includes(SECRET), shown)
    assert.match(shown, /^\/v1\/pets\//)
  }
})

test('a path that opens something is logged without what opens it, however it is encoded', () => {
  const token = 'q'.repeat(43)
  for (const [path, shown] of [
    [`/console/join/${token}`, '/console/join/…'],
    [`/console/join/${token}/more?a=b`, '/console/join/…'],
    [`/console/%6a%6Fin/${token}`, '/console/join/…'],
    [`/%2563onsole/join/%71${token.slice(1)}`, '/console/join/…'],
    [`/applications/${token}`, '/applications/…'],
    [`//applications%2f${token}/withdraw`, '//applications/…'],
    ['/console/join/', '/console/join/'],
    ['/console/animals/7', '/console/animals/7'],
    ['/v1/applications/7', '/v1/applications/7'],
  ] as const) {
    assert.equal(loggablePath(path), shown)
  }
})

test('a path without a key is logged as it came, without its query and its end beyond 200 characters', () => {
  for (const path of ['/v1/pets', '/v1/p%65ts/%zz', '/adopt_', '/%E2%82%AC']) {
    assert.equal(loggablePath(`${path}?a=b`), path)
  }
  assert.equal(loggablePath(`/${'a'.repeat(300)}`).length, 200)
})

test('a path is read no further than it is shown', () => {
  // Encodings within encodings, each of which takes a reading of its own.
  const path = `/v1/%${'25'.repeat(4_000)}61dopt_live_${SECRET}`
  assert.equal(loggablePath(path), path.slice(0, 200))
})

test('the line of a request is the one that the logger would write, and absent where the logger writes none', () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line.replace(/"time":\d+/, '"time":0')) }
  const logger = pino({ base: null }, stream)
  for (const path of ['/v1/pets', '/"\\', '/\u0001\t', '/%E2%82%AC', '/€\u2028']) {
    requestLog(logger)('ab-1', 'GET', `${path}?limit=1`, 200, 1.26)
    logger.info({ reqId: 'ab-1', method: 'GET', path, status: 200, ms: 1.3 }, 'request')
    assert.equal(lines.shift(), lines.shift())
  }
  requestLog(pino({ level: 'warn' }, stream))('ab-1', 'GET', '/', 200, 1)
  assert.deepEqual(lines, [])
})
