import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
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

/** A connection that counts the responses. */
async function connect(t: TestContext, port: number) {
  const socket = net.connect(port, '127.0.0.1')
  cleanup(t).defer(() => void socket.destroy())
  socket.on('error', () => undefined)
  let text = ''
  let count = 0
  socket.on('data', (chunk) => {
    const more = chunk.toString('latin1')
    // Also matches a status line that arrived in two parts.
    count += (text.slice(-12) + more).split(/HTTP\/1\.1 \d{3} /).length - 1
    text += more
  })
  await once(socket, 'connect')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  /** Resolves after this many responses. */
  async function answers(expected: number): Promise<void> {
    while (count < expected) {
      assert.ok(!socket.destroyed, `closed after ${text.slice(-300)}`)
      await Promise.race([once(socket, 'data'), closed])
    }
  }
  return { socket, closed, answers, text: () => text }
}
const idsOf = (text: string): string[] =>
  [...text.matchAll(/^x-request-id: (.*)\r$/gm)].map(([, id = '']) => id)

/** Counts the requests that reach a route. */
function countRequests(t: TestContext): { seen: number } {
  const counted = { seen: 0 }
  const count = (): void => {
    counted.seen += 1
  }
  subscribe('tracing:fastify.request.handler:start', count)
  t.after(() => unsubscribe('tracing:fastify.request.handler:start', count))
  return counted
}

test('32 pipelined requests are all answered, in order', async (t) => {
  const { port, key } = await startApp(t, { key: UNLIMITED, settings: MANY })
  const { socket, answers, text } = await connect(t, port)
  const paths = ['/v1/pets', '/nowhere', '/livez', '/v1/pets/1', '/docs/reference.css']
  const bytes = Array.from({ length: 32 }, (_, number) => {
    const fields = [`X-Request-Id: r-${number}`, `Authorization: Bearer ${key}`]
    if (number % 7 !== 0) return get(paths[number % paths.length] ?? '', ...fields)
    const body = '{"name":"Rex","categoryId":1}'
    const head = ['POST /v1/pets HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...fields]
    return `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  })
  socket.write(bytes.join(''))
  await answers(32)
  assert.deepEqual(
    idsOf(text()),
    bytes.map((_, number) => `r-${number}`),
  )
})

test('2,000 requests sent in parts as responses arrive are all answered', async (t) => {
  const { port } = await startApp(t, { settings: MANY })
  const { socket, answers, text } = await connect(t, port)
  for (let sent = 0; sent < 2_000; sent += 20) {
    const ids = Array.from({ length: 20 }, (_, number) => `X-Request-Id: r-${sent + number}`)
    socket.write(ids.map((id) => get('/livez', id)).join(''))
    await answers(sent + 20)
  }
  assert.equal(idsOf(text()).length, 2_000)
})

test('more than 32 unanswered requests: the connection closes, and the other requests are not carried out', async (t) => {
  const { port, get: ask } = await startApp(t, { settings: MANY })
  const counted = countRequests(t)
  const { answers, socket: other } = await connect(t, port)
  for (const request of [get('/livez'), 'POST / HTTP/1.1\r\nContent-Length:1\r\n\r\nx']) {
    const { socket, closed } = await connect(t, port)
    socket.write(request.repeat(2_000))
    await closed
  }
  assert.ok(counted.seen <= 64, `${counted.seen} requests`)
  other.write(get('/livez'))
  await answers(1)
  assert.equal((await ask('/livez')).status, 200)
})

test('garbage after pipelined requests gets 400 after their responses', async (t) => {
  const { port } = await startApp(t, { settings: MANY })
  for (const more of ['\0\0\0\0\0\0', `GET / HTTP/1.1\r\nHost\r\n\r\n${get('/')}`]) {
    for (const count of [1, 31, 32]) {
      const { socket, closed, text } = await connect(t, port)
      socket.write(get('/livez').repeat(count) + more)
      await closed
      const statuses = readAnswers(text()).map(({ status }) => status)
      assert.deepEqual(statuses, [...Array(count).fill(200), 400])
    }
  }
})

test('requests after one with Connection: close are not carried out', async (t) => {
  const { port } = await startApp(t, { settings: MANY })
  for (const count of [1, 30, 31]) {
    const { socket, closed, text } = await connect(t, port)
    socket.write(get('/livez').repeat(count) + get('/livez', 'Connection: close') + get('/livez'))
    await closed
    assert.equal(readAnswers(text()).length, count + 1)
  }
})

test('a client that closes its sending side after 32 requests gets 32 responses', async (t) => {
  const { port } = await startApp(t, { settings: MANY })
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.end(get('/livez').repeat(32))
  const text = String(Buffer.concat(await socket.toArray()))
  assert.equal(readAnswers(text).length, 32)
})

test('a request that offers an upgrade to HTTP/2 is answered, and the connection stays open', async (t) => {
  const { port, key } = await startApp(t, { key: UNLIMITED, settings: MANY })
  const name = (id: string) => [`X-Request-Id: ${id}`, `Authorization: Bearer ${key}`]
  const body = '{"name":"Rex","categoryId":1}'
  const create = (id: string) =>
    `${['POST /v1/pets HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...H2C, ...name(id)].join(
      '\r\n',
    )}\r\nContent-Length: ${body.length}\r\n\r\n`
  const { socket, answers, text } = await connect(t, port)
  // Node's parser drops what follows in the same packet, so a client has to wait for the response.
  socket.write(get('/v1/pets', ...H2C, ...name('1')))
  await answers(1)
  socket.write(get('/v1/pets', ...name('2')) + create('3'))
  await answers(2)
  socket.write(body)
  await answers(3)
  socket.write(get('/v1/pets', ...H2C, ...name('4')))
  await answers(4)
  socket.write(create('5') + body)
  await answers(5)
  socket.write(get('/livez', ...name('6')))
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
