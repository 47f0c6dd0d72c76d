import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextCursor } from './answer.ts'
import { answered, startClient } from './testing/start-client.ts'

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

test('an iteration requests each page only when needed, and never from another host', async (t) => {
  // The service's BASE_URL is pets.example, which does not exist.
  const { app, client } = await startClient(t)
  for (let count = 1; count <= 7; count += 1) {
    await client.createPet({ name: `Pet ${count}`, categoryId: 1, ...(count % 2 && { status: 'available' }) })
  }

  const found = await collect(client.pets({ status: 'available', limit: 2 }))
  assert.deepEqual(
    found.map(({ id }) => id),
    [7, 5, 3, 1],
  )
  assert.equal(answered(app, 200), 2)

  for await (const { id } of client.pets({ limit: 3 })) if (id === 5) break
  assert.equal(answered(app, 200), 3)
  assert.deepEqual(await client.pets({ status: 'sold' }).next(), { done: true, value: undefined })
})

test('with sort=id an iteration returns each animal once, including animals added during the iteration', async (t) => {
  const { client } = await startClient(t)
  for (let count = 1; count <= 5; count += 1) await client.createPet({ name: `${count}`, categoryId: 1 })

  const met: number[] = []
  for await (const { id } of client.pets({ sort: 'id', limit: 2 })) {
    met.push(id)
    if (id <= 3) await client.createPet({ name: 'late', categoryId: 1 })
  }

  assert.deepEqual(met, [1, 2, 3, 4, 5, 6, 7, 8])
})

test('an empty page that is not the last page is requested again after growing pauses', async (t) => {
  const pages = [[1], [], [], [2], [], []]
  const fetch = async () => {
    const ids = pages.shift() ?? []
    const link = pages.length > 0 ? '</v1/pets?cursor=c>; rel="next"' : '</v1/pets>; rel="first"'
    return Response.json(
      ids.map((id) => ({ id })),
      { headers: { link } },
    )
  }
  const { client, waits } = await startClient(t, { client: { fetch } })

  const met = await collect(client.pets({ sort: 'id' }))

  assert.deepEqual(
    met.map(({ id }) => id),
    [1, 2],
  )
  assert.deepEqual(waits, [250, 500, 250])
})

test('an iteration without a limit requests pages of 100 animals and keeps the id filter', async (t) => {
  const { app, client } = await startClient(t)
  for (let count = 1; count <= 101; count += 1) await client.createPet({ name: `${count}`, categoryId: 1 })
  const id = Array.from({ length: 50 }, (_, at) => 2 * at + 1)

  assert.equal((await collect(client.pets())).length, 101)
  assert.equal(answered(app, 200), 2)
  const some = await collect(client.pets({ id, sort: 'id', limit: 20 }))
  assert.deepEqual(
    some.map((pet) => pet.id),
    id,
  )
})

test('orders() yields the orders of all pages', async (t) => {
  const { client } = await startClient(t)
  for (let petId = 1; petId <= 3; petId += 1) {
    await client.createPet({ name: 'Rex', categoryId: 1, status: 'available' })
    await client.createOrder({ petId, adopter: { name: 'Zoë', email: 'zoe@example.org' } })
  }

  const orders = await collect(client.orders({ status: 'placed', limit: 1 }))

  assert.deepEqual(
    orders.map(({ petId }) => petId),
    [3, 2, 1],
  )
})

test('applications() yields the applications of all pages', async (t) => {
  const { client } = await startClient(t)
  const { data: pet } = await client.createPet({ name: 'Rex', categoryId: 1, status: 'available' })
  const applicant = { name: 'Zoë', email: 'zoe@example.org' }
  for (let count = 1; count <= 3; count += 1) await client.createApplication({ petId: pet.id, applicant })
  const { data } = await client.updateApplication({ applicationId: 2, status: 'declined', reply: 'Sorry.' })

  const open = await collect(client.applications({ status: 'received', limit: 1 }))

  assert.deepEqual(
    [data.reply, (await client.getApplication({ applicationId: 2 })).data.status],
    ['Sorry.', 'declined'],
  )
  assert.deepEqual(
    open.map(({ id }) => id),
    [3, 1],
  )
})

test('nextCursor is read from every form of Link header', () => {
  const cursorIn = (link: string) => nextCursor(new Headers({ link }))

  assert.equal(
    cursorIn('<http://x/v1/pets>; rel="first", <http://x/v1/pets?limit=2&cursor=a%2Bb>; rel="next"'),
    'a+b',
  )
  assert.equal(cursorIn('</v1/pets?cursor=c,d>; title="more"; rel=next'), 'c,d')
  assert.equal(cursorIn('<http://x/v1/pets?cursor=a>; rel="first"'), undefined)
  assert.equal(cursorIn('<http://x/v1/pets>; rel="nextish"'), undefined)
  assert.equal(nextCursor(new Headers()), undefined)
})
