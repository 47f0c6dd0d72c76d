import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { scratchDatabase } from '../testing/postgres.ts'
import { startProxy } from '../testing/proxy.ts'
import { until } from '../testing/redis.ts'
import { requests, scrape } from '../testing/scrape.ts'
import { makeKey, type Options, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

async function startMeasured(t: TestContext, options: Options = {}) {
  const app = await startApp(t, { ...options, settings: { METRICS_PORT: '0', ...options.settings } })
  return { ...app, samples: () => scrape(app.service.metricsAddress) }
}

test('requests are counted by operation, status and plan, including requests answered from the cache', async (t) => {
  const { get, post, request, raw, samples } = await startMeasured(t, { key: UNLIMITED })
  await post('/v1/pets', { name: 'Rex', categoryId: 1 })
  await post('/v1/pets', {})
  let etag = ''
  for (let count = 0; count < 3; count += 1) etag = String((await get('/v1/pets?limit=5')).headers.etag)
  await get('/v1/pets?limit=5', { 'if-none-match': etag })
  for (let count = 0; count < 2; count += 1) await get('/v1/pets/1')
  await get('/v1/pets/99')
  await get('/v1/pets', { authorization: 'Bearer nobody' })
  await get('/livez')
  await get('/v1/nowhere')
  await request('/v1/pets', { method: 'PUT' })
  await raw('GET /v1/pets?limit=0 HTTP/1.1\r\nHost: a\r\n\r\n')
  const seen = await samples()

  const expected = {
    [requests('createPet', 201, 'enterprise')]: 1,
    [requests('createPet', 400, 'enterprise')]: 1,
    [requests('listPets', 200, 'enterprise')]: 3,
    [requests('listPets', 304, 'enterprise')]: 1,
    [requests('getPet', 200, 'enterprise')]: 2,
    [requests('getPet', 404, 'enterprise')]: 1,
    [requests('listPets', 401, 'none')]: 2,
    [requests('other', 200, 'none')]: 1,
    [requests('none', 404, 'enterprise')]: 1,
    [requests('none', 405, 'enterprise')]: 1,
  }
  const counted = [...seen].filter(([name]) => name.startsWith('adoptable_http_requests_total'))
  assert.deepEqual(Object.fromEntries(counted), expected)
  const duration = 'adoptable_http_request_duration_seconds'
  assert.equal(seen.get(`${duration}_count{operation="listPets"}`), 6)
  assert.equal(seen.get(`${duration}_bucket{le="+Inf",operation="getPet"}`), 3)
  assert.ok(Number(seen.get(`${duration}_sum{operation="createPet"}`)) > 0)
  const bounds = [...seen.keys()].flatMap(
    (name) => /duration_seconds_bucket\{le="([\d.]+)",operation="getPet"/.exec(name)?.[1] ?? [],
  )
  assert.deepEqual([bounds[0], bounds.at(-1)], ['0.001', '5'])
  assert.deepEqual(await samples().then((later) => later.get(requests('getPet', 200, 'enterprise'))), 2)
})

test('requests with keys of an organization are also counted by organization', async (t) => {
  const { get, post, databaseUrl, samples } = await startMeasured(t, {
    key: { ...UNLIMITED, access: 'admin' },
  })
  const { id } = (await post('/v1/organizations', { name: 'North', code: 'N1' })).body
  const key = await makeKey(databaseUrl, { ...UNLIMITED, organizationId: id })
  const authorization = `Bearer ${key}`
  for (let count = 0; count < 2; count += 1) await get('/v1/pets', { authorization })
  await get('/v1/pets/9', { authorization })
  await get('/v1/pets')

  const counted = [...(await samples())].filter(([name]) => name.startsWith('adoptable_organization'))
  const series = (status: number) =>
    `adoptable_organization_requests_total{organization="${id}",status="${status}"}`
  assert.deepEqual(Object.fromEntries(counted), { [series(200)]: 2, [series(404)]: 1 })
})

test('verdicts are counted by plan', async (t) => {
  const settings = { BAN_AFTER_REFUSALS: '2', ANONYMOUS_PER_MINUTE: '1' }
  const { get, samples } = await startMeasured(t, { settings, key: { plan: 'free' } })
  for (let count = 0; count < 65; count += 1) await get('/v1/pets')
  for (let count = 0; count < 2; count += 1) await get('/v1/pets', { authorization: undefined })
  const first = await samples()
  assert.equal(first.get('adoptable_limiter_verdicts_total{verdict="allowed",plan="free"}'), 60)
  assert.equal(first.get('adoptable_limiter_verdicts_total{verdict="limited",plan="free"}'), 2)
  assert.equal(first.get('adoptable_limiter_verdicts_total{verdict="banned",plan="free"}'), 3)
  assert.equal(first.get('adoptable_limiter_verdicts_total{verdict="allowed",plan="none"}'), 1)
  assert.equal(first.get('adoptable_limiter_verdicts_total{verdict="limited",plan="none"}'), 1)
})

test('the metrics describe store, process, event loop and release', async (t) => {
  const { samples } = await startMeasured(t)
  const seen = await samples()
  assert.equal(seen.get('adoptable_store_up{engine="sqlite"}'), 1)
  assert.ok(Number(seen.get(`adoptable_store_schema_version{engine="sqlite"}`)) >= 1)
  assert.equal(seen.get(`adoptable_build_info{version="1.0.0",node="${process.version}"}`), 1)
  for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds']) {
    assert.ok(Number(seen.get(name)) >= 0, name)
  }
  assert.ok(
    ![...seen.keys()].some((name) => /redis|pool/.test(name)),
    'no metrics of servers that are not configured',
  )
})

test('PostgreSQL: the metrics show the connections in use, and adoptable_store_up 0 while PostgreSQL is lost', async (t) => {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port) })
  const databaseUrl = Object.assign(new URL(direct), { hostname: '127.0.0.1', port: proxy.port }).href
  const { get, post, samples } = await startMeasured(t, { databaseUrl, key: UNLIMITED })
  // Right after its start the service uses connections for its cleanup jobs.
  const unused = () => until(async () => (await samples()).get('adoptable_pool_uses') === 0)
  await post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const seen = await samples()
  assert.equal(seen.get('adoptable_store_up{engine="postgres"}'), 1)
  assert.ok(Number(seen.get('adoptable_store_schema_version{engine="postgres"}')) >= 1)
  assert.equal(seen.get('adoptable_pool_connections_max'), 10)
  await unused()

  const busy = Promise.all(Array.from({ length: 30 }, (_, limit) => get(`/v1/pets?limit=${limit + 1}`)))
  let [done, maxUses] = [false, 0]
  void busy.then(() => {
    done = true
  })
  while (!done) maxUses = Math.max(maxUses, (await samples()).get('adoptable_pool_uses') ?? 0)
  assert.ok(maxUses > 0, 'requests use a connection')
  await unused()
  proxy.cut()
  assert.equal((await samples()).get('adoptable_store_up{engine="postgres"}'), 0)
  proxy.restore()
  await until(async () => (await samples()).get('adoptable_store_up{engine="postgres"}') === 1)
})

test('/metrics is available only on its own port, which serves nothing else, and names no key, id or address', async (t) => {
  const { get, key, service } = await startMeasured(t)
  const address = service.metricsAddress ?? ''
  for (const path of [
    `/v1/pets/847291827364`,
    `/v1/${key}`,
    `/v1/pets?key=${key}`,
    '/v1/pets?id=847291827364',
  ])
    await get(path)
  await get('/v1/pets', { authorization: `Bearer ${key.slice(0, -1)}`, 'x-request-id': 'mine-847291827364' })
  assert.equal((await get('/metrics')).status, 404)
  assert.equal((await fetch(new URL('/', address))).status, 404)
  assert.equal((await fetch(address, { method: 'POST' })).status, 405)
  assert.equal(await (await fetch(address, { method: 'HEAD' })).text(), '')

  const text = await (await fetch(address)).text()
  assert.doesNotMatch(text, /adopt_|847291827364|127\.0\.0\.1|\/v1|key:/)
})

test('without METRICS_PORT no metrics are served', async (t) => {
  const { service, get }: TestApp = await startApp(t)
  assert.equal(service.metricsAddress, undefined)
  assert.equal(service.context.metrics, undefined)
  assert.equal((await get('/metrics')).status, 404)
})
