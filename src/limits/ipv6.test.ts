import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { sendForm } from '../testing/console.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

// One client controls 2^64 IPv6 addresses, which have the same first half. Limits by address count them as one.

/** Sends requests one after another, each from another address of a network. */
async function statusesFrom(
  network: string,
  count: number,
  ask: (headers: Record<string, string>) => Promise<number>,
) {
  const statuses: number[] = []
  for (let number = 1; number <= count; number += 1)
    statuses.push(await ask({ 'x-forwarded-for': `2001:db8:0:${network}:${number}::` }))
  return statuses
}

const start = (t: Parameters<typeof startApp>[0]) =>
  startApp(t, {
    key: { ...UNLIMITED, access: 'admin' },
    settings: { TRUST_PROXY: 'loopback', ANONYMOUS_PER_MINUTE: '5' },
  })

/** How to use up each limit: `ask` sends a request, and `status` is the answer below the limit. */
const LIMITS: Record<
  string,
  { limit: number; status: number; ask: (app: TestApp, headers: Record<string, string>) => Promise<number> }
> = {
  'failed sign-ins': {
    ...{ limit: 10, status: 400 },
    async ask(app, headers) {
      app.clock.now += 13_000
      const fields = { email: `person${app.clock.now}@shelter.example`, password: 'wrong horse battery' }
      return (await sendForm(app, '/console/sign-in', fields, headers)).status
    },
  },
  'unknown photos': {
    ...{ limit: 5, status: 404 },
    ask: async (app, headers) => (await app.get(`/photos/${'b'.repeat(32)}-300.webp`, headers)).status,
  },
  'requests without a key': {
    ...{ limit: 5, status: 401 },
    ask: async (app, headers) => (await app.get('/v1/pets', { authorization: undefined, ...headers })).status,
  },
}

for (const [name, { limit, status, ask }] of Object.entries(LIMITS)) {
  test(`the limit of ${name} counts an IPv6 /64 as one address`, async (t) => {
    const app = await start(t)
    const from = (network: string, count: number) =>
      statusesFrom(network, count, (headers) => ask(app, headers))
    assert.deepEqual(await from('1', limit + 2), [...Array(limit).fill(status), 429, 429])
    assert.deepEqual(await from('2', 1), [status], 'another client')
  })
}

test('the limits of connections and of unread bytes count an IPv6 /64 as one address', async (t) => {
  const { port, service } = await startApp(t, { settings: { HOST: '::1' } })
  const socket = net.connect(port, '::1')
  cleanup(t).defer(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'data')
  assert.deepEqual(
    [...service.app.connections].map(({ client }) => client),
    ['ip:0:0:0:0::/64'],
  )
})
