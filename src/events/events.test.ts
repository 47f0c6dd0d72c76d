import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findPerson } from '../applications/people.ts'
import { changes } from '../db/change.ts'
import { jobs } from '../jobs.ts'
import { type Answer, assertError } from '../testing/client.ts'
import { signIn } from '../testing/console.ts'
import { doJobs } from '../testing/jobs.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { runCli } from '../testing/process.ts'
import { makeKey, type Options, scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'
import type { Event } from './schema.ts'

const DAY_MS = 86_400_000
const APPLICANT = { name: 'Ada Applicant', email: 'ada@example.org' }

async function startWithTwo(t: TestContext, options: Options = {}) {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' }, ...options })
  for (const code of ['A1', 'B2']) await app.post('/v1/organizations', { name: code, code })
  const read = async (query = '', key = app.key): Promise<Event[]> =>
    (await app.get(`/v1/events${query}`, { authorization: `Bearer ${key}` })).body
  const types = async (query = '', key = app.key) => (await read(query, key)).map(({ type }) => type)
  return { ...app, read, types }
}

const nextOf = (headers: Answer['headers']): string =>
  new URL(/<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1] ?? '').search

test('GET /v1/events lists each change of an animal with its version, changed members and statuses', async (t) => {
  const { post, patch, get, read, request } = await startWithTwo(t)
  const next = nextOf((await get('/v1/events?after=latest')).headers)
  const created = await post('/v1/pets', {
    name: 'Rex',
    categoryId: 1,
    organizationId: 1,
    status: 'available',
  })
  const renamed = await patch('/v1/pets/1', { name: 'Max', description: 'Shy.' })
  const sold = await patch('/v1/pets/1', { status: 'sold', tags: ['old'] })
  await patch('/v1/pets/1', { status: 'sold' })
  await request('/v1/pets/1', { method: 'DELETE' })

  const at = '2026-12-01T00:00:00.000Z'
  const events = (await read(next)).map(({ id: _, ...event }) => event)
  assert.deepEqual(events, [
    { type: 'pet.created', at, organizationId: 1, data: { petId: 1, version: created.headers.etag } },
    {
      ...{ type: 'pet.updated', at, organizationId: 1 },
      data: { petId: 1, version: renamed.headers.etag, changed: ['name', 'description'] },
    },
    {
      ...{ type: 'pet.status_changed', at, organizationId: 1 },
      data: {
        ...{ petId: 1, version: sold.headers.etag, status: { from: 'available', to: 'sold' } },
        changed: ['status', 'tags'],
      },
    },
    { type: 'pet.deleted', at, organizationId: 1, data: { petId: 1 } },
  ])
})

test('GET /v1/events lists changes of categories, organizations, photos, orders and applications', async (t) => {
  const { post, patch, request, types, read } = await startWithTwo(t)
  const { body: category } = await post('/v1/categories', { name: 'Alpacas' })
  await patch(`/v1/categories/${category.id}`, { name: 'Llamas' })
  await request(`/v1/categories/${category.id}`, { method: 'DELETE' })
  await patch('/v1/organizations/2', { hours: { monday: '9 to 5' } })
  await request('/v1/organizations/2', { method: 'DELETE' })
  const pet = { name: 'Rex', categoryId: 1, organizationId: 1, status: 'available' }
  for (const name of ['Rex', 'Mia']) await post('/v1/pets', { ...pet, name })
  const photo = { method: 'POST', body: await picture(), headers: JPEG }
  const { body: added } = await request('/v1/pets/1/photos', photo)
  await patch(`/v1/pets/1/photos/${added.id}`, { alt: 'Asleep' })
  await request(`/v1/pets/1/photos/${added.id}`, { method: 'DELETE' })
  const adopter = { name: 'Ada', email: 'ada@example.org' }
  await post('/v1/store/orders', { petId: 1, adopter })
  for (const status of ['approved', 'completed']) await patch('/v1/store/orders/1', { status })
  for (let times = 0; times < 2; times += 1)
    await post('/v1/applications', { petId: 2, applicant: APPLICANT })
  await patch('/v1/applications/1', { status: 'approved' })
  await patch('/v1/applications/1', { status: 'withdrawn' })
  await patch('/v1/pets/2', { status: 'sold' })

  assert.deepEqual((await types()).slice(2), [
    ...['category.created', 'category.updated', 'category.deleted'],
    ...['organization.updated', 'organization.deleted'],
    ...['pet.created', 'pet.created', 'photo.added', 'pet.updated', 'photo.removed'],
    ...['pet.status_changed', 'order.placed', 'order.approved', 'order.completed', 'pet.status_changed'],
    ...['application.received', 'application.received'],
    ...['application.decided', 'pet.status_changed', 'order.placed', 'order.approved'],
    ...['order.cancelled', 'application.decided', 'pet.status_changed', 'application.decided'],
    ...['pet.status_changed', 'application.decided'],
  ])
  const decided = await read('?type=application.decided')
  assert.deepEqual(
    decided.map(({ data }) => [data.applicationId, data.status]),
    [
      [1, { from: 'received', to: 'approved' }],
      [1, { from: 'approved', to: 'in_review' }],
      [1, { from: 'in_review', to: 'withdrawn' }],
      [2, { to: 'declined' }],
    ],
  )
  assert.doesNotMatch(JSON.stringify(await read()), /Ada|ada@|Rex|Mia|Asleep/)
})

