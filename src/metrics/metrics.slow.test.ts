import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { NEEDS_REDIS, startRedis, until } from '../testing/redis.ts'
import { scrape } from '../testing/scrape.ts'
import { makeKey, type Options, startApp } from '../testing/start-app.ts'

async function startMeasured(t: TestContext, options: Options = {}) {
  const app = await startApp(t, { ...options, settings: { METRICS_PORT: '0', ...options.settings } })
  return { ...app, samples: () => scrape(app.service.metricsAddress) }
}

test('while Redis is down, adoptable_redis_up is 0 and lost verdicts are counted', NEEDS_REDIS, async (t) => {
  const redis = await startRedis(t)
  const settings = { REDIS_URL: `redis://127.0.0.1:${redis.port}` }
  const { get, samples, databaseUrl } = await startMeasured(t, { settings })
  assert.equal((await samples()).get('adoptable_redis_up'), 1)
  await get('/v1/pets')
  const stranger = await makeKey(databaseUrl, { plan: 'pro' })
  await redis.kill()
  await until(async () => (await samples()).get('adoptable_redis_up') === 0)
  assert.equal((await get('/v1/pets', { authorization: `Bearer ${stranger}` })).status, 503)
  const lost = 'adoptable_limiter_verdicts_total{verdict="lost",plan="pro"}'
  assert.equal((await samples()).get(lost), 1)
  await redis.start()
  await until(async () => (await samples()).get('adoptable_redis_up') === 1)
})

/** A port below those that the system assigns, which our own connections could take. */
