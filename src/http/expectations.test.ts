import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { cleanup } from '../testing/cleanup.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'

const BODY = JSON.stringify({ name: 'Rex', categoryId: 1 })

const head = (first: string, key: string, ...more: string[]): string =>
  [`${first} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${key}`, ...more, '', ''].join('\r\n')
const create = (key: string, ...more: string[]): string =>
  head('POST /v1/pets', key, `Content-Length: ${BODY.length}`, 'Content-Type: application/json', ...more)

test('Expect: 100-continue after other requests: the 100 is sent after the responses to those requests', async (t) => {
  const { port, key } = await startApp(t, { key: UNLIMITED })
  const socket = net.connect(port, '127.0.0.1')
  cleanup(t).defer(() => void socket.destroy())
  socket.write(create(key) + BODY + create(key, 'Expect: 100-continue'))
  let said = ''
  while (!said.includes('HTTP/1.1 100')) said += String((await once(socket, 'data'))[0])
  assert.deepEqual(said.match(/HTTP\/1\.1 \d{3}/g), ['HTTP/1.1 201', 'HTTP/1.1 100'])
  assert.ok(said.endsWith('HTTP/1.1 100 Continue\r\n\r\n'))

  socket.end(BODY + head('GET /livez', key, 'Connection: close'))
  const rest = Buffer.concat(await socket.toArray()).toString('latin1')
  assert.deepEqual(rest.match(/HTTP\/1\.1 \d{3}/g), ['HTTP/1.1 201', 'HTTP/1.1 200'])
})

test('many requests with Expect at once: each gets its own response', async (t) => {
  const { port, key } = await startApp(t, { key: UNLIMITED })
  const socket = net.connect(port, '127.0.0.1')
  cleanup(t).defer(() => void socket.destroy())
  const fields = ['Expect: 100-continue', 'Accept-Encoding: gzip']
  const both = head('GET /v1/breeds?limit=100', key, ...fields) + create(key, ...fields) + BODY
  socket.end(both.repeat(10) + head('GET /livez', key, 'Connection: close'))

  let rest = Buffer.concat(await socket.toArray())
  const statuses: string[] = []
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n') + 4
    const one = rest.toString('latin1', 0, end)
    const length = Number(/^content-length: (\d+)/im.exec(one)?.[1] ?? 0)
    const body = rest.subarray(end, end + length)
    const text = String(/^content-encoding: gzip/im.test(one) ? gunzipSync(body) : body)
    if (length > 0) JSON.parse(text)
    statuses.push(one.slice(9, 12))
    rest = rest.subarray(end + length)
  }
  const answers = statuses.filter((status) => status !== '100')
  assert.deepEqual(answers, [...Array(10).fill(['200', '201']).flat(), '200'])
})
