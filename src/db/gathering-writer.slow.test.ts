import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { changes, gathered } from '../changes.ts'
import { toStored } from '../pets/store.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { startProxy } from '../testing/proxy.ts'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'
import { gatheringWriter } from './gathering-writer.ts'
import { openPostgres } from './postgres.ts'

// Creates that wait together are one transaction on PostgreSQL, and each of them is answered as if it were alone.

const REX = { name: 'Rex', categoryId: 1, status: 'available' } as const
type NewPet = Parameters<(typeof changes)['insertPet']>[1]

/** The writer alone, with a key that adds animals; all that is written in one turn is one group. */
async function openWriter(t: TestContext, { url, committed }: { url?: string; committed?: () => void } = {}) {
  const direct = url ?? (await scratchDatabase(t))
  await makeKey(direct)
  const db = openPostgres(direct, { connections: 5, patient: true })
  const writer = gatheringWriter(db, changes, gathered, committed)
  t.after(writer.close)
  const { id } = await db.selectFrom('api_key').select('id').executeTakeFirstOrThrow()
  const pets = () => db.selectFrom('pet').select(['id', 'name']).orderBy('id').execute()
  return {
    db,
    pets,
    names: async () => (await pets()).map(({ name }) => name),
    add: async (pet: NewPet) => toStored(await writer.write('insertPet', pet, { keyId: id }, 0)),
    addOnce: (key: string, pet: NewPet) =>
      writer.writeOnce(onceOf(key, pet), 'insertPet', pet, { keyId: id }, 0),
  }
}

const onceOf = (key: string, pet: NewPet) => ({
  scope: hash('sha256', key),
  fingerprint: hash('sha256', JSON.stringify(pet)),
  now: 0,
})

/** In how many transactions the animals came. */
async function transactionsOf({ db }: Pick<Awaited<ReturnType<typeof openWriter>>, 'db'>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(distinct xmin::text) from pet`.execute(db)
  return rows[0]?.count ?? 0
}

const named = (count: number): NewPet[] =>
  Array.from({ length: count }, (_, index) => ({ ...REX, name: `Rex ${index}` }))
const turn = () => new Promise(setImmediate)

test('animals that wait together come in one transaction, in their order, each with its own answer', async (t) => {
  const writer = await openWriter(t)
  const pets: NewPet[] = named(50).map((pet, index) => ({ ...pet, categoryId: 1 + (index % 8) }))
  const profiled: NewPet = {
    ...REX,
    birthDate: '1960-01-01',
    place: { city: 'A "b"\\, {c}' },
    tags: ['é', 'NULL'],
  }
  const added = await Promise.all([...pets, profiled, { name: 'Unlisted', categoryId: 2 }].map(writer.add))

  assert.equal(await transactionsOf(writer), 1)
  const stored = added.map(({ pet }) => ({ id: pet.id, name: pet.name }))
  assert.deepEqual(await writer.pets(), stored)
  assert.deepEqual(
    stored.map(({ id }) => id),
    stored.map((_, index) => 1 + index),
  )
  assert.deepEqual(
    added.map(({ pet }) => pet.categoryId).slice(0, 50),
    pets.map(({ categoryId }) => categoryId),
  )
  assert.equal(new Set(added.map(({ etag }) => etag)).size, 52)
  const alone = await writer.add(profiled)
  assert.deepEqual({ ...added[50]?.pet, id: 0 }, { ...alone.pet, id: 0 })
  assert.equal(alone.pet.age, 'senior')
})

test('one that is refused in a group leaves the others, and uses up no id', async (t) => {
  const writer = await openWriter(t)
  const nobody: NewPet = { ...REX, name: 'Nobody', categoryId: 99 }
  const unsound: NewPet = { ...REX, name: 'Unsound', birthDateExact: true }
  const answers = await Promise.allSettled([REX, nobody, REX, unsound, REX].map(writer.add))

  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  assert.deepEqual(
    refused.map(({ code, details }) => [code, details[0].pointer]),
    [
      ['validation_failed', '/categoryId'],
      ['validation_failed', '/birthDateExact'],
    ],
  )
  assert.deepEqual(
    (await writer.pets()).map(({ id }) => id),
    [1, 2, 3],
  )
  assert.equal(await transactionsOf(writer), 1)
})

test('what the store itself does not take fails alone, and the others of its group are added', async (t) => {
  const writer = await openWriter(t)
  const long: NewPet = { ...REX, name: 'x'.repeat(201) }
  const answers = await Promise.allSettled([...named(3), long, ...named(3)].map(writer.add))

  const failed = answers.map((answer) => answer.status === 'rejected' && answer.reason.code)
  assert.deepEqual(failed, [false, false, false, '23514', false, false, false])
  assert.equal((await writer.pets()).length, 6)
})

test('an Idempotency-Key twice in one group adds one animal, and both get it', async (t) => {
  const writer = await openWriter(t)
  const nobody: NewPet = { ...REX, categoryId: 99 }
  const [first, other, second, reused, plain, refused] = await Promise.allSettled([
    writer.addOnce('a', REX),
    writer.addOnce('b', REX),
    writer.addOnce('a', REX),
    writer.addOnce('a', { ...REX, name: 'Tom' }),
    writer.add(REX),
    writer.addOnce('c', nobody),
  ])

  assert.ok(first.status === 'fulfilled' && second.status === 'fulfilled' && other.status === 'fulfilled')
  assert.deepEqual([first.value.replayed, second.value.replayed], [false, true])
  assert.deepEqual(second.value.result, JSON.parse(JSON.stringify(first.value.result)))
  assert.notEqual(other.value.result[1], first.value.result[1])
  assert.equal(reused.status === 'rejected' && reused.reason.code, 'idempotency_key_reused')
  assert.equal(refused.status === 'rejected' && refused.reason.code, 'validation_failed')
  assert.equal(plain.status, 'fulfilled')
  assert.equal((await writer.pets()).length, 3)
  assert.equal(await transactionsOf(writer), 1)

  // In a later group: what was kept is there, and who was refused may try again.
  const [again, mended] = await Promise.all([writer.addOnce('b', REX), writer.addOnce('c', REX)])
  assert.deepEqual(again, { result: JSON.parse(JSON.stringify(other.value.result)), replayed: true })
  assert.equal(mended.replayed, false)
  assert.equal((await writer.db.selectFrom('idempotency').select('scope').execute()).length, 3)
})

for (const [moment, stored] of [
  ['insert into "pet"', [0]],
  // The server may have it: all of them or none.
  ['commit', [0, 20]],
] as const) {
  test(`a connection that breaks at ${moment} fails its whole group with 503, and never a part of it`, async (t) => {
    const direct = new URL(await scratchDatabase(t))
    const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
    const writer = await openWriter(t, {
      url: Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` }).href,
    })
    let cuts = 0
    let writing: unknown
    proxy.onSend = (bytes, line) => {
      if (bytes.includes('insert into "pet"')) writing = line
      return line === writing && bytes.includes(moment) && cuts++ === 0
    }
    const answers = await Promise.allSettled(named(20).map(writer.add))

    assert.equal(cuts, 1)
    for (const answer of answers)
      assert.equal(answer.status === 'rejected' && answer.reason.code, 'service_unavailable')
    assert.equal((await Promise.all(named(20).map(writer.add))).length, 20)
    const rest = (await writer.pets()).length - 20
    assert.ok((stored as readonly number[]).includes(rest), `${rest} of those that failed are stored`)
  })
}

