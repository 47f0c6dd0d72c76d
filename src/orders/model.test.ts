import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Answer } from '../testing/client.ts'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'

// Runs random sequences of all operations on the service and on a model of a few maps. After every step,
// compares the state that clients see, and checks invariants.

interface PetState {
  name: string
  categoryId: number
  status: string | undefined
  changes: number
}

interface OrderState {
  petId: number
  status: string
  by: number
}

/** The expected state of the service. Its methods return the expected status, and the code of an error. */
class Model {
  pets = new Map<number, PetState>()
  orders = new Map<number, OrderState>()
  categories = new Set([1, 2])
  nextPet = 1
  nextOrder = 1
  nextCategory = 9

  openOrder = (petId: number) =>
    [...this.orders.values()].find(({ petId: id, status }) => id === petId && isOpen(status))

  addPet(pet: Omit<PetState, 'changes'>): string {
    if (!this.categories.has(pet.categoryId)) return '400 validation_failed'
    this.pets.set(this.nextPet++, { ...pet, changes: 0 })
    return '201'
  }

  patchPet(id: number, patch: Partial<PetState>): string {
    const pet = this.pets.get(id)
    if (!pet) return '404 pet_not_found'
    const moves = patch.status !== undefined && patch.status !== pet.status
    if (moves && this.openOrder(id)) return '409 order_open'
    if (moves && pet.status === 'sold' && patch.status === 'pending') return '409 invalid_status_transition'
    const categoryId = patch.categoryId ?? pet.categoryId
    if (categoryId !== pet.categoryId && !this.categories.has(categoryId)) return '400 validation_failed'
    const name = patch.name ?? pet.name
    if (moves || name !== pet.name || categoryId !== pet.categoryId) pet.changes += 1
    Object.assign(pet, { name, categoryId, status: patch.status ?? pet.status })
    return '200'
  }

  deletePet(id: number): string {
    if (!this.pets.has(id)) return '404 pet_not_found'
    if (this.openOrder(id)) return '409 order_open'
    this.pets.delete(id)
    return '204'
  }

  placeOrder(petId: number, by: number): string {
    const pet = this.pets.get(petId)
    if (!pet) return '404 pet_not_found'
    if (pet.status !== 'available') return '409 pet_not_available'
    this.movePet(pet, 'pending')
    this.orders.set(this.nextOrder++, { petId, status: 'placed', by })
    return '201'
  }

  decideOrder(id: number, status: string, by: number, removal = false): string {
    const order = this.orders.get(id)
    if (!order || (by !== ADMIN && order.by !== by)) return '404 order_not_found'
    if (order.status === status && !removal) return '200'
    if (!isOpen(order.status)) return '409 order_closed'
    const next = order.status === 'placed' ? 'approved' : 'completed'
    if (status !== next && status !== 'cancelled') return '409 invalid_status_transition'
    order.status = status
    const pet = this.pets.get(order.petId)
    if (pet && status !== 'approved') this.movePet(pet, status === 'completed' ? 'sold' : 'available')
    return removal ? '204' : '200'
  }

  deleteCategory(id: number): string {
    if (!this.categories.has(id)) return '404 category_not_found'
    if ([...this.pets.values()].some(({ categoryId }) => categoryId === id)) return '409 category_in_use'
    this.categories.delete(id)
    return '204'
  }

  addCategory(): string {
    this.categories.add(this.nextCategory++)
    return '201'
  }

  private movePet(pet: PetState, status: string): void {
    pet.status = status
    pet.changes += 1
  }
}

const ADMIN = 2
const isOpen = (status: string): boolean => status === 'placed' || status === 'approved'

// Each list has few values, so most steps concern existing data.
const id = fc.integer({ min: 1, max: 4 })
const categoryId = fc.constantFrom(1, 1, 2, 9)
const status = fc.constantFrom('available', 'available', 'pending', 'sold')
const name = fc.constantFrom('Rex', 'Max')
const caller = fc.constantFrom(0, 1, ADMIN)
const newPet = fc.record({ name, categoryId, status: fc.option(status, { nil: undefined, freq: 4 }) })
const patch = fc.record({ name, categoryId, status }, { requiredKeys: [] })
const decision = fc.constantFrom('placed', 'approved', 'completed', 'cancelled')

const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('addPet' as const), newPet, again: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('patchPet' as const), id, patch }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deletePet' as const), id }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('placeOrder' as const), id, caller, again: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('decideOrder' as const), id, decision, caller }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancelOrder' as const), id, caller }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('addCategory' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deleteCategory' as const), categoryId }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const RUNS = 2
const STEPS = 60

/** The animals at the start of every sequence. */
const FIRST = Array(3).fill({ name: 'Rex', categoryId: 1, status: 'available' } as const)

test('after random sequences of all operations, responses and state match the reference model', async (t) => {
  const property = fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
    const { perform, look, stop } = await startClient(t)
    const model = new Model()
    for (const pet of FIRST) {
      await perform({ kind: 'addPet', newPet: pet, again: false })
      model.addPet(pet)
    }
    for (const next of steps) {
      assert.equal(await perform(next), expect(model, next), JSON.stringify(next))
      check(model, await look())
    }
    await stop()
  })
  await fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true })
})

