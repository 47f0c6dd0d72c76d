import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { readAnswers } from '../testing/client.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'

const MANY = { ANONYMOUS_PER_MINUTE: '100000', ANONYMOUS_PER_DAY: '100000' }
const get = (path: string, ...fields: string[]): string =>
  `${[`GET ${path} HTTP/1.1`, 'Host: a', ...fields].join('\r\n')}\r\n\r\n`
const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']

/** A connection that tells how many answers have come. */
async function connect(t: TestContext, port: number) {
  const socket = net.connect(port, '127.0.0.1')
  cleanup(t).defer(() => void socket.destroy())
  socket.on('error', () => undefined)
  let text = ''
  let count = 0
  socket.on('data', (chunk) => {
    const more = chunk.toString('latin1')
    // Also one that came in two pieces.
    count += (text.slice(-12) + more).split(/HTTP\/1\.1 \d{3} /).length - 1
    text += more
  })
  await once(socket, 'connect')
  const closed = once(socket, 'close')
  /** Resolves once so many have come. */
  async function answers(wanted: number): Promise<void> {
    while (count < wanted) {
      assert.ok(!socket.destroyed, `closed after ${text.slice(-300)}`)
      await Promise.race([once(socket, 'data'), closed])
    }
  }
  return { socket, closed, answers, text: () => text }
}
const idsOf = (text: string): string[] =>
  [...text.matchAll(/^x-request-id: (.*)\r$/gm)].map(([, id = '']) => id)

/** Counts what reaches the router. */
function countRequests(server: net.Server): { seen: number } {
  const counted = { seen: 0 }
  server.on('request', () => {
    counted.seen += 1
  })
  return counted
}

