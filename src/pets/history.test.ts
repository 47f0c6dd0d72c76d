import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openForCommand } from '../db/open-database.ts'
import { browseAs } from '../testing/console.ts'
import { type Headers, startNetwork } from '../testing/network.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { startConsole } from '../testing/staffed.ts'
import { UNLIMITED } from '../testing/start-app.ts'
import { findHistory } from './history.ts'

// The history shows private and removed data only to the organization that wrote it.

/** Private members, each of which is added and removed again. */
const REMOVED = {
  contact: { name: 'Takenoff Contact', email: 'takenoff@example.org', phone: '06-takenoff' },
  description: 'Ask takenoff in the yellow house.',
  place: { city: 'Takenoffdorp', latitude: 52.123_456, longitude: 5.654_321 },
  videos: ['https://takenoff.example/film'],
  staff: { notes: 'Takenoff notes', intakeNote: 'takenoff from Ada' },
}
const LEAK = /takenoff|52\.12|5\.65/i

type Network = Awaited<ReturnType<typeof startNetwork>>

const changesSeenBy = async ({ get }: Network, caller: Headers): Promise<Record<string, unknown>[]> =>
  (await get('/v1/pets/1/history', caller)).body.map(({ changes }: { changes: object }) => changes)

async function startWithRemoved(t: TestContext): Promise<Network> {
  const app = await startNetwork(t)
  const { post, patch, callers } = app
  await post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId: 1 })
  for (const [member, value] of Object.entries(REMOVED)) {
    assert.equal((await patch('/v1/pets/1', { [member]: value }, callers.ownWrite)).status, 200)
    assert.equal((await patch('/v1/pets/1', { [member]: null }, callers.ownWrite)).status, 200)
  }
  return app
}

test('removed private members remain only in the history, hidden from read keys and other organizations', async (t) => {
  const app = await startWithRemoved(t)
  const { callers, get, patch } = app
  await patch('/v1/pets/1', { status: 'available' }, callers.ownWrite)

  const paths = [
    ...['/v1/pets/1/history', '/v1/pets/1', '/v1/pets', '/v1/pets/facets?field=tags'],
    ...['/v1/pets/1/photos', '/', '/animals/1', '/feed.xml', '/sitemap.xml'],
  ]
  for (const name of ['read', 'ownRead', 'otherRead', 'otherWrite'] as const) {
    for (const path of paths) {
      const { text, headers } = await get(path, callers[name])
      assert.doesNotMatch(text + JSON.stringify(headers), LEAK, `${name} ${path}`)
    }
    assert.deepEqual((await get('/v1/pets?q=takenoff', callers[name])).body, [])
    assert.deepEqual(await changesSeenBy(app, callers[name]), [{ status: { to: 'available' } }])
  }
  for (const name of ['ownWrite', 'write', 'admin'] as const) {
    const changes = await changesSeenBy(app, callers[name])
    assert.equal(changes.length, 11, name)
    assert.deepEqual(changes.at(-1), { contact: { to: REMOVED.contact } })
    assert.deepEqual(changes.at(-2), { contact: { from: REMOVED.contact } })
  }
})

test('alt texts of changed or removed photos are visible only to their organization', async (t) => {
  const app = await startNetwork(t)
  const { post, callers, get, request } = app
  await post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId: 1 })
  const sent = { method: 'POST', body: await picture(), headers: { ...JPEG, ...callers.ownWrite } }
  const { body } = await request('/v1/pets/1/photos', sent)
  const path = `/v1/pets/1/photos/${body.id}`
  assert.equal((await app.patch(path, { alt: 'Takenoff with Rex' }, callers.ownWrite)).status, 200)
  assert.equal((await request(path, { method: 'DELETE', headers: callers.ownWrite })).status, 204)

  assert.match((await get('/v1/pets/1/history', callers.ownWrite)).text, LEAK)
  for (const name of ['ownRead', 'otherRead', 'otherWrite'] as const)
    assert.deepEqual(await changesSeenBy(app, callers[name]), [], name)
})

test('moving an animal to another organization leaves its private members and their history with the first one', async (t) => {
  const app = await startWithRemoved(t)
  const { callers, get, patch } = app
  const { place, staff } = REMOVED
  await patch('/v1/pets/1', { place, staff, description: 'Good dog.' }, callers.ownWrite)

  const moved = await patch('/v1/pets/1', {
    organizationId: 2,
    description: 'At two.',
    staff: { kennel: 'Z9' },
  })

  assert.deepEqual([moved.status, moved.body.staff], [200, { kennel: 'Z9' }])
  const { body, text } = await get('/v1/pets/1', callers.otherWrite)
  assert.deepEqual(body.place, { city: 'Takenoffdorp', latitude: 52.12, longitude: 5.65 })
  assert.doesNotMatch(text, /notes|takenoff from|52\.123/i)
  assert.deepEqual(await changesSeenBy(app, callers.otherWrite), [
    { description: { to: 'At two.' }, place: { to: body.place }, staff: { to: { kennel: 'Z9' } } },
    { organizationId: { from: 1, to: 2 } },
  ])
  const left = await changesSeenBy(app, callers.ownWrite)
  assert.deepEqual(left[0], {
    organizationId: { from: 1, to: 2 },
    description: { from: 'Good dog.' },
    place: { from: place },
    staff: { from: staff },
  })
  assert.equal(left.length, 12)
  await patch('/v1/pets/1', { staff: { notes: 'Of two.' } }, callers.otherWrite)
  assert.equal((await changesSeenBy(app, callers.ownWrite)).length, 12)
  assert.doesNotMatch((await get('/v1/pets/1', callers.ownWrite)).text, /Z9|Of two/)

  // Moving the animal out of all organizations and back does not move private data either.
  await patch('/v1/pets/1', { organizationId: null })
  await patch('/v1/pets/1', { organizationId: 1 })
  assert.doesNotMatch((await get('/v1/pets/1', callers.ownWrite)).text, /Z9|Of two/)
  assert.doesNotMatch((await get('/v1/pets/1/history', callers.ownWrite)).text, /Z9|Of two|At two/)
})