test('GET /v1/events shows only events of data that the key may see', async (t) => {
  const { post, patch, types, databaseUrl, get } = await startWithTwo(t)
  const next = nextOf((await get('/v1/events?after=latest')).headers)
  for (const organizationId of [1, 2]) {
    await post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId, status: 'available' })
    await patch(`/v1/pets/${organizationId}`, { staff: { kennel: 'K1' } })
    await post('/v1/applications', { petId: organizationId, applicant: APPLICANT })
  }
  const all = ['pet.created', 'pet.updated', 'application.received']
  const key = (access: 'read' | 'write', organizationId?: number) =>
    makeKey(databaseUrl, { ...UNLIMITED, access, ...(organizationId !== undefined && { organizationId }) })

  assert.deepEqual(await types(next), [...all, ...all])
  assert.deepEqual(await types(next, await key('write', 1)), [...all, 'pet.created'])
  assert.deepEqual(await types(next, await key('read', 1)), ['pet.created', 'pet.created'])
  assert.deepEqual(await types(next, await key('read')), ['pet.created', 'pet.created'])
  const withoutPeople = ['pet.created', 'pet.updated', 'pet.created', 'pet.updated']
  assert.deepEqual(await types(next, await key('write')), withoutPeople)
})

test('GET /v1/events always links a next page, which continues without gap or repetition', async (t) => {
  const { post, get } = await startWithTwo(t)
  for (let number = 0; number < 5; number += 1)
    await post('/v1/pets', { name: `Pet ${number}`, categoryId: 1 })
  const found: number[] = []
  let query = '?limit=2&type=pet.created&type=pet.deleted'
  for (let page = 0; page < 4; page += 1) {
    const { body, headers } = await get(`/v1/events${query}`)
    found.push(...body.map(({ data }: Event) => data.petId))
    query = nextOf(headers)
    assert.match(query, /^\?limit=2&type=pet.created&type=pet.deleted&after=\d{16}$/)
  }
  assert.deepEqual(found, [1, 2, 3, 4, 5])
  assert.deepEqual((await get(`/v1/events${query}`)).body, [])

  await post('/v1/pets', { name: 'Pet 5', categoryId: 1 })
  assert.deepEqual(
    (await get(`/v1/events${query}`)).body.map(({ data }: Event) => data.petId),
    [6],
  )
})

test('erasing a person adds an event for each changed animal and application', async (t) => {
  const { post, get, read, service } = await startWithTwo(t)
  const { name, email } = APPLICANT
  const contact = { name, email }
  await post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId: 1, status: 'available', contact })
  await post('/v1/applications', { petId: 1, applicant: APPLICANT })
  const next = nextOf((await get('/v1/events?after=latest')).headers)
  const { db, write, clock } = service.context
  const { orders, applications, animals, mentioning } = await findPerson(db, email)
  const ids = (rows: { id: number }[]) => rows.map(({ id }) => id)
  await write(
    changes.erasePerson,
    {
      ...{ email, orders: ids(orders), applications: ids(applications), petIds: [1], mentioning },
      animals: animals.map(({ petId }) => petId),
    },
    clock(),
  )

  const { etag } = (await get('/v1/pets/1')).headers
  assert.deepEqual(
    (await read(next)).map(({ type, data }) => ({ type, ...data })),
    [
      { type: 'application.decided', applicationId: 1, petId: 1, status: { to: 'withdrawn' } },
      { type: 'pet.updated', petId: 1, version: etag },
    ],
  )
})

test('a change that is refused or rolled back leaves no event', async (t) => {
  const { post, patch, get, types } = await startWithTwo(t)
  await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', externalId: '1' })
  const next = nextOf((await get('/v1/events?after=latest')).headers)

  assert.equal((await post('/v1/pets', { name: 'Mia', categoryId: 1, externalId: '1' })).status, 409)
  assert.equal((await post('/v1/pets', { name: 'Mia', categoryId: 77 })).status, 400)
  assert.equal((await patch('/v1/pets/1', { name: '' })).status, 400)
  assert.equal((await post('/v1/store/orders', { petId: 9, adopter: APPLICANT })).status, 404)
  assert.deepEqual(await types(next), [])
})

