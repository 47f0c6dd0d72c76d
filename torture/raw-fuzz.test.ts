import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sendRaw } from '../src/testing/client.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, UNLIMITED } from '../src/testing/start-app.ts'
import { readAll } from './creators.ts'
import { randomOf, reached, rounds } from './given.ts'
import type { Random } from './random.ts'
import { exchange } from './raw-fuzz-exchange.ts'
import { STORES } from './stores.ts'

/** On each store. */
const REQUESTS = rounds(50_000)
const AT_ONCE = 32
/** Stands for the key while bytes are changed, so that few changes end in a 401. */
const KEY = '\x01'

const ADOPTER = '"adopter":{"name":"Ann","email":"ann@pets.example","phone":"+1 555","message":"Hello"}'

/** Requests that are answered with 2xx, or with a 4xx of their feature. */
const RECORDED = [
  ['GET /v1/pets?limit=5&status=available&sort=id&categoryId=1', '', ''],
  ['GET /v1/pets?id=1&id=2', 'If-None-Match: "a", W/"b"\r\n', ''],
  ['GET /v1/pets/1', 'X-Request-Id: abc-1\r\n', ''],
  ['POST /v1/pets', 'Idempotency-Key: "a-1"\r\n', '{"name":"R\\u0065x","categoryId":1,"status":"pending"}'],
  ['POST /v1/pets', '', '{"name":"Zoë 🐕","categoryId":1e0}'],
  ['PATCH /v1/pets/1', 'If-Match: "a"\r\n', '{"name":"Max","categoryId":2}'],
  ['DELETE /v1/pets/2', '', ''],
  ['GET /v1/categories/1', '', ''],
  ['POST /v1/categories', '', '{"name":"Fish","description":"wet"}'],
  ['PATCH /v1/categories/1', '', '{"description":null}'],
  ['GET /v1/inventory', 'X-Forwarded-For: 10.0.0.1, ::1\r\nForwarded: for=10.0.0.2\r\n', ''],
  ['POST /v1/store/orders', '', `{"petId":1,${ADOPTER}}`],
  ['GET /v1/store/orders?status=placed&petId=1&limit=3', '', ''],
  ['PATCH /v1/store/orders/1', '', '{"status":"approved"}'],
  ['GET http://a/openapi.json', '', ''],
  ['GET /docs/', 'Accept-Encoding: gzip\r\n', ''],
].map(([line, fields, body = '']) => ({
  head: Buffer.from(`${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n${fields}`),
  body: Buffer.from(body),
}))

const PIECES = [
  ...[
    '\r\n',
    '\n',
    '\r\n\r\n',
    '\0',
    '%00',
    '%',
    '%ff',
    '..',
    '//',
    '?',
    '#',
    '&',
    '=',
    ';',
    ',',
    ':',
    ' ',
    '\t',
  ],
  ...[
    '"',
    "'",
    '\\',
    '\\u0000',
    '\\ud800',
    '{',
    '}',
    '[',
    ']',
    'null',
    '-1',
    '1e999',
    '9'.repeat(30),
    'é',
    '\xff',
  ],
  ...['__proto__', 'a'.repeat(300), 'Connection: close\r\n', 'Host: b\r\n', 'Expect: 100-continue\r\n'],
]

/** Up to three changes at random places. */
function changed(random: Random, original: Buffer): Buffer {
  let bytes = original
  for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left -= 1) {
    const place = random.whole(0, bytes.length)
    const end = Math.min(bytes.length, place + random.whole(1, random.often(0.9) ? 4 : 80))
    const [before, middle, after] = [
      bytes.subarray(0, place),
      bytes.subarray(place, end),
      bytes.subarray(end),
    ]
    const piece = random.pick([
      () => Buffer.from(middle.map((byte) => byte ^ (1 << random.whole(0, 7)))),
      () => Buffer.from(middle.map(() => random.whole(0, 255))),
      () => Buffer.alloc(0),
      () => Buffer.concat([middle, middle]),
      () => Buffer.from(random.pick(PIECES), 'latin1'),
      () => {
        const { head, body } = random.pick(RECORDED)
        const other = random.often(0.5) ? head : body
        const from = random.whole(0, other.length)
        return other.subarray(from, from + random.whole(1, 60))
      },
    ])()
    bytes = Buffer.concat([before, piece, after])
  }
  return bytes
}

