import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { NEEDS_REDIS, startRedis } from '../testing/redis.ts'
import { openLink } from './redis-link.ts'

/** A link to a Redis of the test's own, which is there; and how often it was lost. */
async function openOwn(t: TestContext) {
  const redis = await startRedis(t)
  const ready = Promise.withResolvers<void>()
  const seen = { lost: 0, messages: [] as string[] }
  const link = openLink({
    connection: { host: '127.0.0.1', port: redis.port },
    channel: 'recall',
    onReady: ready.resolve,
    onLost() {
      seen.lost += 1
    },
    onMessage: (message) => seen.messages.push(message),
  })
  t.after(link.close)
  await ready.promise
  return { redis, link, seen }
}

const ECHO = 'return { ARGV[1] }'
const FULL = "return redis.error_reply('OOM no memory is left')"

test('what is answered together with the loss of the store counts as lost', NEEDS_REDIS, async (t) => {
  const { redis, link, seen } = await openOwn(t)
  const { session } = link
  assert.deepEqual(await link.run(ECHO, [], ['a']), ['a'])
  await redis.client.script('LOAD', FULL)

  // Both arrive while it sleeps, so that both answers come in one piece.
  redis.pause()
  const asked = [link.run(FULL, [], []), link.run(ECHO, [], ['b'])]
  redis.resume()
  const answers = await Promise.allSettled(asked)

  for (const answer of answers)
    assert.match(answer.status === 'rejected' ? String(answer.reason) : '', /Redis: OOM no memory is left/)
  assert.deepEqual([link.session, seen.lost >= 1], [session + 1, true])
})

test('a mistake in one key is told to who asked, and loses nothing', NEEDS_REDIS, async (t) => {
  const { redis, link, seen } = await openOwn(t)
  await redis.client.set('text', 'a')

  await assert.rejects(link.members('text'), /^Error: Redis: WRONGTYPE/)
  assert.deepEqual([link.session, seen.lost], [1, 0])
  assert.deepEqual(await link.run(ECHO, [], ['b']), ['b'])
})
