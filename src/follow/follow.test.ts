import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { changes } from '../db/change.ts'
import * as keys from '../keys/store.ts'
import { assertError } from '../testing/client.ts'
import {
  ACTING,
  followOf,
  hasNames,
  isFollowing,
  namesOf,
  petsOf,
  REX,
  startGateway,
  startPair,
  stateOf,
} from '../testing/followed.ts'
import { runCli } from '../testing/process.ts'
import { until } from '../testing/redis.ts'
import { scrape } from '../testing/scrape.ts'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'
import { PAGE_SIZE } from './source.ts'

const DAY_MS = 86_400_000

test('follow add copies public animals with category and organization, and source links the original', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  const { body: kind } = await source.post('/v1/categories', { name: 'Alpacas' })
  const place = { city: 'Delft', country: 'NL', latitude: 52.0116, longitude: 4.3571 }
  const rex = { ...REX, categoryId: kind.id, externalId: '7', place, staff: { kennel: 'K1' }, tags: ['shy'] }
  await source.post('/v1/pets', rex)
  await source.post('/v1/pets', { ...REX, name: 'Hidden', status: undefined })
  await source.post('/v1/pets', { ...REX, name: 'Mia', organizationId: 2, birthDate: '2024-05-01' })
  const shown = await follow('add', `${gateway.url}/v1/`, '--key', source.key)
  assert.ok(!shown.includes(source.key))
  await hasNames(directory, 'Rex', 'Mia')

  const [copy, mia] = await petsOf(directory)
  const { body: kinds } = await directory.get('/v1/categories')
  assert.equal(kinds.find(({ id }: { id: number }) => id === copy.categoryId).name, 'Alpacas')
  assert.deepEqual(
    [copy.source, copy.tags, copy.place, copy.staff, copy.externalId],
    [`${gateway.url}/animals/1`, ['shy'], { ...place, latitude: 52.01, longitude: 4.36 }, undefined, '7'],
  )
  const { body: organizations } = await directory.get('/v1/organizations')
  assert.deepEqual(
    [copy, mia].map(
      ({ organizationId }) => organizations.find(({ id }: { id: number }) => id === organizationId).name,
    ),
    ['Riverside', 'Hilltop'],
  )
  const page = await directory.get(`/animals/${copy.id}-rex`)
  assert.match(page.text, new RegExp(`href="${gateway.url}/animals/1"`))
  assert.equal((await directory.get(`/animals/${copy.id}/apply`)).status, 409)
  const { body: events } = await directory.get('/v1/events?type=pet.created')
  assert.equal(events.length, 2)
  await isFollowing(directory)
  const listed = await follow('list')
  assert.match(listed, /\tfollowing\t2\t0 s\t$/m)
  assert.ok(!listed.includes(source.key) && !directory.log.join().includes(source.key))
  assert.notEqual(key, source.key)
})

test('a copy gets every change of the original, and is removed with it', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  await directory.post('/v1/organizations', { name: 'City', code: 'C1' })
  await follow('add', gateway.url, '--key', key, '--as', 'C1')
  await isFollowing(directory)
  await source.post('/v1/pets', REX)
  await source.post('/v1/pets', { ...REX, name: 'Mia' })
  await hasNames(directory, 'Rex', 'Mia')
  await source.patch('/v1/pets/1', { name: 'Max', status: 'pending' })
  await source.patch('/v1/pets/1', { status: 'sold' })
  await until(async () => (await petsOf(directory))[0].status === 'sold')
  const [max] = await petsOf(directory)
  assert.deepEqual([max.name, max.organizationId], ['Max', 1])
  await source.delete('/v1/pets/1')
  await hasNames(directory, 'Mia')
  const { body: types } = await directory.get('/v1/events?type=pet.deleted')
  assert.equal(types.length, 1)
  assertError(
    await directory.delete('/v1/organizations/1'),
    409,
    'organization_in_use',
    'DELETE /v1/organizations/1',
  )
})

test('changes, orders, applications and photos of a copy get 409 with the address of the original', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  await source.post('/v1/pets', REX)
  await follow('add', gateway.url, '--key', key)
  await hasNames(directory, 'Rex')
  const { patch, post, request } = directory
  const person = { name: 'Ada', email: 'ada@example.org' }
  const answers = [
    await patch('/v1/pets/1', { name: 'Max' }),
    await request('/v1/pets/1', { method: 'DELETE' }),
    await post('/v1/store/orders', { petId: 1, adopter: person }),
    await post('/v1/applications', { petId: 1, applicant: person }),
    await post('/v1/pets', { ...REX, name: 'Friend', organizationId: undefined, bondedWith: [1] }),
  ]
  for (const answer of answers) {
    assertError(answer, 409, 'followed_animal', 'a change of a copy')
    assert.match(String(answer.body.message ?? answer.text), new RegExp(`${gateway.url}/animals/1`))
  }
  assert.deepEqual(await namesOf(directory), ['Rex'])
})

