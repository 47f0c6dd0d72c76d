import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../db/change.ts'
import { startPictures } from '../testing/picture-server.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { pauseReader } from '../testing/reader-program.ts'
import { until } from '../testing/redis.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'

const NOBODYS = `/photos/${'b'.repeat(32)}-300.webp`

test('GET /photos/{file} with an unknown name sends no request to the bucket', async (t) => {
  const bucket = await startPictures(t, {})
  const PHOTOS_URL = bucket.at('/bucket').replace('http://', 's3+http://key:secret@')
  const app = await startApp(t, { settings: { PHOTOS_URL, ANONYMOUS_PER_MINUTE: '2' } })

  const statuses = []
  for (let time = 0; time < 4; time += 1) statuses.push((await app.get(NOBODYS)).status)

  assert.deepEqual(statuses, [404, 404, 429, 429])
  assert.deepEqual(
    bucket.requested.filter((url) => url.includes('bbbb')),
    [],
  )
})

test('GET /photos/{file} from an address over its limit gets 429 without a lookup', async (t) => {
  const settings = { TRUST_PROXY: 'loopback', ANONYMOUS_PER_MINUTE: '1' }
  const app = await startApp(t, { key: UNLIMITED, settings })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const pathOf = async (number: number) => {
    const body = await picture({ number })
    const added = await app.request('/v1/pets/1/photos', { method: 'POST', body, headers: JPEG })
    return new URL(added.body.sizes.small).pathname
  }
  const [viewed, other] = [await pathOf(1), await pathOf(2)]
  const ask = async (path: string, number: number) =>
    (await app.get(path, { 'x-forwarded-for': `192.0.2.${number}` })).status
  assert.equal(await ask(viewed, 2), 200)
  assert.deepEqual([await ask(NOBODYS, 1), await ask(NOBODYS, 1)], [404, 429])

  assert.equal(await ask(other, 1), 429, 'whether this photo exists would need a lookup')
  assert.equal(await ask(viewed, 1), 200, 'this photo is known from another address')
  assert.equal(await ask(other, 2), 200)
  app.clock.now += 60_000
  assert.deepEqual([await ask(NOBODYS, 1), await ask(NOBODYS, 1)], [404, 429])
  app.clock.now += 60_000
  assert.deepEqual([await ask(other, 1), await ask(other, 1)], [200, 200])
})

test('GET /photos/{file} for 64 unknown names at once: 16 names are looked up, one request gets 404 and 63 get 429', async (t) => {
  const app = await startApp(t, { settings: { ANONYMOUS_PER_MINUTE: '1' } })
  const executor = app.service.context.db.getExecutor()
  const execute = executor.executeQuery
  const released = Promise.withResolvers<void>()
  let lookups = 0
  executor.executeQuery = async (query, ...more) => {
    if (!query.sql.startsWith('select "hash" from "photo"'))
      return execute.call(executor, query, ...more) as never
    lookups += 1
    await released.promise
    return execute.call(executor, query, ...more) as never
  }
  const pathOf = (number: number): string => `/photos/${String(number).padStart(32, '0')}-300.webp`
  const answers = Array.from({ length: 64 }, (_, number) => app.get(pathOf(number)))
  await until(() => lookups >= 16)
  // At this moment all requests have arrived, and the others wait for a lookup.
  assert.equal((await app.get('/livez')).status, 200)
  released.resolve()

  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [404, ...Array(63).fill(429)])
  assert.equal(lookups, 16)
})

test('GET /photos/{file} for a missing size beyond the limit of the address: 429, and no file is copied', async (t) => {
  const reader = pauseReader(t)
  const app = await startApp(t, { key: UNLIMITED, ownProcesses: true })
  const { context } = app.service
  await context.write(changes.takeJob, 'photo-files', 'the test')
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const paths: string[] = []
  for (let number = 1; number <= 7; number += 1) {
    reader.allow(1)
    const body = await picture({ number })
    const { sizes } = (await app.request('/v1/pets/1/photos', { method: 'POST', body, headers: JPEG })).body
    paths.push(...[sizes.medium, sizes.large, `${sizes.small}?format=jpeg`])
  }
  const { store } = context.photos
  let copies = 0
  const read: typeof store.read = (name, ...span) => {
    if (name.endsWith('-2400.webp')) copies += 1
    return store.read(name, ...span)
  }
  context.photos.store = { ...store, read }

  const statuses: number[] = []
  const answers = paths.map(async (path) => {
    const { pathname, search } = new URL(path)
    statuses.push((await app.get(pathname + search)).status)
  })
  await until(() => statuses.length === 1)
  assert.deepEqual([statuses, copies], [[429], 20])
  reader.allow(20)
  await Promise.all(answers)
  assert.deepEqual(statuses, [429, ...Array(20).fill(200)])
})
