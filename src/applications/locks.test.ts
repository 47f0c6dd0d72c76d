import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { changes } from '../changes.ts'
import type { Db } from '../db/tables.ts'
import { copyBatch, type SourceAnimal } from '../follow/copies.ts'
import type { OrderStatus } from '../orders/schema.ts'
import { updateOrganization } from '../organizations/store.ts'
import { addPhoto, deleteOrganization, type NewPhoto, type Owner } from '../photos/store.ts'
import { openStore } from '../testing/import-lines.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { until } from '../testing/redis.ts'
import { updateApplication } from './application-changes.ts'
import { decideOrder } from './order-changes.ts'
import { erasePerson } from './people.ts'
import { deletePet, updatePet } from './pet-changes.ts'

// Two changes of the same rows at the same time, on PostgreSQL: the second change waits for the first one and
// is then decided on what the first one wrote.

const BY = { keyId: 1 }
const EMAIL = 'ada@example.org'
const intent = (id: number) => ({ id, by: BY, now: 2 })
const decision = (id: number) => ({ ...intent(id), keyId: 1, sees: 'all' as const })

async function openShelter(t: TestContext) {
  const url = await scratchDatabase(t)
  const { db, write } = await openStore(t, url)
  await write(changes.insertKey, { name: 'a', plan: 'free', access: 'write' }, '1'.repeat(64), 0)
  const addPet = async (name: string) =>
    (await write(changes.insertPet, { name, categoryId: 1, status: 'available' }, BY, 1)).id
  const petId = await addPet('Rex')
  const watcher = (await openStore(t, url)).db
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return {
    ...{ db, write, petId, addPet },
    /** Runs `first`, then `second`, which waits until the transaction of `first` ends. */
    async run<Result>(first: (db: Db) => Promise<unknown>, second: () => Promise<Result>): Promise<Result> {
      let result: Promise<Result> | undefined
      await db.transaction().execute(async (inside) => {
        await first(inside)
        result = second()
        result.catch(() => undefined)
        await until(async () => (await waiting.execute(watcher)).rows.length > 0)
      })
      return result as Promise<Result>
    },
    pet: (id = petId) =>
      db
        .selectFrom('pet')
        .select(['name', 'external_id', 'profile', 'photos', 'status'])
        .where('id', '=', id)
        .executeTakeFirst(),
  }
}

test('a patch keeps what another patch changed', async (t) => {
  const { run, write, pet, petId } = await openShelter(t)
  const rename = (db: Db) => updatePet(db, { name: 'Max' }, intent(petId))
  await run(rename, () => write(changes.updatePet, { externalId: 'A-1' }, intent(petId)))

  assert.partialDeepStrictEqual(await pet(), { name: 'Max', external_id: 'A-1' })
})

test('If-Match names the version before another patch: precondition_failed', async (t) => {
  const { db, run, write, pet, petId } = await openShelter(t)
  const { version } = await db.selectFrom('pet').select('version').executeTakeFirstOrThrow()
  const own = {
    ...intent(petId),
    conditions: { 'if-match': `"${petId}-${version}"`, view: 'internal' as never },
  }
  const seconds = [() => write(changes.updatePet, { name: 'Rex' }, own), () => write(changes.deletePet, own)]
  for (const [index, second] of seconds.entries()) {
    const rename = (inside: Db) => updatePet(inside, { name: `Max ${index}` }, intent(petId))
    await assert.rejects(run<unknown>(rename, second), { code: 'precondition_failed' })
    assert.equal((await pet())?.name, `Max ${index}`)
  }
})

test('a patch of an animal that another change removed: pet_not_found', async (t) => {
  const { run, write, petId } = await openShelter(t)
  const remove = (db: Db) => deletePet(db, intent(petId))
  const second = run(remove, () => write(changes.updatePet, { name: 'Max' }, intent(petId)))

  await assert.rejects(second, { code: 'pet_not_found' })
})

test('a removal keeps the bond that others have since another change', async (t) => {
  const { run, write, pet, petId, addPet } = await openShelter(t)
  const [second, third] = [await addPet('Max'), await addPet('Kim')]
  await write(changes.updatePet, { bondedWith: [second] }, intent(petId))
  const rebond = (db: Db) => updatePet(db, { bondedWith: [third] }, intent(petId))
  await run(rebond, () => write(changes.deletePet, intent(petId)))

  assert.deepEqual(
    [await pet(), (await pet(second))?.profile, (await pet(third))?.profile],
    [undefined, null, null],
  )
})

