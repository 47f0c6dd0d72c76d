import assert from 'node:assert/strict'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { type Answer, assertError, readAnswers } from '../testing/client.ts'
import { type Options, startApp, type TestApp } from '../testing/start-app.ts'

const list = (...lines: string[]): string[] => lines.join('|').split('|')

const UNLIMITED = { plan: 'enterprise', limits: { perMinute: 1e9, perDay: 1e9 } } as const
const MANY = { ANONYMOUS_PER_MINUTE: '100000', ANONYMOUS_PER_DAY: '100000' }
const REX = '{"name":"Rex","categoryId":1}'
const CHUNKED = `1d\r\n${REX}\r\n0\r\n\r\n`

/** The head of a request with a key and, by default, `Connection: keep-alive`. */
type Head = (start: string, ...fields: string[]) => string

interface RawApp extends TestApp {
  head: Head
  /** The request line and content type of POST /v1/pets. */
  create: Head
}

async function startRaw(t: TestContext, options: Options = {}): Promise<RawApp> {
  const app = await startApp(t, { key: UNLIMITED, ...options, settings: { ...MANY, ...options.settings } })
  const head: Head = (start, ...fields) =>
    `${[start, 'Host: pets.example', `Authorization: Bearer ${app.key}`, ...fields].join('\r\n')}\r\n\r\n`
  const create: Head = (...fields) =>
    head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', ...fields)
  return { ...app, head, create }
}

/** Sends bytes, and `more` after the first response byte. Returns everything until the server closes. */
function converse(port: number, bytes: string, more?: string): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      socket.write(bytes, 'latin1'),
    )
    socket.setTimeout(10_000, () =>
      socket.destroy(new Error(`not closed after ${bytes.slice(0, 100)}: ${text}`)),
    )
    socket.on('data', (chunk) => {
      if (text === '' && more !== undefined) socket.write(more)
      text += chunk
    })
    socket.on('end', () => socket.end())
    socket.on('error', reject)
    socket.on('close', () => resolve(readAnswers(text)))
  })
}

/** Sends bytes and closes the sending side. Returns everything until the server closes. */
async function textAfter(port: number, bytes: string): Promise<string> {
  return String(Buffer.concat(await net.connect(port, '127.0.0.1').end(bytes, 'latin1').toArray()))
}

/** Sends each request on its own connection. All must get the same single response, and be closed. */
async function assertRefused(
  { port, get, head }: RawApp,
  cases: Record<string, string>,
  status: number,
  code: string,
): Promise<Answer[]> {
  const smuggled = head('GET /v1/pets HTTP/1.1')
  const answers = await Promise.all(
    Object.entries(cases).map(async ([about, bytes]) => {
      const [answer, ...others] = await converse(port, bytes + smuggled)
      assert.ok(answer, about)
      assertError(answer, status, code, about)
      assert.equal(answer.headers.connection, 'close', about)
      assert.deepEqual(others, [], `${about}: answered more than once`)
      return answer
    }),
  )
  assert.deepEqual((await get('/v1/pets')).body, [])
  return answers
}

