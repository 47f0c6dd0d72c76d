import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import type { PhotoStore } from '../photos/storage/store.ts'
import { Refused } from './animal.ts'
import { asOfServer, download } from './download.ts'

test("of somebody else's server it is told what it did, not what to send", () => {
  for (const [code, expected] of [
    [
      'request_timeout',
      /^The server sent it too slowly: it needs 10 KB a second, and 300 seconds at most\.$/,
    ],
    ['payload_too_large', /^The picture is larger than 15000000 bytes, or comes in too many small pieces\.$/],
    ['invalid_image', /^The answer was empty\.$/],
  ] as const) {
    const told = asOfServer(new ApiError(code, { message: 'Send another.' }))
    assert.ok(told instanceof Refused)
    assert.match(told.message, expected)
  }
  const full = new ApiError('service_unavailable', { cause: new Error('the disk is full') })
  assert.equal(asOfServer(full), full, 'what is wrong here ends the import')
  assert.equal(asOfServer(new Error('aborted')).message, 'The answer broke off.')
})

const NOWHERE: PhotoStore = { workFolder: '/nowhere' } as PhotoStore

test('an answer that changes the protocol, or that never begins, is said to be one', async (t) => {
  const answers = [
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\n\r\n',
    '',
  ]
  const server = net.createServer((socket) => socket.once('data', () => socket.end(answers.shift() ?? '')))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.after(() => server.close())
  const { port } = server.address() as net.AddressInfo
  for (const reason of [/^It was answered with 101\.$/, /^It cannot be fetched/, /^It cannot be fetched/])
    await assert.rejects(
      download(`http://127.0.0.1:${port}/`, NOWHERE, true),
      (error) => error instanceof Refused && reason.test(error.message),
    )
})

test('an address of the machine, of its network or of nobody is not asked', async () => {
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
      (error) => error instanceof Refused && /leads into a network of this machine/.test(error.message),
      host,
    )
})
