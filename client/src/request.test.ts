import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { startWithFront } from './testing/front.ts'
import { startClient } from './testing/start-client.ts'

test('requests bypass all caches', async (t) => {
  const { front, client } = await startWithFront(t)

  await client.listPets()
  await client.listPets()

  assert.deepEqual(
    front.seen.map(({ headers }) => headers['cache-control']),
    ['no-cache', 'no-cache'],
  )
})

test('an invalid id is a TypeError, and nothing is sent', async (t) => {
  const { client, app } = await startClient(t)
  const sent = app.log.length
  const wrong: unknown[] = [0, -1, 1.5, Number.NaN, Infinity, 2 ** 53, '7', '', 7n, true, {}, [[7]], null]

  for (const value of wrong) {
    const id = value as number
    const refused = (name: string) => ({ name: 'TypeError', message: new RegExp(`^${name} `) })
    await assert.rejects(client.getPet({ petId: id }), refused('petId'))
    await assert.rejects(client.cancelOrder({ orderId: id }), refused('orderId'))
    await assert.rejects(client.updatePet({ petId: 1, categoryId: id }), refused('categoryId'))
    await assert.rejects(client.createPet({ name: 'A', categoryId: id }), refused('categoryId'))
    await assert.rejects(client.listPets({ id: [1, id] }), refused('id'))
    await assert.rejects(client.listOrders({ petId: id }), refused('petId'))
    await assert.rejects(client.pets({ categoryId: id }).next(), refused('categoryId'))
  }
  await assert.rejects(client.getPet({ petId: 1.5 }), { message: 'petId must be an integer from 1, not 1.5' })
  assert.equal(app.log.length, sent)
})

test('updatePet with organizationId null removes the animal from its organization', async (t) => {
  const { client } = await startClient(t, { key: { ...UNLIMITED, access: 'admin' } })
  const { data: organization } = await client.createOrganization({ name: 'Harbour Cats' })
  const { data: pet } = await client.createPet({
    name: 'Rex',
    categoryId: 1,
    organizationId: organization.id,
  })

  const { data: changed } = await client.updatePet({ petId: pet.id, organizationId: null })

  assert.equal(pet.organizationId, organization.id)
  assert.equal(changed.organizationId, undefined)
})
