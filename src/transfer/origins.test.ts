import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { changes } from '../db/change.ts'
import { BY_ID, importText, lines, openStore, type Store } from '../testing/import-lines.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { scratchFolder } from '../testing/start-app.ts'

const scratchFile = (t: TestContext) => `sqlite:${join(scratchFolder(t), 'test.db')}`
const ENGINES = [
  ['SQLite', scratchFile],
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

/** What the store has, by id. */
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
  test(`on ${engine} two shelters with the same program have the same ids, and each its own animals`, async (t) => {
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

  test(`on ${engine} a file without ids that one shelter brought is new for another`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, other } = await startShelters(store)
    const file = lines({ name: 'Rex', category: 'Dog' })
    for (const keyId of [one, other])
      assert.equal((await importText(store, file, { keyId, fingerprint: 'same' })).added, 1)

    for (const [keyId, first] of [
      [one, 1],
      [other, 2],
    ] as const)
      await assert.rejects(
        importText(store, file, { keyId, fingerprint: 'same' }),
        new RegExp(`imported before, from animal ${first} on`),
      )
  })

  test(`on ${engine} a shelter goes on with what an operator brought in for it, and an operator with a shelter's`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, other, operator } = await startShelters(store)
    const network = (...names: [string, string]) =>
      lines(dog(1, names[0], { organization: 'CO1' }), dog(2, names[1], { organization: 'UT2' }))
    await importText(store, network('Rex', 'Milo'), { ...BY_ID, keyId: operator })
    // As all are that came before an id had an owner.
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

  test(`on ${engine} an animal that was moved away is not changed by its former shelter's file, whoever imports it`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, operator } = await startShelters(store)
    await importText(store, lines(dog(1, 'Rex')), { ...BY_ID, keyId: one })
    await sql`update pet set organization_id = 2`.execute(store.db)

    for (const whose of [{ keyId: one }, { keyId: operator, organization: 'CO1' }]) {
      const again = await importText(store, lines(dog(1, 'Max')), { ...BY_ID, ...whose })
      assert.deepEqual(again.reasons, [
        '1: It was imported before, and belongs to another organization now, or to none.',
      ])
      const photographed = { ...dog(2, 'Bella'), photos: 'https://photos.example/1.jpg' }
      const without = await importText(store, lines(photographed), { ...BY_ID, ...whose, removed: 'sold' })
      assert.equal(without.removed, 0)
    }
    assert.deepEqual(await animalsIn(store), ['Rex available 2', 'Bella available 1'])
  })

  test(`on ${engine} ids and names of another shelter's animals are no reason to refuse a file`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, other } = await startShelters(store)
    const file = lines(dog(1, 'Rex'))
    await importText(store, file, { keyId: one })

    const again = { ...BY_ID, mayHaveOwnIds: true }
    assert.equal((await importText(store, file, { ...again, keyId: other })).added, 1)
    await assert.rejects(
      importText(store, file, { ...again, keyId: one }),
      /the ids that its animals have in this store/,
    )
  })

  test(`on ${engine} what came before files had owners is known to its shelter`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, other } = await startShelters(store)
    const file = lines({ name: 'Rex', category: 'Dog' })
    await importText(store, file, { keyId: one, fingerprint: 'same' })
    await sql`update imported_file set fingerprint = 'same'`.execute(store.db)
    await importText(store, lines(dog(2, 'Bella')), { ...BY_ID, keyId: one })
    await sql`update pet_source set organization_id = null`.execute(store.db)

    const known = /imported before, from animal 1 on/
    await assert.rejects(importText(store, file, { keyId: one, fingerprint: 'same' }), known)
    assert.equal((await importText(store, file, { keyId: other, fingerprint: 'same' })).added, 1)
    // Its id is that of the store too: the file is one that came from elsewhere all the same.
    const again = { ...BY_ID, keyId: one, mayHaveOwnIds: true }
    assert.equal((await importText(store, lines(dog(2, 'Bella')), again)).unchanged, 1)
  })

  test(`on ${engine} of two who bring the same file in at once one adds its animals, and the other none`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one } = await startShelters(store)
    const withIds = lines(...Array.from({ length: 20 }, (_, index) => dog(index + 1, 'Rex')))
    const both = await Promise.all(
      [1, 2].map(() => importText(store, withIds, { ...BY_ID, keyId: one, fingerprint: 'ids' })),
    )
    const sum = (member: 'added' | 'unchanged') => both.reduce((all, done) => all + done[member], 0)
    assert.deepEqual([sum('added'), sum('unchanged')], [20, 20])

    const without = lines({ name: 'Max', category: 'Dog' })
    const outcomes = await Promise.allSettled(
      [1, 2].map(() => importText(store, without, { keyId: one, fingerprint: 'none' })),
    )
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await animalsIn(store)).length, 21)
  })

  test(`on ${engine} a network's file may have an id of two shelters that each know it as their own`, async (t) => {
    const store = await openStore(t, await storeIn(t))
    const { one, other, operator } = await startShelters(store)
    await importText(store, lines(dog(1, 'Rex')), { ...BY_ID, keyId: one })
    await importText(store, lines(dog(1, 'Milo')), { ...BY_ID, keyId: other })
    const file = lines(dog(1, 'Rex II', { organization: 'CO1' }), dog(1, 'Milo II', { organization: 'UT2' }))
    assert.equal((await importText(store, file, { ...BY_ID, keyId: operator })).updated, 2)
    assert.deepEqual(await animalsIn(store), ['Rex II available 1', 'Milo II available 2'])
  })
}

test('columns that have the names of what every object has are counted like all others', async (t) => {
  const store = await openStore(t, scratchFile(t))
  const csv = 'name,category,constructor,__proto__\nRex,Dog,a,b\nMax,Dog,c,d\n'
  const { added, leftOut } = await importText(store, csv, { format: 'csv' })
  assert.equal(added, 2)
  assert.deepEqual(Object.entries(leftOut), [
    ['constructor', 2],
    ['__proto__', 2],
  ])
})
