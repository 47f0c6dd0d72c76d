import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { changes } from '../db/change.ts'
import { BY_ID, importText, lines, openStore, type Store } from '../testing/import-lines.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { scratchStore } from '../testing/start-app.ts'

const ENGINES = [
  ['SQLite', scratchStore],
  ['PostgreSQL', scratchDatabase],
] as const

/** Organizations 1 and 2, each with a key of its own, and an operator's key. */
async function startShelters(store: Store) {
  const keyOf = async (name: string, organizationId?: number) => {
    const key = { name, plan: 'free', access: 'write', organizationId } as const
    return Number(await store.write(changes.insertKey, key, name.padEnd(64, '0'), 0))
  }
  for (const code of ['CO1', 'UT2']) await store.write(changes.insertOrganization, { code, name: code }, 0)
  return { one: await keyOf('one', 1), other: await keyOf('other', 2), operator: await keyOf('operator') }
}

/** The animals in the store by id. */
async function animalsIn({ db }: Store): Promise<string[]> {
  const rows = await db
    .selectFrom('pet')
    .select(['name', 'status', 'organization_id'])
    .orderBy('id')
    .execute()
  return rows.map(({ name, status, organization_id }) => [name, status, organization_id ?? '-'].join(' '))
}

const dog = (id: number, name: string, others = {}) => ({
  id,
  name,
  category: 'Dog',
  status: 'available',
  ...others,
})

