import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { DESCRIPTION } from '../generate.ts'
import { AdoptableClient, AdoptableError } from './client.ts'
import { startFront, startWithFront } from './testing/front.ts'
import { limited, startClient } from './testing/start-client.ts'

const ADMIN = { access: 'admin', plan: 'enterprise', limits: { perMinute: 1e9, perDay: 1e9 } } as const

/** Matches an error with this code and status. */
function failure(code: AdoptableError['code'], status: number) {
  return (error: unknown) =>
    error instanceof AdoptableError && error.code === code && error.status === status && error.message !== ''
}

test('every operation of openapi.json except the stream is a method with its operation id', () => {
  const ids = Object.values(DESCRIPTION.paths).flatMap((path) => Object.values(path))
  assert.ok(ids.length >= 17)
  for (const { operationId } of ids)
    if (operationId !== 'streamEvents') assert.ok(operationId in AdoptableClient.prototype, operationId)
})

test('an animal is created, found, changed, read with history and removed; each response has all JSON members', async (t) => {
  const { client, app } = await startClient(t, { key: limited(100) })

  const added = await client.createPet({ name: 'Rex', categoryId: 1, status: 'available' })
  assert.deepEqual(added.data, { id: 1, name: 'Rex', categoryId: 1, status: 'available' })
  assert.equal(added.status, 201)
  assert.match(added.etag ?? '', /^".+"$/)
  assert.match(added.requestId ?? '', /./)
  const reset = Math.floor(app.clock.now / 1000) + 60
  assert.deepEqual(added.rateLimit, { limit: 100, remaining: 99, reset })

  const found = await client.getPet({ petId: 1 })
  assert.equal(found.etag, added.etag)
  assert.match(found.headers.get('deprecation') ?? '', /^@\d+$/)
  const changed = await client.updatePet({ petId: 1, name: 'Max' }, { ifMatch: found.etag })
  assert.deepEqual(changed.data, { ...added.data, name: 'Max' })
  await assert.rejects(
    client.updatePet({ petId: 1, name: 'Ben' }, { ifMatch: found.etag }),
    failure('precondition_failed', 412),
  )
  const [change] = (await client.listPetChanges({ petId: 1 })).data
  assert.deepEqual(change?.changes.name, { from: 'Rex', to: 'Max' })
  const removed = await client.deletePet({ petId: 1 }, { ifMatch: changed.etag })
  assert.deepEqual([removed.status, removed.data], [204, undefined])
  await assert.rejects(client.getPet({ petId: 1 }), failure('pet_not_found', 404))
})

test('list filters are sent in the query, with one parameter for each id', async (t) => {
  const { client } = await startClient(t)
  for (const name of ['A', 'B', 'C']) await client.createPet({ name, categoryId: 2, status: 'available' })

  const { data } = await client.listPets({ id: [1, 3], status: 'available', categoryId: 2, sort: 'id' })

  assert.deepEqual(
    data.map(({ name }) => name),
    ['A', 'C'],
  )
})

test('categories, orders and inventory work', async (t) => {
  const { client } = await startClient(t, { key: ADMIN })

  const { data: category } = await client.createCategory({ name: 'Alpaca', description: 'Woolly.' })
  const categoryId = category.id
  await client.updateCategory({ categoryId, description: null })
  assert.deepEqual((await client.getCategory({ categoryId })).data, { id: categoryId, name: 'Alpaca' })
  const { data: pet } = await client.createPet({ name: 'Dolly', categoryId, status: 'available' })
  const adopter = { name: 'Zoë', email: 'zoe@example.org' }
  const { data: order } = await client.createOrder({ petId: pet.id, adopter })
  const orderId = order.id
  assert.equal((await client.updateOrder({ orderId, status: 'approved' })).data.status, 'approved')
  assert.equal((await client.getInventory()).data.overall.pending, 1)
  assert.deepEqual((await client.getOrder({ orderId })).data.adopter, adopter)
  await client.cancelOrder({ orderId })
  assert.equal((await client.listOrders({ status: 'cancelled', petId: pet.id })).data.length, 1)
  await client.deletePet({ petId: pet.id })
  await client.deleteCategory({ categoryId })
  assert.equal((await client.listCategories()).data.length, 8)
})

