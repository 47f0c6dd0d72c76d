import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdoptableClient, AdoptableError } from './client.ts'
import { startWithFront } from './testing/front.ts'
import { startClient } from './testing/start-client.ts'

const REX = { name: 'Rex', categoryId: 1 }

test('findPet returns one animal with the ETag for ifMatch', async (t) => {
  const { client, app } = await startClient(t)
  const { data: pet } = await client.createPet(REX)
  await client.createPet(REX)

  const found = await client.findPet(pet.id)

  assert.deepEqual(found?.data, pet)
  assert.equal(found.headers.get('deprecation'), null)
  assert.ok(app.log.at(-1)?.includes('"/v1/pets'), app.log.at(-1))
  const { data } = await client.updatePet({ petId: pet.id, name: 'Max' }, { ifMatch: found.etag })
  assert.equal(data.name, 'Max')
  assert.equal(await client.findPet(9), undefined)
  await assert.rejects(client.findPet(1.5), TypeError)
})

test('ifNoneMatch with a current ETag returns notModified and no data', async (t) => {
  const { client } = await startClient(t)
  await client.createPet(REX)
  const [list, one] = [await client.listPets(), await client.findPet(1)]
  assert.equal(list.notModified, false)

  const again = await client.listPets({}, { ifNoneMatch: list.etag })
  assert.deepEqual([again.notModified, again.status, again.data], [true, 304, undefined])
  assert.equal(again.etag, list.etag)
  assert.match(again.requestId ?? '', /./)
  assert.equal((await client.findPet(1, { ifNoneMatch: one?.etag }))?.notModified, true)

  await client.updatePet({ petId: 1, name: 'Max' })
  const changed = await client.findPet(1, { ifNoneMatch: one?.etag })
  assert.equal(changed?.data?.name, 'Max')
  assert.equal((await client.listPets({}, { ifNoneMatch: undefined })).data?.length, 1)
})

test('nextCursor is the cursor of the next page, and is undefined on the last page', async (t) => {
  const { client } = await startClient(t)
  for (let count = 1; count <= 3; count += 1) await client.createPet(REX)

  const first = await client.listPets({ limit: 2 })
  assert.ok(first.nextCursor)
  const last = await client.listPets({ limit: 2, cursor: first.nextCursor })

  assert.deepEqual([last.data.map(({ id }) => id), last.nextCursor], [[1], undefined])
})

test('headers of the client and of a call are sent, but cannot replace the headers that the client sets itself', async (t) => {
  const headers = { 'X-Shop': 'one', 'x-via': 'client', Authorization: 'Bearer other' }
  const { front, client, settings, app } = await startWithFront(t, { headers })
  headers['X-Shop'] = 'changed'

  const mine = { 'X-Via': 'call', 'X-Request-Id': 'mine-1', AUTHORIZATION: 'no', 'Idempotency-Key': 'no' }
  const { requestId } = await client.createPet(REX, { headers: mine, idempotencyKey: 'yes' })
  const error = await client.deletePet({ petId: 9 }, { headers: mine }).catch((caught) => caught)

  const [sent] = front.seen
  const { authorization, 'idempotency-key': once, 'x-shop': shop, 'x-via': via } = sent?.headers ?? {}
  assert.deepEqual([authorization, once, shop, via], [`Bearer ${app.key}`, 'yes', 'one', 'call'])
  assert.ok(error instanceof AdoptableError)
  assert.deepEqual([requestId, error.requestId], ['mine-1', 'mine-1'])
  assert.throws(() => new AdoptableClient({ ...settings, headers: { 'x-a': 'a\nb' } }), TypeError)
})

test('headers added by a proxy do not affect the result', async (t) => {
  const { front, client } = await startWithFront(t, { retries: 0 })
  front.replies.push(
    { status: 201, headers: { link: '<http://[>; rel="next"' }, body: '{}' },
    { status: 400, body: '{ "code": "bad_request", "message": "No.", "details": {} }' },
  )

  assert.equal((await client.createPet(REX)).status, 201)
  await assert.rejects(client.createPet(REX), { code: 'bad_request', message: 'No.' })
})
