import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { startApp } from '../testing/start-app.ts'

const LIVEZ = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'

/** Connects and sends a request. Returns whether there was a response. */
async function isServed(t: TestContext, port: number, localAddress: string): Promise<boolean> {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(LIVEZ))
  cleanup(t).defer(() => void socket.destroy())
  socket.on('error', () => undefined)
  return Promise.race([
    once(socket, 'data').then(
      () => true,
      () => false,
    ),
    new Promise<boolean>((resolve) => socket.once('close', () => resolve(false))),
  ])
}

async function servedOf(t: TestContext, port: number, count: number, localAddress: string): Promise<number> {
  let served = 0
  for (let left = count; left > 0; left -= 1) if (await isServed(t, port, localAddress)) served += 1
  return served
}

test('one address gets half of MAX_CONNECTIONS, and more after it closes some', async (t) => {
  const { port, service } = await startApp(t, { settings: { MAX_CONNECTIONS: '8' } })
  assert.equal(await servedOf(t, port, 8, '127.0.0.1'), 4)
  assert.equal(await servedOf(t, port, 3, '127.0.0.2'), 3)
  for (const connection of service.app.connections) {
    if (connection.remoteAddress !== '127.0.0.1') continue
    const closed = once(connection, 'close')
    connection.destroy()
    await closed
  }
  assert.equal(await servedOf(t, port, 5, '127.0.0.1'), 4)
})

test('an address in TRUST_PROXY may use all connections', async (t) => {
  const settings = { MAX_CONNECTIONS: '8', TRUST_PROXY: '192.0.2.7,127.0.0.2,10.0.0.0/8' }
  const { port } = await startApp(t, { settings })
  assert.equal(await servedOf(t, port, 8, '127.0.0.2'), 8)
})
