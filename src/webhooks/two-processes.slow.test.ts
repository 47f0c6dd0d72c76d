import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Answer } from '../testing/client.ts'
import { payloadOf, REX, SENDING, untilDelivery } from '../testing/deliveries.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { startReceiver } from '../testing/receiver.ts'
import { NEEDS_REDIS, startRedis } from '../testing/redis.ts'
import { startApp } from '../testing/start-app.ts'

const ANIMALS = 40
const CHANGES = 5

/** Sends a request again after a 503, which a busy machine may cause. The request takes effect once. */
async function sendOnce(send: (headers: Record<string, string>) => Promise<Answer>): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() }
  let answer = await send(headers)
  while (answer.status === 503) answer = await send(headers)
  assert.ok(answer.status < 300, answer.text)
  return answer
}

const NAME = 'two processes on PostgreSQL deliver each event once, and the events of an animal in order'

test(NAME, NEEDS_REDIS, async (t) => {
  const [databaseUrl, redis] = [await scratchDatabase(t), await startRedis(t)]
  const settings = { ...SENDING.settings, REDIS_URL: `redis://127.0.0.1:${redis.port}` }
  const first = await startApp(t, { ...SENDING, settings, databaseUrl })
  const second = await startApp(t, { ...SENDING, settings, databaseUrl })
  const { received, until, url } = await startReceiver(t)
  const ids: number[] = []
  for (const path of ['/one', '/two'])
    ids.push(
      (await first.post('/v1/webhooks', { url: url(path), types: ['pet.created', 'pet.updated'] })).body.id,
    )
  await Promise.all(
    Array.from({ length: ANIMALS }, async (_, number) => {
      const app = number % 2 === 0 ? first : second
      const { body } = await sendOnce((headers) => app.post('/v1/pets', REX, headers))
      for (let change = 0; change < CHANGES; change += 1)
        await sendOnce((headers) => app.patch(`/v1/pets/${body.id}`, { tags: [String(change)] }, headers))
    }),
  )
  const count = ANIMALS * (1 + CHANGES)
  await until(2 * count)
  for (const id of ids) {
    await untilDelivery(first, id, ({ status }) => status === 'delivered')
    while ((await first.get(`/v1/webhooks/${id}/deliveries?status=pending`)).body.length > 0);
  }

  for (const path of ['/one', '/two']) {
    const events = received.filter((delivery) => delivery.path === path).map((one) => payloadOf(one).data)
    assert.equal(events.length, count)
    assert.equal(new Set(events.map(({ eventId }) => eventId)).size, count)
    for (const [petId, own] of Map.groupBy(events, (event) => event.petId)) {
      const sent = own.map(({ eventId }) => eventId)
      assert.deepEqual(sent, sent.toSorted(), `animal ${petId}`)
    }
  }
})
