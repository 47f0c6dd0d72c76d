import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type ServerResponse } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { type Connection, CountedResponse, limitUnread, openConnections } from './connections.ts'

const MEGABYTES_16 = 'x'.repeat(16_000_000)
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** Starts a server whose responses have 16 MB each, and a function that sends it requests. */
async function startLarge(t: TestContext, trustProxy: string[] = []) {
  const options = { ServerResponse: CountedResponse as typeof ServerResponse }
  const server = http.createServer(options, (_, response) => response.end(MEGABYTES_16))
  const connections = openConnections(server, { maxConnections: 100, trustProxy, nameOf: (name) => name })
  limitUnread(server, connections)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t).defer(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  /** Connects, sends requests, and reads no responses. @returns the service's side of the connection */
  async function connect(localAddress: string, requests: number) {
    const accepted: Promise<Connection[]> = once(server, 'connection')
    const client = net.connect({ port, host: '127.0.0.1', localAddress })
    client.pause().on('error', () => undefined)
    cleanup(t).defer(() => void client.destroy())
    const [connection] = (await accepted) as [Connection]
    client.write(GET.repeat(requests))
    while (requests > 0 && !connection.unreadBytes && !connection.destroyed) await new Promise(setImmediate)
    return { client, connection }
  }
  return { connect, connections }
}

const closed = ({ connection }: { connection: Connection }) =>
  connection.destroyed ? undefined : once(connection, 'close')

test('one address leaves more than 64 MB unread: its connection with the most unread bytes is closed', async (t) => {
  const { connect } = await startLarge(t)
  const other = await connect('127.0.0.2', 3)
  const small = await connect('127.0.0.1', 1)
  const large = await connect('127.0.0.1', 4)
  await closed(large)
  assert.deepEqual([small.connection.destroyed, other.connection.destroyed], [false, false])

  for (const { client } of [small, other]) client.resume()
  while (small.connection.unreadBytes || other.connection.unreadBytes) await new Promise(setImmediate)
})

test('all addresses together leave more than 256 MB unread: the largest connections are closed', async (t) => {
  const { connect, connections } = await startLarge(t)
  const all = []
  for (let host = 1; host <= 5; host += 1) all.push(await connect(`127.0.0.${host}`, host === 3 ? 4 : 3))
  assert.ok(all.every(({ connection }) => !connection.destroyed))
  const sixth = await connect('127.0.0.6', 4)
  await Promise.race([...all, sixth].map(({ connection }) => once(connection, 'close')))
  const unread = [...connections].reduce((sum, { unreadBytes = 0 }) => sum + unreadBytes, 0)
  assert.ok(unread <= 256_000_000, String(unread))
})

test('a proxy in TRUST_PROXY may leave more than 64 MB unread, because it has many clients', async (t) => {
  const { connect } = await startLarge(t, ['127.0.0.1'])
  const proxy = await connect('127.0.0.1', 6)
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  assert.equal(proxy.connection.destroyed, false)
})
