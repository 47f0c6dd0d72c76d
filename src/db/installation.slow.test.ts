import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { scratchDatabase } from '../testing/postgres.ts'
import { spawnCli } from '../testing/process.ts'
import { NEEDS_REDIS, startRedis } from '../testing/redis.ts'
import { makeKey, scratchFolder } from '../testing/start-app.ts'

const STORES: Record<string, (t: TestContext) => string | Promise<string>> = {
  SQLite: (t) => `sqlite:${join(scratchFolder(t), 'test.db')}`,
  PostgreSQL: scratchDatabase,
}

const BANS = { BAN_AFTER_REFUSALS: '1' }

async function redisOf(t: TestContext) {
  const redis = await startRedis(t, '--requirepass', 'secret')
  return (database: number) => ({ ...BANS, REDIS_URL: `redis://:secret@127.0.0.1:${redis.port}/${database}` })
}

const served = (statuses: number[]): number => statuses.filter((status) => status === 200).length

for (const [name, makeStore] of Object.entries(STORES)) {
  test(`services that start at once on a new store in ${name} count together`, NEEDS_REDIS, async (t) => {
    const [databaseUrl, inDatabase] = [await makeStore(t), await redisOf(t)]
    const key = await makeKey(databaseUrl, { plan: 'free' })
    const settings = { DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'error', ...inDatabase(0) }
    const services = Array.from({ length: 3 }, () => spawnCli(t, ['serve'], settings))
    const addresses = await Promise.all(services.map(({ serving }) => serving))

    const headers = { authorization: `Bearer ${key}` }
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, turn) => fetch(`${addresses[turn % 3]}/v1/pets`, { headers })),
    )
    assert.equal(served(answers.map(({ status }) => status)), 60)
  })
}

test('workers of a store that counts elsewhere say so, and end the command', NEEDS_REDIS, async (t) => {
  const inDatabase = await redisOf(t)
  const DATABASE_URL = `sqlite:${join(scratchFolder(t), 'test.db')}`
  const first = spawnCli(t, ['serve'], { DATABASE_URL, PORT: '0', ...inDatabase(0) })
  await first.serving
  first.child.kill('SIGTERM')
  await first.exited

  const { code, stderr } = await spawnCli(t, ['serve', '--workers', '2'], {
    DATABASE_URL,
    PORT: '0',
    LOG_LEVEL: 'error',
    ...inDatabase(3),
  }).exited
  assert.equal(code, 2)
  assert.match(stderr, /^adoptable: the counters of this store are in the Redis at /m)
  assert.ok(!stderr.includes('secret'))
})