test('nobody is answered before the commit, and before it was told that there was one', async (t) => {
  let told = 0
  const url = await scratchDatabase(t)
  const committed = () => {
    told += 1
  }
  const writer = await openWriter(t, { url, committed })
  const beside = openPostgres(url, { connections: 1, patient: true })
  t.after(() => beside.destroy())
  await Promise.all(
    named(20).map(async (pet) => {
      const { pet: added } = await writer.add(pet)
      assert.equal(told, 1)
      assert.ok(await beside.selectFrom('pet').select('id').where('id', '=', added.id).executeTakeFirst())
    }),
  )
})

test('groups that wait for a lock do not hold up who comes after them', async (t) => {
  const url = await scratchDatabase(t)
  const writer = await openWriter(t, { url })
  // Ended with its database, should the test fail.
  const other = new pg.Client(url).on('error', () => undefined)
  await other.connect()
  await other.query('begin')
  await other.query('select from category where id = 1 for update')
  const held: Promise<unknown>[] = []
  for (let group = 0; group < 2; group += 1) {
    held.push(writer.add(REX))
    await turn()
  }
  const since = performance.now()
  await writer.add({ ...REX, categoryId: 2 })
  assert.ok(performance.now() - since < 800)
  await other.query('rollback')
  await Promise.all(held)
  await other.end()
})

test('1,000 creates at once are 1,000 animals with ids of their own, and counted right', async (t) => {
  const databaseUrl = await scratchDatabase(t)
  const app = await startApp(t, { databaseUrl, key: UNLIMITED })
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) =>
      app.post('/v1/pets', { ...REX, name: `Rex ${index}`, categoryId: 1 + (index % 2) }),
    ),
  )

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  const ids = answers.map(({ body }) => body.id).sort((one, two) => one - two)
  assert.deepEqual(
    ids,
    Array.from({ length: 1_000 }, (_, index) => 1 + index),
  )
  const db = openPostgres(databaseUrl, { connections: 1 })
  t.after(() => db.destroy())
  const stored = await db.selectFrom('pet').select(['id', 'name']).execute()
  const byId = new Map(stored.map(({ id, name }) => [id, name]))
  for (const { body } of answers) assert.equal(byId.get(body.id), body.name)
  const counted = await sql`select category_id as category, sum(pets)::int as pets from inventory
    where status = 'available' group by category_id order by category_id`.execute(db)
  assert.deepEqual(counted.rows, [
    { category: 1, pets: 500 },
    { category: 2, pets: 500 },
  ])
  const transactions = await transactionsOf({ db })
  assert.ok(transactions < 1_000, `${transactions} transactions`)
})