test('events are removed after EVENT_DAYS; GET /v1/events?after= with an older id gets 410', async (t) => {
  const { post, get, service, clock, types } = await startWithTwo(t)
  const before = nextOf((await get('/v1/events?after=latest')).headers)
  await post('/v1/pets', { name: 'Old', categoryId: 1 })
  const between = nextOf((await get('/v1/events?after=latest')).headers)
  clock.now += 30 * DAY_MS
  await post('/v1/pets', { name: 'New', categoryId: 1 })
  clock.now += 1
  while (await service.context.write(changes.removeOldEvents, clock.now - 30 * DAY_MS));

  assertError(await get(`/v1/events${before}`), 410, 'events_expired', 'GET /v1/events')
  assert.deepEqual(await types(between), ['pet.created'])
  assert.deepEqual(await types(), ['pet.created'])
})

test('GET /v1/events?after= with an id after the newest event, as after a restore, gets 410', async (t) => {
  const { get } = await startWithTwo(t)

  assertError(await get('/v1/events?after=0000000000099999'), 410, 'events_expired', 'GET /v1/events')
  for (const after of ['7', '-1', 'now', '00000000000000000'])
    assertError(await get(`/v1/events?after=${after}`), 400, 'invalid_parameter', after)
})

test('GET /v1/events shows a reader each event of 8 simultaneous writers once, in the order of ids', async (t) => {
  const { post, get } = await startWithTwo(t)
  let query = nextOf((await get('/v1/events?after=latest')).headers)
  let isWriting = true
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let number = 0; number < 10; number += 1)
      await post('/v1/pets', { name: `${writer} ${number}`, categoryId: 1 })
  })
  const written = Promise.all(writers).finally(() => {
    isWriting = false
  })
  const seen: Event[] = []
  for (let isLast = false; !isLast; ) {
    isLast = !isWriting
    const { body, headers } = await get(`/v1/events${query}`)
    seen.push(...body)
    query = nextOf(headers)
  }
  await written

  assert.equal(new Set(seen.map(({ data }) => data.petId)).size, 80)
  const ids = seen.map(({ id }) => id)
  assert.deepEqual(ids, [...new Set(ids)].toSorted())
})

test('an import, a job, the console and commands leave events like the API', async (t) => {
  // The command that erases waits for a job of the service.
  const app = await startWithTwo(t, { jobs })
  await app.post('/v1/pets', { name: 'Mia', categoryId: 1, birthDate: '2025-12-05' })
  const next = nextOf((await app.get('/v1/events?after=latest')).headers)
  const file = join(scratchFolder(t), 'pets.csv')
  const settings = { DATABASE_URL: app.databaseUrl }
  const importFile = async (name: string) => {
    writeFileSync(file, `no,name,category,status\nA,${name},Dog,available\n`)
    const args = ['import', file, '--update', 'no', '--key', '1']
    const { code, stderr } = await runCli(t, args, settings)
    assert.equal(code, 0, stderr)
  }
  await importFile('Rex')
  await importFile('Max')
  app.clock.now += 10 * DAY_MS
  await doJobs(app.service.context)
  const ana = await signIn(app, { role: 'admin' })
  await ana.fill('/console/animals/2', { name: 'Ben' })
  await app.post('/v1/applications', { petId: 2, applicant: APPLICANT })
  const { code, stderr } = await runCli(t, ['people', 'erase', '--email', APPLICANT.email], settings)
  assert.equal(code, 0, stderr)

  const events = (await app.read(next)).map(({ type, data: { petId, changed } }) => [type, petId, changed])
  assert.deepEqual(events, [
    ['pet.created', 2, undefined],
    ['pet.updated', 2, ['name']],
    ['pet.updated', 1, ['age']],
    ['pet.updated', 2, ['name']],
    ['application.received', 2, undefined],
    ['application.decided', 2, undefined],
  ])
})

test('an animal that moves to another organization: the former one sees a removal, and nothing else', async (t) => {
  const { post, patch, get, read, databaseUrl } = await startWithTwo(t)
  await post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId: 1, status: 'available' })
  const next = nextOf((await get('/v1/events?after=latest')).headers)
  const { headers } = await patch('/v1/pets/1', { organizationId: 2, staff: { kennel: 'K1' } })
  const key = (access: 'read' | 'write', organizationId?: number) =>
    makeKey(databaseUrl, { ...UNLIMITED, access, ...(organizationId !== undefined && { organizationId }) })
  const seenBy = async (bearer?: string) =>
    (await read(next, bearer)).map(({ type, organizationId, data }) => ({ type, organizationId, ...data }))

  const changed = ['organizationId']
  const left = { type: 'pet.deleted', organizationId: 1, petId: 1, changed }
  // The version of what everyone may see.
  const version = String(headers.etag).replace('.all', '')
  const moved = { type: 'pet.updated', organizationId: 2, petId: 1, version, changed }
  assert.deepEqual(await seenBy(), [left, moved])
  assert.deepEqual(await seenBy(await key('write', 1)), [left, moved])
  assert.deepEqual(await seenBy(await key('write', 2)), [moved])
  assert.deepEqual(await seenBy(await key('read')), [moved])
})