/** A recorded request with changes in its body, in its head, or in all of it: then also in its length. */
function makeRequest(random: Random): Buffer {
  const { head, body } = random.pick(RECORDED)
  const target = random.weighed([
    [4, 'body'],
    [5, 'head'],
    [1, 'all'],
  ])
  const newBody = target === 'body' ? changed(random, body) : body
  const chunked = random.often(0.2)
  const type = 'Content-Type: application/json\r\n'
  const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${newBody.length}`
  const parts = [target === 'head' ? changed(random, head) : head, Buffer.from(`${type}${length}\r\n\r\n`)]
  if (chunked && newBody.length > 0) parts.push(Buffer.from(`${newBody.length.toString(16)}\r\n`))
  parts.push(newBody)
  if (chunked) parts.push(Buffer.from(`${newBody.length > 0 ? '\r\n' : ''}0\r\n\r\n`))
  const whole = Buffer.concat(parts)
  return target === 'all' ? changed(random, whole).subarray(0, random.often(0.5) ? -1 : undefined) : whole
}

/** Reads answers one behind the other, and fails where they are not what HTTP says. @returns their statuses */
function statusesOf(bytes: Buffer): number[] {
  const statuses: number[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const [line = '', ...fields] = rest.toString('latin1', 0, end < 0 ? 200 : end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\w '-]+$/.exec(line)?.[1])
    assert.ok(end > 0 && status >= 100, `not an answer: ${line}`)
    for (const field of fields) assert.match(field, /^[\w-]+: [^\r\n\0]*$/)
    const length = Number(
      /\ncontent-length: (\d+)/i.exec(fields.map((field) => `\n${field}`).join(''))?.[1] ?? 0,
    )
    const size = status === 304 ? 0 : length
    assert.ok(rest.length >= end + 4 + size, `cut off: ${line}`)
    rest = rest.subarray(end + 4 + size)
    statuses.push(status)
  }
  return statuses
}

for (const [part, stores] of STORES.entries()) {
  test(`${REQUESTS} requests with changed bytes are answered in HTTP, without 5xx, on ${stores.name}`, {
    skip: stores.skip,
  }, async (t: TestContext) => {
    const settings = await stores.open(t)
    const limits = { ANONYMOUS_PER_MINUTE: '100000000', ANONYMOUS_PER_DAY: '100000000' }
    const key = await makeKey(settings.DATABASE_URL, { ...UNLIMITED, access: 'admin' })
    const running = spawnCli(t, ['serve'], { ...settings, ...limits, PORT: '0', LOG_LEVEL: 'fatal' })
    const address = await running.serving
    const port = Number(new URL(address).port)
    const random = randomOf(part)
    const met = new Map<number, number>()
    let sent = 0
    let longest = 0
    const client = async (): Promise<void> => {
      while (sent < REQUESTS) {
        sent += 1
        const made = makeRequest(random)
        const bytes = Buffer.from(made.toString('latin1').replaceAll(KEY, key), 'latin1')
        const about = JSON.stringify(made.toString('latin1'))
        const since = performance.now()
        const answer = await exchange(port, bytes).catch((error) => assert.fail(`${error} after ${about}`))
        longest = Math.max(longest, performance.now() - since)
        for (const status of statusesOf(answer)) {
          assert.ok(status < 500, `${status} to ${about}`)
          met.set(status, (met.get(status) ?? 0) + 1)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, client))

    assert.match(await sendRaw(port, 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n'), /^HTTP\/1.1 200/)
    await readAll(address, key)
    assert.equal(running.child.exitCode, null)
    assert.equal(running.output.stderr, '')
    const statuses = [...met].sort(([one], [other]) => one - other).map((pair) => pair.join(' × '))
    reached(t, `${sent} requests, longest ${Math.round(longest)} ms; ${statuses.join(', ')}`)
  })
}
