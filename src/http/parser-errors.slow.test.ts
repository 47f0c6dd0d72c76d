import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { readAnswers } from '../testing/client.ts'
import { startApp } from '../testing/start-app.ts'

test('pipelined long responses arrive completely although the body of the last request is broken', async (t) => {
  const settings = { ANONYMOUS_PER_MINUTE: '100000', ANONYMOUS_PER_DAY: '100000' }
  const { port, get } = await startApp(t, { settings })
  // Short enough to be read at once: the server reads no more while responses wait.
  const page = 'GET /docs HTTP/1.1\r\nHost: a\r\n'
  const socket = net.connect(port, '127.0.0.1')
  socket.write(`${`${page}\r\n`.repeat(31)}${page}Transfer-Encoding: chunked\r\n\r\n`)
  await once(socket, 'readable')
  socket.write('zz\r\n')
  // When this response arrives, the server has read the bytes above, but has not sent most long responses.
  await get('/livez')

  const answers = readAnswers(String(Buffer.concat(await socket.toArray())))

  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(32).fill(200),
  )
  for (const { text, headers } of answers) {
    assert.ok(text.length > 100_000)
    assert.equal(Buffer.byteLength(text), Number(headers['content-length']))
  }
})