test('a source that was down is read again; after a 410 from its feed, all its animals are copied again', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  await source.post('/v1/pets', REX)
  await source.post('/v1/pets', { ...REX, name: 'Mia' })
  await follow('add', gateway.url, '--key', key)
  await hasNames(directory, 'Rex', 'Mia')
  await isFollowing(directory)
  gateway.answer = (response) => void response.writeHead(503).end()
  await until(async () => /503/.test((await stateOf(directory))?.lastError ?? ''))
  await source.delete('/v1/pets/1')
  await source.post('/v1/pets', { ...REX, name: 'Ben' })
  source.clock.now += 40 * DAY_MS
  await source.patch('/v1/pets/2', { name: 'Mimi' })
  while (await source.service.context.write(changes.removeOldEvents, source.clock.now + 1));
  assert.deepEqual(await namesOf(directory), ['Rex', 'Mia'])

  gateway.answer = undefined
  await hasNames(directory, 'Mimi', 'Ben')
  await isFollowing(directory)
  await source.patch('/v1/pets/2', { name: 'Mia' })
  await hasNames(directory, 'Mia', 'Ben')
})

test('follow remove removes the copies and organizations without keys, and prints the number', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  await source.post('/v1/pets', REX)
  await source.post('/v1/pets', { ...REX, name: 'Mia', organizationId: 2 })
  await directory.post('/v1/pets', { ...REX, name: 'Own', organizationId: undefined })
  await follow('add', gateway.url, '--key', key)
  await hasNames(directory, 'Own', 'Rex', 'Mia')
  const { organizationId } = (await petsOf(directory))[2]
  await makeKey(directory.databaseUrl, { ...UNLIMITED, access: 'write', organizationId })

  assert.match(await follow('remove', gateway.url), /removed 2 animals/)
  await hasNames(directory, 'Own')
  const { body: kept } = await directory.get('/v1/organizations')
  assert.deepEqual(
    kept.map(({ id, source: origin }: { id: number; source?: string }) => [id, origin]),
    [[organizationId, undefined]],
  )
  const { body: updates } = await directory.get('/v1/events?type=organization.updated')
  assert.equal(updates.at(-1)?.organizationId, organizationId)
  await source.post('/v1/pets', { ...REX, name: 'Late' })
  await follow('add', gateway.url, '--key', key)
  await hasNames(directory, 'Own', 'Rex', 'Mia', 'Late')
})

test('two installations that follow each other show every animal once', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  const back = await startGateway(t, directory.port)
  await follow('add', gateway.url, '--key', key)
  await followOf(t, source)('add', back.url, '--key', await makeKey(directory.databaseUrl, UNLIMITED))
  for (const app of [source, directory]) await isFollowing(app)
  await source.post('/v1/pets', { ...REX, name: 'Rex' })
  await hasNames(directory, 'Rex')
  await directory.post('/v1/pets', { ...REX, name: 'Mia', organizationId: undefined })
  await hasNames(source, 'Rex', 'Mia')
  await source.patch('/v1/pets/1', { name: 'Max' })
  await hasNames(directory, 'Max', 'Mia')
  await directory.patch('/v1/pets/2', { name: 'Mimi' })
  await hasNames(source, 'Max', 'Mimi')
  assert.deepEqual(await namesOf(directory), ['Max', 'Mimi'])
  assert.equal((await source.get('/v1/organizations')).body.length, 2)
})