test('POST /v1/pets with an ambiguous body length: 400; the connection is closed, and nothing is stored', async (t) => {
  const app = await startRaw(t)
  const { create, head } = app
  const length = (value: string | number) => `Content-Length: ${value}`
  const coding = (value: string) => create(`Transfer-Encoding: ${value}`) + CHUNKED
  const chunks = (bytes: string) => create('Transfer-Encoding: chunked') + bytes

  await assertRefused(
    app,
    {
      'length, then coding': create(length(5), 'Transfer-Encoding: chunked') + CHUNKED,
      'coding, then length': create('Transfer-Encoding: chunked', length(5)) + CHUNKED,
      'the same length twice': create(length(29), length(29)) + REX,
      'two lengths': create(length(29), length(5)) + REX,
      'lengths in a list': create(length('29, 29')) + REX,
      'negative length': create(length(-29)) + REX,
      'length with a plus': create(length('+29')) + REX,
      'hexadecimal length': create(length('0x1d')) + REX,
      'no length': create(length('')) + REX,
      'length beyond 64 bits': create(length('99999999999999999999')) + REX,
      'unknown coding': coding('xchunked'),
      'identity coding': coding('identity'),
      'gzip before chunked': coding('gzip, chunked'),
      'gzip after chunked': coding('chunked, gzip'),
      'chunked twice': coding('chunked, chunked'),
      'two coding headers': coding('gzip\r\nTransfer-Encoding: chunked'),
      'coding in quotes': coding('"chunked"'),
      'coding after a vertical tab': coding('\x0bchunked'),
      'coding in HTTP/1.0':
        head('POST /v1/pets HTTP/1.0', 'Content-Type: application/json', 'Transfer-Encoding: chunked') +
        CHUNKED,
      'chunk size that is no number': chunks(`zz\r\n${REX}\r\n0\r\n\r\n`),
      'negative chunk size': chunks(`-1d\r\n${REX}\r\n0\r\n\r\n`),
      'chunk size with 0x': chunks(`0x1d\r\n${REX}\r\n0\r\n\r\n`),
      'chunk size beyond 64 bits': chunks(`1000000000000001d\r\n${REX}\r\n0\r\n\r\n`),
      'chunk longer than its size': chunks(`1c\r\n${REX}\r\n0\r\n\r\n`),
      'chunks with bare LF': chunks(CHUNKED.replaceAll('\r\n', '\n')),
      'LF in a chunk extension': chunks(`1d;a\n${REX}\r\n0\r\n\r\n`),
      'length in a trailer': chunks(`1d\r\n${REX}\r\n0\r\nContent-Length: 5\r\n\r\n`),
    },
    400,
    'bad_request',
  )
})

test('GET /v1/pets with a malformed header: 400, and the connection is closed', async (t) => {
  const app = await startRaw(t)
  const line = 'GET /v1/pets HTTP/1.1'
  const withField = (field: string) => app.head(line, field)
  const withHost = (...hosts: string[]) => app.head(line, ...hosts).replace('Host: pets.example\r\n', '')

  await assertRefused(
    app,
    {
      'bare LF': app.head(line).replaceAll('\r\n', '\n'),
      'LF after one header': withField('a: b\nc: d'),
      'CR without LF': withField('a: b\rc: d'),
      'folded value': withField('a: b\r\n c'),
      'folded first header': app.head(`${line}\r\n a: b`),
      'NUL in a value': withField('a: b\0c'),
      'NUL in a name': withField('a\0: b'),
      'control character in a value': withField('a: \x01'),
      'space before the colon': withField('a : b'),
      'space in a name': withField('a b: c'),
      'no name': withField(': b'),
      'no colon': withField('abc'),
      'no Host': withHost(),
      'two Hosts': withHost('Host: pets.example', 'Host: evil.example'),
      'the same Host twice': withHost('Host: pets.example', 'Host: pets.example'),
      'Hosts in a list': withHost('Host: pets.example, evil.example'),
      'Host with a space': withHost('Host: pets example'),
      'Host with a path': withHost('Host: pets.example/v1'),
      'Host with a user': withHost('Host: me@pets.example'),
      'Host that is not ASCII': withHost('Host: p\xe9ts.example'),
    },
    400,
    'bad_request',
  )
})

test('a request line other than HTTP/1.1 or HTTP/1.0: 400, and the connection is closed', async (t) => {
  const app = await startRaw(t)
  const lines = [
    'garbage',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'PRI * HTTP/2.0',
    'GET',
    'GET /v1/pets',
  ]
  for (const method of ['FOO', 'get', 'GET1', 'DESCRIBE', 'G\0T', ''])
    lines.push(`${method} /v1/pets HTTP/1.1`)
  for (const path of list('v1/pets|pets.example:80|?limit=1|/v1/p ets|/v1/p\xe9ts|/v1/p\0ts|')) {
    lines.push(`GET ${path} HTTP/1.1`)
  }
  for (const version of list('HTTP/0.9|HTTP/1.2|HTTP/2.0|HTTP/3|HTTP/11|http/1.1|HTTPS/1.1|HTTP/1.1 x')) {
    lines.push(`GET /v1/pets ${version}`)
  }
  lines.push('DESCRIBE /v1/pets RTSP/1.0')

  await assertRefused(
    app,
    Object.fromEntries(lines.map((line) => [line, app.head(line)])),
    400,
    'bad_request',
  )
})

