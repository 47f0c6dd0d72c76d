import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { startBehindProxy } from '../testing/behind-proxy.ts'
import { cleanup } from '../testing/cleanup.ts'
import { openStream } from '../testing/event-stream.ts'
import { until } from '../testing/redis.ts'

const REX = { name: 'Rex', categoryId: 1 }

test('a stream lasts while PostgreSQL is lost, then sends each event once, in order', async (t) => {
  const { app, proxy, direct } = await startBehindProxy(t)
  const other = await openForCommand(direct, changes)
  cleanup(t).defer(other.close)
  const stream = await openStream(t, app)
  await app.post('/v1/pets', REX)
  await stream.read(1)
  for (let outage = 0; outage < 3; outage += 1) {
    proxy.cut()
    await until(async () => (await app.get('/v1/pets')).status === 503)
    // Another process still reaches the database.
    const category = { name: `Kind ${outage}` }
    await other.write(changes.insertCategory, category, app.clock.now)
    proxy.restore()
    await until(async () => (await app.post('/v1/pets', REX)).status === 201)
  }
  const { body } = await app.get('/v1/events')
  const messages = await stream.read(body.length - 1)

  assert.deepEqual(
    messages.map(({ data }) => JSON.parse(data)),
    body.slice(1),
  )
  assert.equal(body.filter(({ type }: { type: string }) => type === 'category.created').length, 3)
})
