import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { Kysely } from 'kysely'
import { NodeSqliteDialect } from '../db/dialect.ts'
import { migrate } from '../db/migrate.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { insertKey } from '../keys/store.ts'
import type { OrderStatus } from '../orders/schema.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'
import { cancelOrder, decideOrder, placeOrder } from './order-changes.ts'
import { insertPet } from './pet-changes.ts'

const NOW = Date.UTC(2026, 11, 1)
const ADOPTER = { name: 'Ada', email: 'ada@example.org' }
const OPEN: OrderStatus[] = ['placed', 'approved']
const CLOSED: OrderStatus[] = ['completed', 'cancelled']

/** Opens a store with two keys and an available animal, and functions that change its orders. */
async function openBook(t: TestContext) {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true })
  const db: Db = new Kysely({ dialect: new NodeSqliteDialect(database) })
  t.after(() => db.destroy())
  await migrate(db, 'sqlite')
  const make = (name: string) => insertKey(db, { name, plan: 'free', access: 'write' }, name.repeat(64), 0)
  const [keyId, stranger] = [await make('a'), await make('b')]
  const { id: petId } = await insertPet(db, { name: 'Rex', categoryId: 1, status: 'available' }, { keyId }, 0)
  let now = NOW
  const by = (id: number) => ({ id, keyId, sees: 'placed' as const, now })
  const statusOf = async (table: 'pet' | 'adoption_order', id: number) =>
    (await db.selectFrom(table).select('status').where('id', '=', id).executeTakeFirstOrThrow()).status
  const book = {
    ...{ db, petId, by, stranger },
    place: (id: number = petId) => {
      now += 1_000
      return placeOrder(db, { petId: id, adopter: ADOPTER }, { keyId }, now)
    },
    decide: (id: number, status: OrderStatus | undefined) => {
      now += 1_000
      return decideOrder(db, status, by(id))
    },
    cancel: (id: number) => cancelOrder(db, by(id)),
    /** Places an order for the animal and brings it to a status. */
    async orderOf(status: OrderStatus): Promise<number> {
      const { id } = await book.place()
      if (status === 'approved' || status === 'completed') await book.decide(id, 'approved')
      if (status !== 'placed' && status !== 'approved') await book.decide(id, status)
      return id
    },
    /** The statuses of the animal and of the order. */
    statuses: async (id: number) => [await statusOf('pet', petId), await statusOf('adoption_order', id)],
    history: async () => {
      const rows = await db
        .selectFrom('pet_change')
        .select(['at', 'key_id', 'changes'])
        .orderBy('id')
        .execute()
      return rows.map(({ at, key_id, changes }) => ({ at, keyId: key_id, changes }))
    },
  }
  return book
}

const refused = (code: string, message?: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error))
  assert.equal(error.code, code)
  if (message !== undefined) assert.equal(error.message, message)
  return true
}

test('placeOrder makes the animal pending and records that in its history', async (t) => {
  const { place, statuses, history, petId } = await openBook(t)
  const order = await place()

  assert.deepEqual(order, {
    id: order.id,
    petId,
    status: 'placed',
    placedAt: new Date(NOW + 1_000).toISOString(),
    adopter: ADOPTER,
  })
  assert.deepEqual(await statuses(order.id), ['pending', 'placed'])
  const changes = '{"status":{"from":"available","to":"pending"}}'
  assert.deepEqual(await history(), [{ at: NOW + 1_000, keyId: 1, changes }])
})

test('placeOrder rejects a pending animal with pet_not_available, and an unknown animal with pet_not_found', async (t) => {
  const { place, db } = await openBook(t)
  await place()

  await assert.rejects(place(), refused('pet_not_available'))
  await assert.rejects(place(99), refused('pet_not_found'))
  assert.equal((await db.selectFrom('adoption_order').select('id').execute()).length, 1)
})

/** Allowed transitions of an order, and the status of the animal after each. */
const ALLOWED: [OrderStatus, OrderStatus, string][] = [
  ['placed', 'approved', 'pending'],
  ['placed', 'cancelled', 'available'],
  ['approved', 'completed', 'sold'],
  ['approved', 'cancelled', 'available'],
]