test('a request that is too large: 413, 414 or 431 before it is read to its end', async (t) => {
  const app = await startRaw(t)
  const long = (characters: number) => 'a'.repeat(characters)
  const url = (characters: number) => `/v1/pets?${long(characters - '/v1/pets?'.length)}`
  const chunks = (bytes: string) => app.create('Transfer-Encoding: chunked') + bytes

  await assertRefused(
    app,
    {
      'one header of 20 KB': app.head('GET /v1/pets HTTP/1.1', `a: ${long(20_000)}`),
      'a name of 20 KB': app.head('GET /v1/pets HTTP/1.1', `${long(20_000)}: a`),
      '20 KB of small headers': app.head('GET /v1/pets HTTP/1.1', ...Array(5_000).fill('abc: d')),
      'URL of 17 KB': app.head(`GET ${url(17_000)} HTTP/1.1`),
      'trailer of 20 KB': chunks(`1d\r\n${REX}\r\n0\r\na: ${long(20_000)}\r\n\r\n`),
    },
    431,
    'headers_too_large',
  )
  const close = 'Connection: close'
  await assertRefused(
    app,
    {
      'URL of 8,193': app.head(`GET ${url(8_193)} HTTP/1.1`, close),
      'URL of 15 KB': app.head(`GET ${url(15_000)} HTTP/1.1`, close),
      'petId of 15 KB': app.head(`GET /v1/pets/${'1'.repeat(15_000)} HTTP/1.1`, close),
      'unknown URL of 15 KB': app.head(`GET /v1/${long(15_000)} HTTP/1.1`, close),
    },
    414,
    'uri_too_long',
  )
  await assertRefused(
    app,
    {
      '1 GiB declared': app.create(`Content-Length: ${2 ** 30}`),
      'more than 64 KiB in chunks': chunks(`11170\r\n${long(0x11170)}\r\n`),
      'a chunk extension of 20 KB': chunks(`1d;${long(20_000)}\r\n${REX}\r\n0\r\n\r\n`),
    },
    413,
    'payload_too_large',
  )
  const [largest] = await converse(app.port, app.head(`GET ${url(8_192)} HTTP/1.1`, close))
  assert.equal(largest?.status, 200)
})

test('GET and POST /v1/pets in an unusual but valid form are answered as usual', async (t) => {
  const { port, head, create, get } = await startRaw(t)
  const close = 'Connection: close'
  const line = 'GET /v1/pets HTTP/1.1'
  const prototype = Reflect.ownKeys(Object.prototype)
  const reads = {
    '1,000 headers': head(line, close, ...Array.from({ length: 1_000 }, (_, index) => `a${index}: b`)),
    'headers named like members of every object': head(
      line,
      close,
      '__proto__: a',
      'constructor: b',
      'toString: c',
    ),
    'an offer to upgrade': head(line, 'Connection: upgrade, close', 'Upgrade: websocket'),
    'an unknown expectation': head(line, close, 'Expect: something'),
    'HTTP/1.0 without Host': head('GET /v1/pets HTTP/1.0').replace('Host: pets.example\r\n', ''),
    'empty Host': head(line, close).replace('pets.example', ''),
    'IPv6 Host': head(line, close).replace('pets.example', '[::1]:8080'),
    'absolute form': head('GET http://other.example/v1/pets HTTP/1.1', close),
    'absolute form, other case': head('GET HTTPS://other.example:443/v1/pets?limit=5 HTTP/1.1', close),
    'empty lines before it': `\r\n\r\n${head(line, close)}`,
    'a body': `${head(line, close, 'Content-Length: 29')}${REX}`,
  }
  for (const [about, bytes] of Object.entries(reads)) {
    const [answer, ...others] = await converse(port, bytes)
    assert.equal(answer?.status, 200, about)
    assert.equal(answer?.text, '[]', about)
    assert.deepEqual(others, [], about)
  }
  const creations = {
    'coding in other case': create(close, 'Transfer-Encoding: Chunked') + CHUNKED,
    'coding after a tab': create(close, 'Transfer-Encoding:\tchunked') + CHUNKED,
    'chunks of one byte': `${create(close, 'Transfer-Encoding: chunked')}${[...REX].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`,
    'chunk extension and trailer': `${create(close, 'Transfer-Encoding: chunked')}1d;a="b"\r\n${REX}\r\n0\r\na: b\r\n\r\n`,
    'an offer to upgrade': `${create('Connection: upgrade, close', 'Upgrade: h2c', 'Content-Length: 29')}${REX}`,
  }
  for (const [about, bytes] of Object.entries(creations)) {
    assert.deepEqual(
      (await converse(port, bytes)).map(({ status }) => status),
      [201],
      about,
    )
  }
  assert.equal((await get('/v1/pets')).body.length, 5)
  assert.deepEqual(Reflect.ownKeys(Object.prototype), prototype)
})