for (const [engine, storeIn] of ENGINES) {
  test(`on ${engine}, two shelters use the same ids: each has its own animals`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, other } = await startShelters(store)
    const ours = lines(dog(1, 'Rex'), dog(2, 'Bella'))
    const theirs = lines(dog(1, 'Milo'), dog(2, 'Luna'))
    await importText(store, ours, { ...BY_ID, keyId: one })

    const tried = await importText(store, theirs, { ...BY_ID, keyId: other, dryRun: true })
    assert.deepEqual([tried.added, tried.reasons], [2, []])
    assert.equal((await importText(store, theirs, { ...BY_ID, keyId: other, update: false })).added, 2)
    const changed = lines(dog(1, 'Milo II'))
    const synced = await importText(store, changed, { ...BY_ID, keyId: other, removed: 'sold' })

    assert.deepEqual([synced.updated, synced.removed, synced.reasons], [1, 1, []])
    const all = ['Rex available 1', 'Bella available 1', 'Milo II available 2', 'Luna sold 2']
    assert.deepEqual(await animalsIn(store), all)
  })

  test(`on ${engine}, a file without ids imported by one shelter is new for another shelter`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, other } = await startShelters(store)
    const file = lines({ name: 'Rex', category: 'Dog' })
    for (const keyId of [one, other]) assert.equal((await importText(store, file, { keyId })).added, 1)

    for (const keyId of [one, other]) {
      const { added, unchanged } = await importText(store, file, { keyId })
      assert.deepEqual([added, unchanged], [0, 1])
    }
    assert.equal((await importText(store, file, { keyId: one, again: true })).added, 1)
  })

  test(`on ${engine}, a shelter and an operator each update animals that the other imported`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, other, operator } = await startShelters(store)
    const network = (...names: [string, string]) =>
      lines(dog(1, names[0], { organization: 'CO1' }), dog(2, names[1], { organization: 'UT2' }))
    await importText(store, network('Rex', 'Milo'), { ...BY_ID, keyId: operator })
    // Ids imported by an operator have no owner, like all ids imported by earlier versions.
    const { rows } = await sql`select 1 from pet_source where organization_id is null`.execute(store.db)
    assert.equal(rows.length, 2)

    await importText(store, lines(dog(1, 'Rex II')), { ...BY_ID, keyId: one, removed: 'sold' })
    await importText(store, lines(dog(2, 'Bella')), { ...BY_ID, keyId: one })
    await importText(store, lines(dog(3, 'Luna')), { ...BY_ID, keyId: other })
    const named = { ...BY_ID, keyId: operator, organization: 'UT2' }
    await importText(store, lines(dog(3, 'Luna II')), named)
    await importText(store, network('Rex III', 'Milo II'), { ...BY_ID, keyId: operator })
    await importText(store, lines(dog(3, 'Luna III', { organization: 'UT2' })), {
      ...BY_ID,
      keyId: operator,
    })

    assert.deepEqual(await animalsIn(store), [
      'Rex III available 1',
      'Milo II available 2',
      'Bella available 1',
      'Luna III available 2',
    ])
  })

  test(`on ${engine}, a moved animal is not changed by a file of its former shelter`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, operator } = await startShelters(store)
    await importText(store, lines(dog(1, 'Rex')), { ...BY_ID, keyId: one })
    await sql`update pet set organization_id = 2`.execute(store.db)

    for (const whose of [{ keyId: one }, { keyId: operator, organization: 'CO1' }]) {
      const again = await importText(store, lines(dog(1, 'Max')), { ...BY_ID, ...whose })
      assert.deepEqual(again.reasons, [
        '1: It was imported before, but no longer belongs to this organization.',
      ])
      const photographed = { ...dog(2, 'Bella'), photos: 'https://photos.example/1.jpg' }
      const without = await importText(store, lines(photographed), { ...BY_ID, ...whose, removed: 'sold' })
      assert.equal(without.removed, 0)
    }
    assert.deepEqual(await animalsIn(store), ['Rex available 2', 'Bella available 1'])
  })

  test(`on ${engine}, a file with ids and names of another shelter is imported`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, other } = await startShelters(store)
    const file = lines(dog(1, 'Rex'))
    await importText(store, file, { keyId: one })

    const again = { ...BY_ID, mayHaveOwnIds: true }
    assert.equal((await importText(store, file, { ...again, keyId: other })).added, 1)
    await assert.rejects(importText(store, file, { ...again, keyId: one }), /the file has ids of this store/)
  })

  test(`on ${engine}, animals imported before files had owners are recognized for their shelter`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one } = await startShelters(store)
    await importText(store, lines(dog(2, 'Bella')), { ...BY_ID, keyId: one })
    await sql`update pet_source set organization_id = null`.execute(store.db)

    // The animal has this id in the store too, although the file comes from elsewhere.
    const again = { ...BY_ID, keyId: one, mayHaveOwnIds: true }
    assert.equal((await importText(store, lines(dog(2, 'Bella')), again)).unchanged, 1)
  })

  test(`on ${engine}, the same file is imported twice at once: one import adds the animals`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one } = await startShelters(store)
    const withIds = lines(...Array.from({ length: 20 }, (_, index) => dog(index + 1, 'Rex')))
    const both = await Promise.all([1, 2].map(() => importText(store, withIds, { ...BY_ID, keyId: one })))
    const sum = (member: 'added' | 'unchanged') => both.reduce((all, done) => all + done[member], 0)
    assert.deepEqual([sum('added'), sum('unchanged')], [20, 20])

    const without = lines({ name: 'Max', category: 'Dog' })
    const others = await Promise.all([1, 2].map(() => importText(store, without, { keyId: one })))
    assert.deepEqual(others.map(({ added, unchanged }) => [added, unchanged]).sort(), [
      [0, 1],
      [1, 0],
    ])
    assert.equal((await animalsIn(store)).length, 21)
  })

  test(`on ${engine}, a file of a network with an id that two shelters use updates the right animal`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, other, operator } = await startShelters(store)
    await importText(store, lines(dog(1, 'Rex')), { ...BY_ID, keyId: one })
    await importText(store, lines(dog(1, 'Milo')), { ...BY_ID, keyId: other })
    const file = lines(dog(1, 'Rex II', { organization: 'CO1' }), dog(1, 'Milo II', { organization: 'UT2' }))
    assert.equal((await importText(store, file, { ...BY_ID, keyId: operator })).updated, 2)
    assert.deepEqual(await animalsIn(store), ['Rex II available 1', 'Milo II available 2'])
  })

  test(`on ${engine}, two shelters use the same id in one file: each animal stays its own`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { operator } = await startShelters(store)
    const options = { ...BY_ID, keyId: operator }
    const rex = dog(1, 'Rex', { organization: 'CO1' })
    const other = dog(1, 'Rex', { organization: 'UT2' })
    for (const file of [lines(rex), lines(rex, other), lines(other, rex)])
      await importText(store, file, options)
    assert.deepEqual(await animalsIn(store), ['Rex available 1', 'Rex available 2'])

    const synced = await importText(store, lines({ ...rex, status: null }), { ...options, removed: 'sold' })
    assert.deepEqual([synced.added, synced.takenOff, synced.removed], [0, 1, 1])
    assert.deepEqual(await animalsIn(store), ['Rex  1', 'Rex sold 2'])
  })

  test(`on ${engine}, a shelter of a network gets an animal of another shelter, but not its id`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { other, operator } = await startShelters(store)
    const options = { ...BY_ID, keyId: operator }
    await importText(store, lines(dog(1, 'Rex', { organization: 'CO1' })), options)
    await importText(store, lines(dog(1, 'Max', { organization: 'UT2' })), options)
    await importText(store, lines(dog(1, 'Rex', { organization: 'UT2' }), dog(2, 'Ada')), options)
    await importText(store, lines(dog(1, 'Max II')), { ...BY_ID, keyId: other })
    assert.deepEqual(await animalsIn(store), ['Rex available 1', 'Max II available 2', 'Ada available -'])

    await importText(store, lines(dog(3, 'Luna', { organization: 'CO1' })), options)
    await importText(store, lines(dog(3, 'Luna', { organization: 'UT2' })), options)
    assert.equal((await animalsIn(store)).at(-1), 'Luna available 2', 'the same animal has moved')
  })

  test(`on ${engine}, a bond affects only animals of its own organization`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { operator } = await startShelters(store)
    const options = { ...BY_ID, keyId: operator }
    const [ours, theirs] = [{ organization: 'CO1' }, { organization: 'UT2' }]
    const file = lines(
      ...[dog(1, 'Rex', { ...ours, bondedWith: [2] }), dog(2, 'Milo', theirs), dog(3, 'Ada', theirs)],
      ...[dog(4, 'Luna', { ...theirs, bondedWith: [3] }), dog(3, 'Kim', ours)],
    )
    for (let time = 0; time < 2; time += 1) {
      const { lostBonds, reasons } = await importText(store, file, options)
      assert.equal(lostBonds, 1)
      assert.match(reasons.join(), /^1: bondedWith: It is bonded with 2, which was not imported/)
      assert.deepEqual(await animalsIn(store), [
        ...['Rex  1', 'Milo available 2', 'Ada available 2', 'Luna available 2', 'Kim available 1'],
      ])
    }
  })
}

test('columns named like properties of Object.prototype are counted like other columns', async (t) => {
  const store = await openStore(t, scratchStore(t))
  const csv = 'name,category,constructor,__proto__\nRex,Dog,a,b\nMax,Dog,c,d\n'
  const { added, leftOut } = await importText(store, csv, { format: 'csv' })
  assert.equal(added, 2)
  assert.deepEqual(Object.entries(leftOut), [
    ['constructor', 2],
    ['__proto__', 2],
  ])
})
