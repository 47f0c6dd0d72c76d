import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore, listProblems, runDoctor } from '../testing/findings.ts'
import { NEEDS_REDIS, startRedis } from '../testing/redis.ts'

test(
  'doctor with a Redis that may lose counters: reports it without the password',
  NEEDS_REDIS,
  async (t) => {
    const { url } = await createStore(t)
    const redis = await startRedis(t, '--requirepass', 'secret', '--maxmemory-policy', 'allkeys-lru')
    const settings = { DATABASE_URL: url, REDIS_URL: `redis://:secret@127.0.0.1:${redis.port}` }
    assert.match(String(await listProblems(settings)), /^maxmemory-policy: allkeys-lru/)
    await redis.client.config('SET', 'maxmemory-policy', 'noeviction', 'appendonly', 'yes')
    assert.deepEqual(await listProblems(settings), [])
    const findings = await runDoctor(settings)
    assert.equal(findings.find(({ check }) => check === 'persistence')?.state, 'good')
    assert.equal(findings.find(({ check }) => check === 'clock of Redis')?.state, 'good')

    const refused = { ...settings, REDIS_URL: `redis://:wrong3@127.0.0.1:${redis.port}` }
    assert.match(String(await listProblems(refused)), /^Redis: .*WRONGPASS/)
    await redis.kill()
    assert.match(String(await listProblems(settings)), /^Redis: .*ECONNREFUSED/)
    for (const output of [findings, await runDoctor(refused), await runDoctor(settings)]) {
      assert.doesNotMatch(JSON.stringify(output), /secret|wrong3/)
    }
  },
)