test('a request that cannot be parsed is logged with the request id of its response', async (t) => {
  const { raw, log } = await startApp(t)
  const answer = await raw('NO HTTP\r\n\r\n')
  const [, id] = /x-request-id: (\S+)/.exec(answer) ?? []

  const { reqId, status, code, msg } = JSON.parse(log.at(-1) ?? '')
  assert.deepEqual([reqId, status, code, msg], [id, 400, 'bad_request', 'invalid request'])
})

test('CONNECT gets 405 with Allow and the request id that was sent', async (t) => {
  const app = await startRaw(t)
  const connect = app.head('CONNECT other.example:443 HTTP/1.1', 'X-Request-Id: mine-1')

  const [answer] = await assertRefused(app, { CONNECT: connect }, 405, 'method_not_allowed')

  assert.equal(answer?.headers.allow, 'GET, HEAD, POST')
  assert.equal(answer?.headers['x-request-id'], 'mine-1')
})

test('POST /v1/pets that ends early: 400, and nothing is stored', async (t) => {
  const { port, create, get } = await startRaw(t)
  const complete = create('Content-Length: 29') + REX
  for (const length of [1, 20, complete.indexOf('\r\n\r\n') + 3, complete.length - 29, complete.length - 1]) {
    const [answer, ...others] = readAnswers(await textAfter(port, complete.slice(0, length)))
    assert.ok(answer, `after ${length}`)
    assertError(answer, 400, 'bad_request', `after ${length}`)
    assert.deepEqual(others, [])
  }
  assert.deepEqual((await get('/v1/pets')).body, [])
})

test('a request that is too slow: 408, and nothing is stored even if the rest arrives later', async (t) => {
  const settings = { HEADERS_TIMEOUT_SECONDS: '1', REQUEST_TIMEOUT_SECONDS: '1' }
  const { port, create, get } = await startRaw(t, { settings })
  const complete = create('Content-Length: 29', 'X-Request-Id: mine-2') + REX
  const inHeaders = 40
  const inBody = complete.length - 10

  const [slowHeaders, slowBody] = await Promise.all(
    [inHeaders, inBody].map((length) => converse(port, complete.slice(0, length), complete.slice(length))),
  )

  for (const answers of [slowHeaders, slowBody]) {
    assert.equal(answers?.length, 1)
    assertError(answers?.[0] as Answer, 408, 'request_timeout', 'slow')
  }
  assert.equal(slowBody?.[0]?.headers['x-request-id'], 'mine-2')
  assert.deepEqual((await get('/v1/pets')).body, [])
})

test('a body that continues after its 413: the client can read the response', async (t) => {
  const { port, create } = await startRaw(t)
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
  const status = await new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    const goOn = (): void => {
      while (socket.writable && socket.write(chunk)) {}
    }
    socket.on('error', reject)
    socket.on('drain', goOn)
    socket.on('data', (answer) => {
      socket.destroy()
      resolve(readAnswers(String(answer))[0]?.status)
    })
    socket.write(create('Transfer-Encoding: chunked'))
    goOn()
  })
  assert.equal(status, 413)
})

test('a body in tiny chunks gets 413 beyond the limit, 201 below it', async (t) => {
  const { port, create } = await startRaw(t)
  const pieces = (text: string, size: number): string =>
    (text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [])
      .map((one) => `${one.length.toString(16)}\r\n${one}\r\n`)
      .join('')
  for (const [size, length, status] of [
    [1, 2_000, 201],
    [1, 2_100, 413],
    [15, 40_000, 413],
    [16, 65_536, 201],
  ] as const) {
    const body = `${pieces(REX.padEnd(length), size)}0\r\n\r\n`
    const [answer] = await converse(port, create('Transfer-Encoding: chunked', 'Connection: close') + body)
    assert.equal(answer?.status, status, `${length} bytes in pieces of ${size}`)
  }
})

