import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../../testing/cleanup.ts'
import { startProxy } from '../../testing/proxy.ts'
import { NEEDS_REDIS, startRedis, until } from '../../testing/redis.ts'
import { openConnection } from './connection.ts'

/** Opens a connection to the test's own Redis, and counts how often it was lost. */
async function openOwn(t: TestContext) {
  const redis = await startRedis(t)
  const proxy = await startProxy(t, { host: '127.0.0.1', port: redis.port })
  const listening = Promise.withResolvers<Socket>()
  proxy.onSend = (bytes, line) => {
    if (bytes.includes('subscribe')) listening.resolve(line)
    return false
  }
  const ready = Promise.withResolvers<void>()
  const seen = { lost: 0, messages: [] as string[] }
  const connection = openConnection({
    server: { host: '127.0.0.1', port: proxy.port },
    channel: 'recall',
    onReady: ready.resolve,
    onLost() {
      seen.lost += 1
    },
    onMessage: (message) => seen.messages.push(message),
  })
  cleanup(t).defer(connection.close)
  await ready.promise
  return { redis, proxy, connection, seen, listening: await listening.promise }
}

const ECHO = 'return { ARGV[1] }'
const FULL = "return redis.error_reply('OOM no memory is left')"

test('an answer that arrives together with the loss of the store counts as lost', NEEDS_REDIS, async (t) => {
  const { redis, connection, seen } = await openOwn(t)
  const { session } = connection
  assert.deepEqual(await connection.run(ECHO, [], ['a']), ['a'])
  await redis.client.script('LOAD', FULL)

  // Both commands arrive while Redis is paused, so both answers come together.
  redis.pause()
  const questions = [connection.run(FULL, [], []), connection.run(ECHO, [], ['b'])]
  redis.resume()
  const answers = await Promise.allSettled(questions)

  for (const answer of answers)
    assert.match(answer.status === 'rejected' ? String(answer.reason) : '', /Redis: OOM no memory is left/)
  assert.deepEqual([connection.session, seen.lost >= 1], [session + 1, true])
})

test('an error about one key fails only its command; the connection stays open', NEEDS_REDIS, async (t) => {
  const { redis, connection, seen } = await openOwn(t)
  await redis.client.set('text', 'a')

  await assert.rejects(connection.members('text'), /^Error: Redis: WRONGTYPE/)
  assert.deepEqual([connection.session, seen.lost], [1, 0])
  assert.deepEqual(await connection.run(ECHO, [], ['b']), ['b'])
})

test('a subscription that a firewall drops silently is established again', NEEDS_REDIS, async (t) => {
  const { redis, proxy, connection, seen, listening } = await openOwn(t)
  const hears = async () => {
    await redis.client.publish('recall', 'a')
    return seen.messages.length > 0
  }
  await until(hears)

  proxy.forgetOne(listening)
  await redis.client.publish('recall', 'b')
  assert.deepEqual(await connection.run(ECHO, [], ['c']), ['c'])
  seen.messages.length = 0
  await until(hears)
  assert.ok(!seen.messages.includes('b'))
  assert.deepEqual([connection.session, seen.lost], [1, 0], 'requests were not affected')
})