test('follow list shows the reason of each failure of a source, and the source recovers by itself', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  await source.post('/v1/pets', REX)
  await follow('add', gateway.url, '--key', key)
  await hasNames(directory, 'Rex')
  const status =
    (code: number, headers = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(code, headers).end('secret')
  /** Answers with a long list of this name. The other lists have one item. */
  const answerMany = (long: string, length: number) => (response: ServerResponse, path: string) => {
    const items = {
      events: { type: 'category.updated', at: '2026-12-01T00:00:00Z', data: { petId: 1 } },
      pets: { ...REX, id: 1 },
      categories: { id: 1, name: 'Dogs' },
    }
    const [name, item] = Object.entries(items).find(([one]) => path.startsWith(`/v1/${one}`)) ?? []
    response.setHeader('link', `<http://a.example/?after=${'9'.repeat(16)}>; rel="next"`)
    response.end(JSON.stringify(new Array(name === long ? length : 1).fill(item)))
  }
  const failures: [Parameters<typeof fail>[0], RegExp][] = [
    [status(401), /401.*refuses the key/],
    [status(404), /404.*Check the address/],
    [status(429), /429.*business/],
    [status(503), /503/],
    [status(302, { location: 'http://169.254.169.254/' }), /302.*redirects/],
    [(response) => void response.end('<html>'), /not answered as by adoptable/],
    [(response) => void response.end('[null]'), /not answered as by adoptable/],
    [(response) => void response.end('[{"id":"x"}]'), /not answered as by adoptable/],
    [(response) => void response.end('[]'), /not answered as by adoptable/],
    [(response) => void response.end(Buffer.alloc(33 * 1_048_576, ' ')), /more than 32 MB/],
    [(response) => void response.end(`[${'{},'.repeat(300_000)}{}]`), /more than 200000 values/],
    [answerMany('pets', PAGE_SIZE + 1), /\/pets was not answered as by adoptable/],
    [answerMany('categories', 1_001), /\/categories was not answered as by adoptable/],
    [(response) => void response.destroy(), /cannot be reached \(ECONNRESET\)/],
  ]
  const fail = (answer: NonNullable<typeof gateway.answer>) => {
    gateway.answer = answer
  }
  for (const [index, [answer, reason]] of failures.entries()) {
    fail(answer)
    await until(async () => reason.test((await stateOf(directory))?.lastError ?? ''))
    const listed = await follow('list')
    assert.match(listed, /\tfailing\t1\t/)
    assert.ok(reason.test(listed) && !listed.includes('secret'), listed)
    gateway.answer = undefined
    await source.patch('/v1/pets/1', { name: `Rex ${index}` })
    await hasNames(directory, `Rex ${index}`)
    assert.equal((await stateOf(directory))?.state, 'following')
  }
})

test('a revoked key is replaced by follow add with another key; lag grows while a source is silent', async (t) => {
  const measured = { ...ACTING, settings: { ...ACTING.settings, METRICS_PORT: '0' } }
  const { source, directory, gateway, follow, key } = await startPair(t, () => startApp(t, measured))
  const { metricsAddress } = directory.service
  const metrics = async () => {
    const samples = await scrape(metricsAddress)
    return ['up', 'lag_seconds'].map((name) => samples.get(`adoptable_followed_${name}{source="1"}`))
  }
  await source.post('/v1/pets', REX)
  await follow('add', gateway.url, '--key', key)
  await isFollowing(directory)
  assert.equal((await stateOf(directory))?.lagSeconds, 0)
  assert.deepEqual(await metrics(), [1, 0])
  const { write } = source.service.context
  for (const { id } of await keys.list(source.service.context.db))
    if (id > 1) await write(changes.revokeKey, id, 0)
  await until(async () => /401/.test((await stateOf(directory))?.lastError ?? ''))
  await source.patch('/v1/pets/1', { name: 'Max' })
  directory.clock.now += 120_000
  const { lagSeconds = 0 } = (await stateOf(directory)) ?? {}
  assert.ok(lagSeconds >= 120, String(lagSeconds))
  const [isUp, lag = 0] = await metrics()
  assert.ok(isUp === 0 && lag >= 120, `${isUp} ${lag}`)
  const { stdout } = await runCli(t, ['doctor'], { DATABASE_URL: directory.databaseUrl })
  assert.match(stdout, /follow +\S+: failing, .*401/)
  const added = await follow('add', gateway.url, '--key', await makeKey(source.databaseUrl, UNLIMITED))
  assert.match(added, /new key/)
  await hasNames(directory, 'Max')
  await until(async () => (await stateOf(directory))?.lagSeconds === 0)
})

test('an address that is not public, being removed or its own is refused, even after a setting has changed', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  await source.post('/v1/pets', REX)
  await follow('add', gateway.url, '--key', key)
  await isFollowing(directory)
  await directory.stop()
  const { databaseUrl } = directory
  const closed = await startApp(t, {
    databaseUrl,
    settings: { WEBHOOK_ALLOW_NETWORKS: '10.0.0.0/8' },
    followMs: 20,
  })
  await until(async () =>
    /belongs to this machine|not an https/.test((await stateOf(closed))?.lastError ?? ''),
  )
  const add = async (url: string, settings: Record<string, string> = {}) => {
    const sent = { DATABASE_URL: databaseUrl, ...settings }
    const { code, stderr } = await runCli(t, ['follow', 'add', url, '--key', 'k'], sent)
    assert.notEqual(code, 0)
    return stderr
  }
  assert.match(await add('http://127.0.0.1:9'), /https/)
  const own = 'https://pets.example.org'
  assert.match(await add(own, { BASE_URL: `${own}/v1` }), /is this installation/)
  await closed.service.context.write(changes.beginEnding, 1)
  assert.match(await add(gateway.url, ACTING.settings), /is being removed/)
  assert.deepEqual(await namesOf(closed), ['Rex'])
})