test('pipelined requests followed by garbage get their responses in order, then 400', async (t) => {
  const { port, head, create, get } = await startRaw(t)
  const list = head('GET /v1/pets HTTP/1.1')
  const add = create('Content-Length: 29') + REX
  const broken = `${create('Transfer-Encoding: chunked')}zz\r\n`
  const cases: [about: string, bytes: string, statuses: number[], more?: string][] = [
    ['a list', `${list}garbage\r\n\r\n`, [200, 400]],
    ['an addition', `${add}garbage\r\n\r\n`, [201, 400]],
    ['three requests', `${add}${list}${add}\0`, [201, 200, 201, 400]],
    ['CONNECT', `${add}CONNECT a:1 HTTP/1.1\r\n\r\n`, [201, 405]],
    ['a body that breaks', add + broken, [201, 400]],
    ['after the last request', `${create('Connection: close', 'Content-Length: 29')}${REX}garbage`, [201]],
    ['a body of one that was refused', broken.replace('Bearer', 'Basic'), [401]],
    ['the late body of a refused request', broken.replace('Bearer', 'Basic').slice(0, -4), [401], 'zz\r\n'],
    ['a body of one with a wrong key', broken.replace(/Bearer .{20}/, 'Bearer '), [401]],
  ]
  let added = 0
  for (const [about, bytes, statuses, more] of cases) {
    const answers = await converse(port, bytes, more)
    assert.deepEqual(
      answers.map(({ status }) => status),
      statuses,
      about,
    )
    for (const answer of answers) {
      if (answer.status >= 400) assertError(answer, answer.status, answer.body.code, about)
      else assert.doesNotThrow(() => answer.body, about)
    }
    added += statuses.filter((status) => status === 201).length
    assert.equal((await get('/v1/pets?limit=100')).body.length, added, about)
  }
})

test('requests that cannot be parsed get 429 beyond the limit of the address', async (t) => {
  const { port, get } = await startRaw(t, { settings: { ANONYMOUS_PER_MINUTE: '2' } })
  const remaining: unknown[] = []
  for (const [status, code] of [
    [400, 'bad_request'],
    [400, 'bad_request'],
    [429, 'rate_limit_exceeded'],
  ] as const) {
    const [answer] = await converse(port, 'garbage\r\n\r\n')
    assert.ok(answer)
    assertError(answer, status, code, String(status))
    assert.equal(answer.headers['x-ratelimit-limit'], '2')
    assert.equal(answer.headers['retry-after'], status === 429 ? '60' : undefined)
    remaining.push(answer.headers['x-ratelimit-remaining'])
  }
  assert.deepEqual(remaining, ['1', '0', '0'])
  assert.equal((await get('/v1/pets')).status, 200)
})

test('POST /v1/pets from a client that closes its sending side immediately is answered', async (t) => {
  const { port, create, head } = await startRaw(t)
  const add = create('Content-Length: 29') + REX
  for (const [bytes, statuses] of [
    [add, [201]],
    [add + head('GET /v1/pets HTTP/1.1'), [201, 200]],
    ['garbage\r\n\r\n', [400]],
  ] as const) {
    assert.deepEqual(
      readAnswers(await textAfter(port, bytes)).map(({ status }) => status),
      statuses,
      bytes,
    )
  }
})

test('HEAD returns the headers of GET and no body, even for errors', async (t) => {
  const { port, head, get } = await startRaw(t)
  for (const path of list('/v1/pets|/v1/pets/1|/v1/pets?limit=0|/v1/nowhere|/v1/pets/%g1|/nowhere|/livez')) {
    const expected = await get(path)
    const text = await textAfter(port, head(`HEAD ${path} HTTP/1.1`))
    const names = [...text.matchAll(/^([\w-]+): /gm)].map(([, name]) => name?.toLowerCase())
    assert.match(text, new RegExp(`^HTTP/1.1 ${expected.status} [^{[]*\r\n\r\n$`), path)
    assert.match(text, new RegExp(`^content-length: ${Buffer.byteLength(expected.text)}\r$`, 'im'), path)
    assert.deepEqual(names.sort(), Object.keys(expected.headers).sort(), path)
  }
})
