import { test } from 'node:test'
import { scratchDatabase } from './postgres.ts'
import { NEEDS_REDIS } from './redis.ts'
import { useStores } from './start-app.ts'

// Imported before the tests that are to run on PostgreSQL and, where there is one, with Redis.
const { TEST_REDIS_URL } = process.env

useStores(scratchDatabase, TEST_REDIS_URL ? { REDIS_URL: TEST_REDIS_URL } : {})
test('these limits are counted in Redis', TEST_REDIS_URL ? {} : NEEDS_REDIS, () => undefined)