function expect(model: Model, next: Step): string {
  switch (next.kind) {
    case 'addPet':
      return model.addPet(next.newPet)
    case 'patchPet':
      return model.patchPet(next.id, next.patch)
    case 'deletePet':
      return model.deletePet(next.id)
    case 'placeOrder':
      return model.placeOrder(next.id, next.caller)
    case 'decideOrder':
      return model.decideOrder(next.id, next.decision, next.caller)
    case 'cancelOrder':
      return model.decideOrder(next.id, 'cancelled', next.caller, true)
    case 'addCategory':
      return model.addCategory()
    case 'deleteCategory':
      return model.deleteCategory(next.categoryId)
  }
}

/** Starts a service with two categories and three keys. The last one is an admin key. */
async function startClient(t: Parameters<typeof startApp>[0]) {
  const app = await startApp(t, { key: UNLIMITED })
  const keys = [app.key, await makeKey(app.databaseUrl, UNLIMITED)]
  keys.push(await makeKey(app.databaseUrl, { ...UNLIMITED, access: 'admin' }))
  let retries = 0
  const send = async (by: number, method: string, path: string, body?: unknown, again = false) => {
    const headers: Record<string, string> = { authorization: `Bearer ${keys[by]}` }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (again) headers['idempotency-key'] = `retry-${++retries}`
    const answer = await app.request(`/v1${path}`, { method, headers, body })
    if (again) assertSame(await app.request(`/v1${path}`, { method, headers, body }), answer)
    return `${answer.status} ${answer.status < 400 ? '' : answer.body.code}`.trim()
  }
  for (const id of [3, 4, 5, 6, 7, 8]) await send(ADMIN, 'DELETE', `/categories/${id}`)
  const adopter = { name: 'Ada', email: 'ada@example.org' }

  function perform(next: Step): Promise<string> {
    switch (next.kind) {
      case 'addPet':
        return send(0, 'POST', '/pets', next.newPet, next.again)
      case 'patchPet':
        return send(1, 'PATCH', `/pets/${next.id}`, next.patch)
      case 'deletePet':
        return send(0, 'DELETE', `/pets/${next.id}`)
      case 'placeOrder':
        return send(next.caller, 'POST', '/store/orders', { petId: next.id, adopter }, next.again)
      case 'decideOrder':
        return send(next.caller, 'PATCH', `/store/orders/${next.id}`, { status: next.decision })
      case 'cancelOrder':
        return send(next.caller, 'DELETE', `/store/orders/${next.id}`)
      case 'addCategory':
        return send(ADMIN, 'POST', '/categories', { name: `Category ${++retries}` })
      case 'deleteCategory':
        return send(ADMIN, 'DELETE', `/categories/${next.categoryId}`)
    }
  }

  async function look() {
    const get = async (path: string) =>
      (await app.get(`/v1${path}`, { authorization: `Bearer ${keys[ADMIN]}` })).body
    const pets: { id: number }[] = await get('/pets?sort=id&limit=100')
    const changes = await Promise.all(pets.map(async ({ id }) => (await get(`/pets/${id}/history`)).length))
    const [orders, categories, inventory] = [
      await get('/store/orders?limit=100'),
      await get('/categories'),
      await get('/inventory'),
    ]
    return { pets, changes, orders, categories, inventory }
  }
  return { perform, look, stop: app.stop }
}

/** Checks a repeated request with the same Idempotency-Key. */
function assertSame(again: Answer, { status, text }: Answer): void {
  assert.deepEqual([again.status, again.text], [status, text])
  assert.equal(again.headers['idempotent-replayed'], status < 300 ? 'true' : undefined)
}

// biome-ignore lint/suspicious/noExplicitAny: the response, whatever its shape
function check(model: Model, { pets, changes, orders, categories, inventory }: Record<string, any>): void {
  const expected = [...model.pets].map(([id, pet]) => ({ id, ...pet }))
  assert.deepEqual(
    pets.map((pet: object, place: number) => ({ status: undefined, ...pet, changes: changes[place] })),
    expected,
  )
  assert.deepEqual(
    orders.map(({ id, petId, status }: OrderState & { id: number }) => ({ id, petId, status })).reverse(),
    [...model.orders].map(([id, { petId, status }]) => ({ id, petId, status })),
  )
  assert.deepEqual(
    categories.map(({ id }: { id: number }) => id),
    [...model.categories],
  )
  const open = orders.filter(({ status }: OrderState) => isOpen(status)).map(({ petId }: OrderState) => petId)
  assert.equal(new Set(open).size, open.length, 'an animal has two open orders')
  for (const petId of open) assert.equal(model.pets.get(petId)?.status, 'pending')
  const count = (category: number | undefined, expectedStatus: string | undefined) =>
    expected.filter((pet) => pet.status === expectedStatus && (category ?? pet.categoryId) === pet.categoryId)
      .length
  const counts = (category?: number) => ({
    available: count(category, 'available'),
    pending: count(category, 'pending'),
    sold: count(category, 'sold'),
    unlisted: count(category, undefined),
  })
  assert.deepEqual(inventory, {
    overall: counts(),
    categories: [...model.categories].map((categoryId) => ({ categoryId, ...counts(categoryId) })),
  })
}