test('decideOrder with an allowed status also sets the status of the animal', async (t) => {
  for (const [from, to, pet] of ALLOWED) {
    const { orderOf, decide, statuses, history } = await openBook(t)
    const id = await orderOf(from)
    const earlier = (await history()).length
    const after = await decide(id, to)

    assert.equal(after.status, to)
    assert.deepEqual(await statuses(id), [pet, to])
    const news = (await history()).slice(earlier).map(({ at, changes }) => ({ at, changes }))
    const changes = `{"status":{"from":"pending","to":"${pet}"}}`
    const at = Date.parse(after.decidedAt ?? '')
    assert.deepEqual(news, pet === 'pending' ? [] : [{ at, changes }])
  }
})

test('decideOrder with the same status or without a status changes nothing', async (t) => {
  for (const status of [...OPEN, ...CLOSED]) {
    const { orderOf, decide, statuses, history } = await openBook(t)
    const id = await orderOf(status)
    const before = { order: await decide(id, undefined), statuses: await statuses(id), all: await history() }

    assert.equal(before.order.status, status)
    assert.deepEqual(await decide(id, status), before.order)
    assert.deepEqual(await statuses(id), before.statuses)
    assert.deepEqual(await history(), before.all)
  }
})

test('decideOrder with an impossible status: invalid_status_transition that names the possible statuses', async (t) => {
  for (const [from, to, message] of [
    [
      'placed',
      'completed',
      'This order is placed; from there it can become approved or cancelled, not completed.',
    ],
    [
      'approved',
      'placed',
      'This order is approved; from there it can become completed or cancelled, not placed.',
    ],
  ] as const) {
    const { orderOf, decide, statuses } = await openBook(t)
    const id = await orderOf(from)

    await assert.rejects(decide(id, to), refused('invalid_status_transition', message))
    assert.deepEqual(await statuses(id), ['pending', from])
  }
})

test('decideOrder and cancelOrder reject a closed order with order_closed', async (t) => {
  for (const from of CLOSED) {
    const { orderOf, decide, cancel, statuses } = await openBook(t)
    const id = await orderOf(from)
    const before = await statuses(id)

    for (const to of [...OPEN, ...CLOSED].filter((status) => status !== from)) {
      await assert.rejects(decide(id, to), refused('order_closed'))
    }
    await assert.rejects(cancel(id), refused('order_closed'))
    assert.deepEqual(await statuses(id), before)
  }
})

test('cancelOrder makes the animal available for the next order', async (t) => {
  for (const from of OPEN) {
    const { orderOf, cancel, statuses } = await openBook(t)
    const id = await orderOf(from)
    await cancel(id)

    assert.deepEqual(await statuses(id), ['available', 'cancelled'])
    assert.deepEqual(await statuses(await orderOf('placed')), ['pending', 'placed'])
  }
})

test('decideOrder and cancelOrder reject an unknown order and another key’s order with order_not_found', async (t) => {
  const { db, by, orderOf, decide, cancel, stranger, statuses } = await openBook(t)
  const id = await orderOf('placed')
  const strange = { ...by(id), keyId: stranger }

  for (const attempt of [
    () => decide(99, 'approved'),
    () => cancel(99),
    () => decideOrder(db, 'approved', strange),
    () => decideOrder(db, undefined, strange),
    () => cancelOrder(db, strange),
  ]) {
    await assert.rejects(attempt(), refused('order_not_found'))
  }
  assert.deepEqual(await statuses(id), ['pending', 'placed'])
  assert.equal((await decideOrder(db, 'approved', { ...strange, sees: 'all' as const })).status, 'approved')
})

test('POST /v1/store/orders with a repeated animal: 400, and no animal changes', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  for (const name of ['Rex', 'Max']) await app.post('/v1/pets', { name, categoryId: 1, status: 'available' })
  await app.patch('/v1/pets/1', { bondedWith: [2] })
  const order = (...alsoPetIds: number[]) =>
    app.post('/v1/store/orders', { petId: 1, alsoPetIds, adopter: ADOPTER })

  const { status, body } = await order(2, 2)

  assert.deepEqual([status, body.code, body.details[0].pointer], [400, 'validation_failed', '/alsoPetIds/1'])
  assert.equal((await app.get('/v1/pets/2')).body.status, 'available')
  assert.deepEqual((await order(2)).body.alsoPetIds, [2])
})
