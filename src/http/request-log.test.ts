import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { generateKey } from '../keys/key-format.ts'
import { loggablePath, requestLog } from './request-log.ts'

const KEY = generateKey('production')
const SECRET = KEY.slice('adopt_live_'.length)

test('an API key in a path is not logged, in any encoding', () => {
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
    const logged = loggablePath(`/v1/pets/${path}`)
    assert.ok(!logged.includes(SECRET), logged)
    assert.ok(!decodeURIComponent(logged.replace(/%(zz|.?$)/g, '')).includes(SECRET), logged)
    assert.match(logged, /^\/v1\/pets\//)
  }
})

test('a secret link in a path is not logged, in any encoding', () => {
  const token = 'q'.repeat(43)
  for (const [path, logged] of [
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
    assert.equal(loggablePath(path), logged)
  }
})

test('a path without secrets is logged as sent, without its query and at most 200 characters long', () => {
  for (const path of ['/v1/pets', '/v1/p%65ts/%zz', '/adopt_', '/%E2%82%AC']) {
    assert.equal(loggablePath(`${path}?a=b`), path)
  }
  assert.equal(loggablePath(`/${'a'.repeat(300)}`).length, 200)
})

test('a path is decoded only as far as it is logged', () => {
  // Nested escapes, each of which takes another pass.
  const path = `/v1/%${'25'.repeat(4_000)}61dopt_live_${SECRET}`
  assert.equal(loggablePath(path), path.slice(0, 200))
})

test('a request’s log line equals the logger’s own, and is omitted at level warn', () => {
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
