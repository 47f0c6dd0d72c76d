import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import Fastify from 'fastify'
import { addressReader } from './client-address.ts'

const SOCKETS = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '192.0.2.1', '2001:db8::1', undefined]
const TRUSTED = [
  [],
  ['loopback'],
  ['127.0.0.1'],
  ['10.0.0.0/8', 'loopback'],
  ['::ffff:10.0.0.0/104', '127.0.0.1'],
  ['2001:db8::/32', '::1', '192.0.2.1'],
]
const FORWARDED = [
  undefined,
  '',
  ' ',
  ',',
  '192.0.2.9',
  ' 192.0.2.9 , 10.1.1.1 ',
  '192.0.2.9,10.1.1.1,127.0.0.1',
  '10.1.1.1',
  '::ffff:10.1.1.1, 127.0.0.1',
  'nonsense, 10.1.1.1, ::1',
  '192.0.2.9:1234, 10.1.1.1',
  '2001:db8::5, 192.0.2.1',
]

test('the address of a client is the one that the framework finds', async () => {
  for (const trusted of TRUSTED) {
    const app = Fastify({ trustProxy: trusted.length > 0 && trusted })
    let ip: string | undefined
    app.get('/', async (request) => {
      ip = request.ip
      return ''
    })
    const read = addressReader(trusted)
    for (const remoteAddress of SOCKETS)
      for (const forwarded of FORWARDED) {
        const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
        await app.inject({ url: '/', headers, ...(remoteAddress && { remoteAddress }) })
        const socket = { remoteAddress: remoteAddress ?? '127.0.0.1' }
        assert.equal(
          read({ socket, headers } as unknown as IncomingMessage),
          ip,
          `${trusted}: ${remoteAddress}, ${forwarded}`,
        )
      }
  }
})