test('2,000 requests sent at once on one connection are all answered, in their order', async (t) => {
  const { port, key } = await startApp(t, { key: UNLIMITED, settings: MANY })
  const { socket, answers, text } = await connect(t, port)
  const paths = ['/v1/pets', '/nowhere', '/livez', '/v1/pets/1', '/docs/reference.css']
  const bytes = Array.from({ length: 2_000 }, (_, number) => {
    const fields = [`X-Request-Id: r-${number}`, `Authorization: Bearer ${key}`]
    if (number % 7 !== 0) return get(paths[number % paths.length] ?? '', ...fields)
    const body = '{"name":"Rex","categoryId":1}'
    const head = ['POST /v1/pets HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...fields]
    return `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  })
  socket.write(bytes.join(''))
  await answers(2_000)
  assert.deepEqual(
    idsOf(text()),
    bytes.map((_, number) => `r-${number}`),
  )
})

for (const size of [1, 7, 1_000]) {
  test(`requests beyond the bound in pieces of ${size} bytes are answered in their order, and what follows them`, async (t) => {
    const { port } = await startApp(t, { settings: MANY })
    const { socket, answers, text } = await connect(t, port)
    socket.setNoDelay(true)
    const count = size === 1 ? 40 : 200
    const bytes = Array.from({ length: count }, (_, number) => get('/livez', `X-Request-Id: r-${number}`))
    const all = bytes.join('')
    for (let at = 0; at < all.length; at += size) socket.write(all.slice(at, at + size))
    await answers(count)
    assert.equal(idsOf(text()).length, count)
    socket.write(get('/livez', 'X-Request-Id: last'))
    await answers(count + 1)
    assert.equal(idsOf(text()).at(-1), 'last')
  })
}

test('of 2,000 requests of a client that takes no answer only a few are begun', async (t) => {
  const { port, service } = await startApp(t, { settings: MANY })
  const counted = countRequests(service.app.server)
  const { socket } = await connect(t, port)
  socket.pause()
  socket.write(get('/docs').repeat(2_000))
  // What the machine's own buffers take of the answers is taken.
  for (let before = -1; before !== counted.seen; ) {
    before = counted.seen
    for (let asked = 0; asked < 20; asked += 1) await fetch(`http://127.0.0.1:${port}/livez`)
    counted.seen -= 20
  }
  assert.ok(counted.seen < 300, `${counted.seen} requests`)
})

test('16 requests sent at once get 16 answers, in their order', async (t) => {
  const { port } = await startApp(t, { settings: MANY })
  const { socket, answers, text } = await connect(t, port)
  socket.write(Array.from({ length: 16 }, (_, number) => get('/docs', `X-Request-Id: r-${number}`)).join(''))
  await answers(16)
  assert.deepEqual(
    idsOf(text()),
    Array.from({ length: 16 }, (_, number) => `r-${number}`),
  )
})

test('garbage behind requests beyond the bound is answered with 400, after their answers', async (t) => {
  const { port } = await startApp(t, { settings: MANY })
  for (const more of ['\0\0\0\0\0\0', `GET / HTTP/1.1\r\nHost\r\n\r\n${get('/')}`]) {
    for (const count of [31, 32, 33, 100]) {
      const { socket, closed, text } = await connect(t, port)
      socket.write(get('/livez').repeat(count) + more)
      await closed
      const statuses = readAnswers(text()).map(({ status }) => status)
      assert.deepEqual(statuses, [...Array(count).fill(200), 400])
    }
  }
})

test('requests behind one that asks to close the connection are not carried out, however many came before', async (t) => {
  const { port } = await startApp(t, { settings: MANY })
  for (const count of [30, 31, 32, 100]) {
    const { socket, closed, text } = await connect(t, port)
    socket.write(get('/livez').repeat(count) + get('/livez', 'Connection: close') + get('/livez'))
    await closed
    assert.equal(readAnswers(text()).length, count + 1)
  }
})

test('a client that ends its side behind 500 requests gets 500 answers', async (t) => {
  const { port } = await startApp(t, { settings: MANY })
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.end(get('/livez').repeat(500))
  const text = String(Buffer.concat(await socket.toArray()))
  assert.equal(readAnswers(text).length, 500)
})

test('more requests with bodies at once than a connection may have cut it off, and nobody else', async (t) => {
  const { port, get: ask } = await startApp(t, { settings: MANY })
  const { socket, closed } = await connect(t, port)
  const { answers, socket: other } = await connect(t, port)
  socket.pause()
  socket.write('POST / HTTP/1.1\r\nContent-Length:1\r\n\r\nx'.repeat(1_500))
  socket.resume()
  await closed
  other.write(get('/livez'))
  await answers(1)
  assert.equal((await ask('/livez')).status, 200)
})

test('a request that offers HTTP/2 is answered, and the connection kept with all that follows', async (t) => {
  const { port, key } = await startApp(t, { key: UNLIMITED, settings: MANY })
  const name = (id: string) => [`X-Request-Id: ${id}`, `Authorization: Bearer ${key}`]
  const body = '{"name":"Rex","categoryId":1}'
  const create = (id: string) =>
    `${['POST /v1/pets HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...H2C, ...name(id)].join(
      '\r\n',
    )}\r\nContent-Length: ${body.length}\r\n\r\n`
  const { socket, answers, text } = await connect(t, port)
  socket.write(get('/v1/pets', ...H2C, ...name('1')) + get('/v1/pets', ...name('2')) + create('3'))
  await answers(2)
  socket.write(
    body + get('/v1/pets', ...H2C, ...name('4')) + create('5') + body + get('/livez', ...name('6')),
  )
  await answers(6)
  socket.write(get('/livez', ...H2C, ...name('7')))
  await answers(7)
  socket.write(get('/livez', ...name('8')))
  await answers(8)
  assert.deepEqual(idsOf(text()), ['1', '2', '3', '4', '5', '6', '7', '8'])
  assert.deepEqual(
    readAnswers(text()).map(({ status, headers }) => [status, headers.connection]),
    [200, 200, 201, 200, 201, 200, 200, 200].map((status) => [status, 'keep-alive']),
  )
})

test('garbage behind a request that offers HTTP/2 is answered with 400', async (t) => {
  const { port } = await startApp(t, { settings: MANY })
  for (const later of [false, true]) {
    const { socket, closed, answers, text } = await connect(t, port)
    socket.write(get('/livez', ...H2C) + (later ? '' : '\0\0\0'))
    await answers(1)
    if (later) socket.write('\0\0\0')
    await closed
    assert.deepEqual(
      readAnswers(text()).map(({ status }) => status),
      [200, 400],
    )
  }
})