test('replaying a request after the animal moved shows the old private members only to the first organization', async (t) => {
  const { callers, post, patch } = await startNetwork(t)
  const headers = { 'idempotency-key': 'once' }
  const animal = { name: 'Rex', categoryId: 1, ...REMOVED }
  const add = (caller: Headers) => post('/v1/pets', animal, { ...caller, ...headers })
  await add(callers.ownWrite)
  const change = (caller: Headers) =>
    patch('/v1/pets/1', { staff: { notes: 'Takenoff!' } }, { ...caller, ...headers })
  assert.equal((await change(callers.ownWrite)).status, 200)
  await patch('/v1/pets/1', {
    organizationId: 2,
    contact: null,
    description: null,
    place: null,
    videos: null,
  })

  assert.match((await change(callers.ownWrite)).text, LEAK)
  const others = await patch('/v1/pets/1', {}, { ...callers.otherWrite, ...headers })
  assert.deepEqual([others.status, others.headers['idempotent-replayed']], [200, undefined])
  assert.doesNotMatch(others.text, LEAK)
})

test('the console shows private changes only to staff of the shelter that made them, even after a move', async (t) => {
  const { app, join } = await startConsole(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (const code of ['UT1', 'CO2']) await app.post('/v1/organizations', { code, name: code })
  const one = await join({ email: 'one@example.org', name: 'One', role: 'staff', organizationId: 1 })
  const two = await join({ email: 'two@example.org', name: 'Two', role: 'staff', organizationId: 2 })
  const page = async ({ token }: { token: string }, path: string) =>
    (await browseAs(app, token).get(path)).text
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId: 1 })
  await app.patch('/v1/pets/1', { staff: { notes: 'Takenoff notes' } })
  await app.patch('/v1/pets/1', { contact: REMOVED.contact })
  assert.match(await page(one, '/console/animals/1'), LEAK)
  assert.match(await page(one, '/console/'), /Staff notes/)
  await app.patch('/v1/pets/1', { organizationId: 2, contact: null })

  for (const path of ['/console/', '/console/animals/1', '/console/animals'])
    for (const person of [one, two]) assert.doesNotMatch(await page(person, path), LEAK)
  assert.doesNotMatch(await page(two, '/console/'), /Staff notes/)
})

/**
 * Adds a change that every caller may see, and then `count` changes of 120 KB that only organization 1 may
 * see.
 */
async function startWithLongHistory(t: TestContext, count: number): Promise<Network> {
  const app = await startNetwork(t)
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId: 1 })
  await app.patch('/v1/pets/1', { status: 'available' })
  const [from, to] = ['犬', '猫'].map((character) => character.repeat(20_000))
  const changes = JSON.stringify({ description: { from, to } })
  const change = { pet_id: 1, organization_id: 1, at: app.clock.now, key_id: 1, changes }
  const store = await openForCommand(app.databaseUrl)
  for (let added = 0; added < count; added += 50)
    await store.db.insertInto('pet_change').values(Array(50).fill(change)).execute()
  await store.close()
  return app
}

// Other requests wait while a statement reads, so no statement reads many changes.

for (const { title, count, name, view, visible } of [
  {
    title: 'a long history, of which the newest two megabytes are sent,',
    count: 100,
    name: 'ownWrite',
    view: 'organization:1',
    visible: 50,
  },
  {
    title: 'a long history that the caller may not see',
    count: 500,
    name: 'read',
    view: 'public',
    visible: 1,
  },
] as const)
  test(`${title} is read ten changes at a time`, async (t) => {
    const app = await startWithLongHistory(t, count)
    const store = await openForCommand(app.databaseUrl)
    t.after(store.close)
    const sizes: number[] = []
    const db = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        sizes.push(result.rows.length)
        return result
      },
    })
    const found = await findHistory(db, 1, view)

    assert.equal(found?.length, visible)
    assert.ok(Math.max(...sizes) <= 10, `rows of a statement: ${sizes}`)
    const { body } = await app.get('/v1/pets/1/history', app.callers[name])
    assert.deepEqual(body, JSON.parse(JSON.stringify(found)))
  })
