import assert from 'node:assert/strict'
import { test } from 'node:test'
import { look, storeOf, wrongOf } from '../testing/findings.ts'
import { NEEDS_REDIS, startRedis } from '../testing/redis.ts'

test(
  'doctor finds a Redis that forgets counters, and says nothing of its password',
  NEEDS_REDIS,
  async (t) => {
    const { url } = await storeOf(t)
    const redis = await startRedis(t, '--requirepass', 'secret', '--maxmemory-policy', 'allkeys-lru')
    const settings = { DATABASE_URL: url, REDIS_URL: `redis://:secret@127.0.0.1:${redis.port}` }
    assert.match(String(await wrongOf(settings)), /^maxmemory-policy: allkeys-lru/)
    await redis.client.config('SET', 'maxmemory-policy', 'noeviction', 'appendonly', 'yes')
    assert.deepEqual(await wrongOf(settings), [])
    const findings = await look(settings)
    assert.equal(findings.find(({ check }) => check === 'persistence')?.state, 'good')
    assert.equal(findings.find(({ check }) => check === 'clock of Redis')?.state, 'good')

    const refused = { ...settings, REDIS_URL: `redis://:wrong3@127.0.0.1:${redis.port}` }
    assert.match(String(await wrongOf(refused)), /^Redis: .*WRONGPASS/)
    await redis.kill()
    assert.match(String(await wrongOf(settings)), /^Redis: .*ECONNREFUSED/)
    for (const told of [findings, await look(refused), await look(settings)]) {
      assert.doesNotMatch(JSON.stringify(told), /secret|wrong3/)
    }
  },
)
