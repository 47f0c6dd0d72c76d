import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { startReceiver } from '../src/testing/receiver.ts'
import { startApp, UNLIMITED } from '../src/testing/start-app.ts'
import { reportFigure } from '../torture/lab/rounds.ts'

// The package that receivers use, unmodified.

type Verifier = new (secret: string) => { verify(body: string, headers: object): unknown }

function loadVerifier(): Verifier | undefined {
  try {
    return createRequire(resolve('checks/tools/package.json'))('standardwebhooks').Webhook
  } catch {
    return undefined
  }
}

const Webhook = loadVerifier()
const skip = Webhook ? false : 'not installed: npm ci --prefix checks/tools'

test('the npm package standardwebhooks accepts every genuine delivery, and no changed delivery', {
  skip,
}, async (t) => {
  const app = await startApp(t, {
    key: { ...UNLIMITED, access: 'admin' },
    settings: { WEBHOOK_ALLOW_NETWORKS: 'loopback' },
    now: Date.now(),
  })
  const { until, url } = await startReceiver(t)
  const { body: first } = await app.post('/v1/webhooks', { url: url() })
  await app.post('/v1/pets', { name: 'Zoë 🐕', categoryId: 1, status: 'available' })
  await app.post(`/v1/webhooks/${first.id}/test`, {})
  await until(2)
  const { body: rotated } = await app.post(`/v1/webhooks/${first.id}/rotate`, {})
  await app.patch('/v1/pets/1', { name: 'Zoé' })
  await app.post(`/v1/webhooks/${first.id}/test`, {})
  const received = await until(4)

  const verifierOf = (secret: string) => new (Webhook as Verifier)(secret)
  const [old, current] = [verifierOf(first.secret), verifierOf(rotated.secret)]
  const other = verifierOf(`whsec_${Buffer.alloc(32).toString('base64')}`)
  for (const [index, { body, headers }] of received.entries()) {
    assert.deepEqual(old.verify(body, headers), JSON.parse(body))
    if (index >= 2) assert.deepEqual(current.verify(body, headers), JSON.parse(body))
    assert.throws(() => other.verify(body, headers), /No matching signature/)
    assert.throws(() => old.verify(`${body} `, headers), /No matching signature/)
    for (const name of ['webhook-id', 'webhook-timestamp'])
      assert.throws(() => old.verify(body, { ...headers, [name]: '1' }), /signature|too old/)
  }
  reportFigure(t, `${received.length} deliveries verified, with one and with two secrets`)
})
