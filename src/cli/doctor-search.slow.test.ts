import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../changes.ts'
import { readConfig } from '../config.ts'
import { openForCommand } from '../db/open-database.ts'
import type { NewPet } from '../pets/schema.ts'
import { encodeBits, noBits, setBit } from '../search/bits.ts'
import { startApp } from '../testing/start-app.ts'
import { examine } from './examine.ts'
import type { Finding } from './finding.ts'

async function look(databaseUrl: string): Promise<Omit<Finding, 'check'> | undefined> {
  const findings = await examine(() => readConfig({ PORT: '0', DATABASE_URL: databaseUrl }))
  const { check, ...found } = findings.find((one) => one.check === 'search index') ?? {}
  return found as Omit<Finding, 'check'>
}

test('doctor says how far the index of the search is, and compares it with the animals', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const { databaseUrl } = app
  await app.post('/v1/organizations', { code: 'A', name: 'A', address: { region: 'Colorado' } })
  // Its jobs would bring the index up to date while the animals come in.
  await app.stop()
  const store = await openForCommand(databaseUrl, changes)
  const { db, write } = store
  try {
    for (let count = 1; count <= 30; count += 1) {
      const place = { city: 'Denver', latitude: 39.74, longitude: -104.99 }
      const more = count % 2 ? { status: 'available', birthDate: '2024-02-29', place } : { organizationId: 1 }
      const animal = { name: `Réx ${count}`, categoryId: 1, ...more } as NewPet
      await write('insertPet', animal, { keyId: 1 }, app.clock.now)
    }
    const waiting = '30 changes wait for it'
    assert.deepEqual(await look(databaseUrl), { state: 'good', found: `right of 0 animals; ${waiting}` })

    while (await write('indexAnimals'));
    await write('updatePet', { name: 'Max' }, { id: 3n, by: { keyId: null }, now: app.clock.now })
    // The sample has 25 places; the first two fall on animal 1, and animal 4 also stands in for animal 3.
    const right = { state: 'good', found: 'right of 23 animals; 1 changes wait for it' }
    assert.deepEqual(await look(databaseUrl), right)

    await db.updateTable('search_area').set({ next_block: 0 }).execute()
    assert.equal((await look(databaseUrl))?.found, `${right.found}, 1 organizations move in it`)
    await db.updateTable('search_area').set({ next_block: null }).execute()

    const bits = noBits()
    setBit(bits, 30)
    await db
      .insertInto('search_posting')
      .values({ block: 0, token: 'tag:x', ids: encodeBits(bits) })
      .execute()
    const [more, less, moved] = [
      await look(databaseUrl),
      await db.deleteFrom('search_posting').where('token', 'in', ['tag:x', 'n:1']).execute(),
      await look(databaseUrl),
    ]
    assert.ok(less)
    assert.deepEqual(more, {
      state: 'wrong',
      found: 'it is wrong of 1 of 23 animals (30)',
      advice: 'make it anew: adoptable reindex',
    })
    assert.equal(moved?.found, 'it is wrong of 1 of 23 animals (1)')

    await write('rebuildIndex')
    const built = await look(databaseUrl)
    assert.deepEqual(built?.state, 'doubtful')
    assert.equal(built?.found, 'it is being built: 0 of 30 ids are in it')
    while (await write('indexAnimals'));
    await db.deleteFrom('search_order').where('pet_id', '=', 30).where('sort', '=', 'name').execute()
    assert.match((await look(databaseUrl))?.found ?? '', /^it is wrong of 1 of \d+ animals \(30\)$/)
    // Of an animal that is gone.
    setBit(bits, 5_000)
    await db
      .insertInto('search_posting')
      .values({ block: 0, token: 'tag:y', ids: encodeBits(bits) })
      .execute()
    assert.match((await look(databaseUrl))?.found ?? '', /^it is wrong of 2 of \d+ animals \(5000, 30\)$/)
  } finally {
    await store.close()
  }
})
