import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Redis } from 'ioredis'
import { DATABASES } from '../postgres.ts'
import { NEEDS_REDIS } from '../redis.ts'
import { startApp, useStores } from '../start-app.ts'
import { takeFiles } from '../take-files.ts'
import { ON_SERVERS } from '../test-files.ts'

// Runs on PostgreSQL, with Redis if one is installed.
const { TEST_REDIS_URL } = process.env

useStores(DATABASES, TEST_REDIS_URL ? { REDIS_URL: TEST_REDIS_URL } : {})

test('the limits of these tests are counted in Redis', TEST_REDIS_URL ? {} : NEEDS_REDIS, async (t) => {
  const redis = new Redis(TEST_REDIS_URL ?? '')
  t.after(() => redis.disconnect())
  const { get, service } = await startApp(t)
  await get('/v1/pets')

  const { db } = service.context
  const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow()
  assert.equal(await redis.exists(`adoptable:${id}:{key:1}`), 1)
})

await takeFiles('servers', ON_SERVERS)