test('an error lists every problem of the request and has the request id', async (t) => {
  const { client, app } = await startClient(t)

  const error: unknown = await client.createPet({ name: '', categoryId: 99 }).catch((caught) => caught)

  assert.ok(error instanceof AdoptableError)
  assert.deepEqual([error.code, error.status, error.retryAfter], ['validation_failed', 400, undefined])
  assert.deepEqual(error.details.map(({ pointer }) => pointer).sort(), ['/categoryId', '/name'])
  assert.ok(app.log.some((line) => line.includes(error.requestId ?? 'none')))
})

test('an invalid key is an error, and neither the error nor the client shows the key', async (t) => {
  const { settings } = await startClient(t)
  const key = `adopt_live_${'0'.repeat(35)}`
  const client = new AdoptableClient({ ...settings, key })

  const error = await client.listPets().catch((caught) => caught)

  assert.ok(failure('invalid_api_key', 401)(error))
  assert.ok(!inspect([client, error], { depth: 9, showHidden: true }).includes(key))
})

test('invalid parameters are rejected before a request is sent', async (t) => {
  const { settings, client } = await startClient(t)

  assert.throws(() => new AdoptableClient({ ...settings, key: '' }), TypeError)
  const twoLines = () => new AdoptableClient({ ...settings, key: 'adopt_live_a\n' })
  assert.throws(twoLines, (error: Error) => error instanceof TypeError && !error.message.includes('adopt_'))
  // @ts-expect-error: petId is missing
  await assert.rejects(client.deletePet({}), new TypeError('petId is missing'))
  await assert.rejects(client.listPets({ id: [] }), new TypeError('id is empty'), 'not all animals')
  await assert.rejects(client.createPet({ name: 'A', categoryId: 1 }, { idempotencyKey: 'a\nb' }), TypeError)
})

test('an invalid baseUrl throws a TypeError that says which URLs are valid', async () => {
  for (const baseUrl of [
    'pets',
    '/v1',
    '127.0.0.1:8080',
    '127.0.0.1:8080/v1',
    'localhost:8080/v1',
    'ftp://pets.example.org/v1',
    'http://127.0.0.1:8080',
    'http://127.0.0.1:8080/v1/pets',
    'http://127.0.0.1:8080/?to=/v1',
    'http://127.0.0.1:8080/#/v1',
    undefined as unknown as string,
  ]) {
    assert.throws(() => new AdoptableClient({ baseUrl, key: 'secret' }), {
      name: 'TypeError',
      message: 'baseUrl must be an http(s) URL that ends in /v1, such as https://pets.example.org/v1',
    })
  }
  for (const baseUrl of ['https://pets.example.org/v1', 'http://[::1]/api/v1//', new URL('http://x/v1')]) {
    new AdoptableClient({ baseUrl, key: 'secret' })
  }
})

test('a response from another server fails with unexpected_answer', async (t) => {
  const { settings, app } = await startClient(t)
  const front = await startFront(t, app.port)
  const client = new AdoptableClient({ ...settings, baseUrl: `${front.baseUrl}/` })
  for (const status of [200, 404]) {
    front.replies.push({ status, body: '<html>' })
    await assert.rejects(client.listPets(), failure('unexpected_answer', status))
  }
  assert.equal(front.seen.length, 2)
})

test('redirects are not followed, so the key goes to no other URL', async (t) => {
  const { app, front, client } = await startWithFront(t, { retries: 0 })
  const other = await startFront(t, app.port)
  front.replies.push({ status: 307, headers: { location: `${other.baseUrl}/pets` } })

  await assert.rejects(client.listPets(), failure('connection_failed', 0))
  assert.equal(other.seen.length, 0)
})