test('a bond keeps what another patch changed in its animals', async (t) => {
  const { run, write, pet, petId, addPet } = await openShelter(t)
  const second = await addPet('Max')
  const rename = (db: Db) => updatePet(db, { name: 'Moritz' }, intent(second))
  await run(rename, () => write(changes.updatePet, { bondedWith: [second] }, intent(petId)))

  assert.partialDeepStrictEqual(await pet(second), {
    name: 'Moritz',
    profile: JSON.stringify({ bondedWith: [petId] }),
  })
})

test('the ages of animals that are being changed are not touched', async (t) => {
  const { db, write, pet, petId } = await openShelter(t)
  await write(changes.updatePet, { birthDate: '1969-01-01' }, intent(petId))
  const later = Date.UTC(2026, 0)
  await db.transaction().execute(async (inside) => {
    await updatePet(inside, { name: 'Max' }, intent(petId))
    assert.equal(await write(changes.renewAges, later), false)
  })
  await write(changes.renewAges, later)

  assert.partialDeepStrictEqual(await pet(), {
    name: 'Max',
    profile: JSON.stringify({ birthDate: '1969-01-01', age: 'senior' }),
  })
})

const photo = (digit: string): NewPhoto =>
  ({ hash: digit.repeat(64), digest: digit.repeat(64), width: 8, height: 8 }) as never

test('photos that are added to one animal or organization at the same time are all kept', async (t) => {
  const { db, run, write, petId } = await openShelter(t)
  const { id } = await write(changes.insertOrganization, { name: 'Shelter', email: EMAIL }, 1)
  for (const [index, owner] of (
    [
      { kind: 'pet', id: petId },
      { kind: 'organization', id },
    ] as Owner[]
  ).entries()) {
    const add = (inside: Db) => addPhoto(inside, owner, photo(`${index}`), BY, 2)
    await run(add, () => write(changes.addPhoto, owner, photo(`${index + 2}`), BY, 2))
    const { photos } = await db.selectFrom(owner.kind).select('photos').executeTakeFirstOrThrow()
    assert.equal(JSON.parse(photos ?? '').length, 2)
    // The second of two equal photos is the first one.
    const again = (inside: Db) => addPhoto(inside, owner, photo(`${index + 4}`), BY, 2)
    const { isNew } = await run(again, () => write(changes.addPhoto, owner, photo(`${index + 4}`), BY, 2))
    assert.equal(isNew, false)
  }
})

test('a photo that is added while its owner is removed: pet_not_found, organization_not_found', async (t) => {
  const { run, write, petId } = await openShelter(t)
  const { id } = await write(changes.insertOrganization, { name: 'Shelter', email: EMAIL }, 1)
  const add = (owner: Owner) => () => write(changes.addPhoto, owner, photo('1'), BY, 2)
  await assert.rejects(
    run((db) => deletePet(db, intent(petId)), add({ kind: 'pet', id: petId })),
    { code: 'pet_not_found' },
  )
  await assert.rejects(
    run((db) => deleteOrganization(db, id, 2), add({ kind: 'organization', id })),
    { code: 'organization_not_found' },
  )
})

const traces = (own: { applications?: number[]; animals?: number[] }) => ({
  ...{ email: EMAIL, orders: [], applications: [], petIds: [], animals: [], ...own },
  mentioning: { orders: [], applications: [], results: [] },
})

test('the erasure of a person keeps what a patch changed, and erases what it added', async (t) => {
  const { run, write, pet, petId } = await openShelter(t)
  const change = (db: Db) => updatePet(db, { externalId: 'A-1', name: `Rex of ${EMAIL}` }, intent(petId))
  await run(change, () => write(changes.erasePerson, traces({ animals: [petId] }), 3))

  const after = await pet()
  assert.equal(after?.external_id, 'A-1')
  assert.doesNotMatch(after?.name ?? EMAIL, /ada@/)
})

test('a patch of an organization keeps what another patch changed', async (t) => {
  const { db, run, write } = await openShelter(t)
  const { id } = await write(changes.insertOrganization, { name: 'Shelter', email: EMAIL }, 1)
  const rename = (inside: Db) => updateOrganization(inside, id, { name: 'Haven' }, 2)
  await run(rename, () => write(changes.updateOrganization, id, { phone: '555-0100' }, 3))

  const { profile } = await db.selectFrom('organization').select('profile').executeTakeFirstOrThrow()
  assert.partialDeepStrictEqual(JSON.parse(profile), { name: 'Haven', phone: '555-0100' })
})

