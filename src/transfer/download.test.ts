import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import type { PhotoStore } from '../photos/storage/photo-files.ts'
import { download, toDownloadError } from './download.ts'
import { RefusalError } from './report.ts'

test('download errors describe what the server did, not what to send', () => {
  for (const [code, expected] of [
    [
      'request_timeout',
      /^The server was too slow: it must send 10 KB per second, and take 300 seconds at most\.$/,
    ],
    ['payload_too_large', /^The picture is larger than 15000000 bytes, or comes in too many small pieces\.$/],
    ['invalid_image', /^The server sent an empty file\.$/],
  ] as const) {
    const error = toDownloadError(new ApiError(code, { message: 'Send another.' }))
    assert.ok(error instanceof RefusalError)
    assert.match(error.message, expected)
  }
  const full = new ApiError('service_unavailable', { cause: new Error('the disk is full') })
  assert.equal(toDownloadError(full), full, 'what is wrong here ends the import')
  assert.equal(toDownloadError(new Error('aborted')).message, 'The download was interrupted.')
})

const NOWHERE: PhotoStore = { workFolder: '/nowhere' } as PhotoStore

test('a download with an upgrade or without a response is reported as such', async (t) => {
  const answers = [
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\n\r\n',
    '',
  ]
  const server = net.createServer((socket) => socket.once('data', () => socket.end(answers.shift() ?? '')))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.after(() => server.close())
  const { port } = server.address() as net.AddressInfo
  for (const reason of [/^The server answered with 101\.$/, /^The download failed/, /^The download failed/])
    await assert.rejects(
      download(`http://127.0.0.1:${port}/`, NOWHERE, true),
      (error) => error instanceof RefusalError && reason.test(error.message),
    )
})

test('a download from a local, private or special address is refused without a request', async () => {
  for (const host of [
    '168.63.129.16',
    '[::ffff:168.63.129.16]',
    '127.0.0.1',
    '169.254.169.254',
    '[::1]',
    '[fd00::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[4000::1]',
    '[100:0:0:1::1]',
    '[64:ff9b:1::a00:1]',
    '[5f00::1]',
  ])
    await assert.rejects(
      download(`https://${host}/`, NOWHERE, false),
      (error) =>
        error instanceof RefusalError && /belongs to this machine or its network/.test(error.message),
      host,
    )
})