test('an organization or animal that is being changed does not delay changes that only refer to it', async (t) => {
  const { db, write, petId } = await openShelter(t)
  const { id } = await write(changes.insertOrganization, { name: 'Shelter', email: EMAIL }, 1)
  await db.transaction().execute(async (inside) => {
    await updateOrganization(inside, id, { name: 'Haven' }, 2)
    await updatePet(inside, { name: 'Max' }, intent(petId))
    await write(changes.insertPet, { name: 'Kim', categoryId: 1, organizationId: id }, BY, 2)
    await write(
      changes.insertApplication,
      { petId, applicant: { name: 'Ada', email: EMAIL } },
      { by: BY, now: 2 },
    )
  })

  assert.equal((await db.selectFrom('application').select('id').execute()).length, 1)
})

test('a copied animal keeps what an erasure changed when another copy of its bond is removed', async (t) => {
  const { db, run, write, pet } = await openShelter(t)
  const source = { url: 'https://source.example', apiKey: 'k', organizationId: undefined }
  const id = await write(changes.insertSource, source, 1)
  await db.updateTable('followed').set({ holder: 'a' }).execute()
  const animal = (sourceId: number, name: string, partner: number): SourceAnimal => ({
    ...{ sourceId, createdAt: 1, category: 'Dog', photos: null, bondedWith: [partner] },
    ...{ pet: { name, categoryId: 1 }, page: `https://source.example/${sourceId}` },
  })
  const animals = [animal(1, 'Kim', 2), animal(2, `Max of ${EMAIL}`, 1)]
  const lease = { id, holder: 'a' }
  await db
    .transaction()
    .execute((inside) => copyBatch(inside, lease, { animals, gone: [], organizations: [], progress: {} }, 2))
  const copies = await db
    .selectFrom('pet')
    .select('id')
    .where('source', 'is not', null)
    .orderBy('id')
    .execute()
  const remaining = copies[1]?.id as number
  const erase = (inside: Db) => erasePerson(inside, traces({ animals: [remaining] }), 3)
  const batch = { animals: [], gone: [1], organizations: [], progress: {} }
  await run(erase, () => write(changes.copyBatch, lease, batch, 4))

  const after = await pet(remaining)
  assert.equal(after?.profile, null)
  assert.doesNotMatch(after?.name ?? EMAIL, /ada@/)
})

async function openAdoption(t: TestContext) {
  const shelter = await openShelter(t)
  const { write, petId } = shelter
  const applicant = { name: 'Ada', email: EMAIL }
  const apply = async () =>
    (await write(changes.insertApplication, { petId, applicant }, { by: BY, now: 1 })).id
  const order = async () => (await write(changes.placeOrder, { petId, adopter: applicant }, BY, 1)).id
  return { ...shelter, apply, order }
}

test('an order is decided on the status that another decision gave it', async (t) => {
  const { run, write, pet, order } = await openAdoption(t)
  const to = (status: OrderStatus, id: number) => (db: Db) => decideOrder(db, status, decision(id))
  const approved = await order()
  await run(to('approved', approved), () => write(changes.decideOrder, 'cancelled', decision(approved)))
  assert.equal((await pet())?.status, 'available')

  const cancelled = await order()
  const again = run(to('cancelled', cancelled), () => write(changes.cancelOrder, decision(cancelled)))
  await assert.rejects(again, { code: 'order_closed' })
  assert.equal((await pet())?.status, 'available')

  const completed = await order()
  await write(changes.decideOrder, 'approved', decision(completed))
  const late = run(to('completed', completed), () => write(changes.cancelOrder, decision(completed)))
  await assert.rejects(late, { code: 'order_closed' })
  assert.equal((await pet())?.status, 'sold')
})

test('an application is decided on the status that another decision or an erasure gave it', async (t) => {
  const { run, write, pet, apply } = await openAdoption(t)
  const firsts = [
    (id: number) => (db: Db) => updateApplication(db, { status: 'declined' }, decision(id)),
    (id: number) => (db: Db) => erasePerson(db, traces({ applications: [id] }), 2),
  ]
  for (const first of firsts) {
    const id = await apply()
    const approve = () => write(changes.updateApplication, { status: 'approved' }, decision(id))
    await assert.rejects(run(first(id), approve), { code: 'application_closed' })
    assert.equal((await pet())?.status, 'available')
  }
})

test('of two applications for one animal, one is approved', async (t) => {
  const { run, write, pet, apply } = await openAdoption(t)
  const [one, other] = [await apply(), await apply()]
  const approve = (db: Db) => updateApplication(db, { status: 'approved' }, decision(one))
  const second = run(approve, () => write(changes.updateApplication, { status: 'approved' }, decision(other)))
  await assert.rejects(second, { code: 'pet_not_available' })
  assert.equal((await pet())?.status, 'pending')
})
