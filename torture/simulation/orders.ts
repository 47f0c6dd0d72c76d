import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { openToWrite } from '../../src/db/open-sqlite.ts'
import type { Db } from '../../src/db/tables.ts'
import { insertKey } from '../../src/keys/store.ts'
import { runOrders, type Wish } from './run-orders.ts'
import type { Simulate } from './seeds.ts'

/**
 * An order book, with the faults of a seed.
 *
 * @param options.folder for the store, which the thread keeps to its end
 */
export async function openOrders({ folder }: { folder: string }): Promise<Simulate> {
  const { db, database } = await openToWrite(join(mkdtempSync(join(folder, 'orders-')), 'orders.db'))
  database.exec('pragma synchronous = off')
  await insertKey(db, { name: 'test', plan: 'business', access: 'admin' }, '0'.repeat(64), 0)
  return async (seed) => {
    database.exec(
      'delete from adoption_order; delete from pet_change; delete from pet; delete from idempotency',
    )
    const { wishes, faults } = await runOrders(db, seed)
    await check(db, wishes)
    const counts = { wishes: wishes.length, done: 0, refused: 0, unknown: 0, faults }
    for (const { outcome } of wishes) counts[outcome] += 1
    return counts
  }
}

async function check(db: Db, wishes: Wish[]): Promise<void> {
  const pets = await db.selectFrom('pet').select(['id', 'name', 'status']).execute()
  const orders = await db.selectFrom('adoption_order').select(['id', 'pet_id', 'status', 'adopter']).execute()
  const changes = await db.selectFrom('pet_change').select(['pet_id', 'changes']).orderBy('id').execute()
  // Sent again after a lost answer, a DELETE finds nothing: whatever it was told, its animal may be gone.
  const deleted = new Set(wishes.filter(({ what }) => what === 'delete').map(({ id }) => id))

  for (const { key, what, outcome, id, answers } of wishes) {
    if (what === 'delete' && outcome === 'done')
      assert.ok(!pets.some((pet) => pet.id === id), `${key}: ${id} is still there`)
    assert.equal(new Set(answers).size, answers.length > 0 ? 1 : 0, `${key}: other answers: ${answers}`)
    const added =
      what === 'insert'
        ? pets.filter(({ name }) => name === key)
        : what === 'place'
          ? orders.filter(({ adopter }) => adopter?.includes(`"${key}"`))
          : undefined
    if (!added) continue
    assert.ok(added.length <= 1, `${key}: ${what} took effect ${added.length} times`)
    if (outcome === 'refused') assert.equal(added.length, 0, `${key}: refused, and done all the same`)
    if (outcome === 'done' && !(what === 'insert' && added.length === 0 && deleted.has(id)))
      assert.deepEqual(
        added.map((row) => row.id),
        [id],
        `${key}: lost`,
      )
  }
  for (const { id, status } of pets) {
    const open = orders.filter((order) => Number(order.pet_id) === id && /placed|approved/.test(order.status))
    assert.ok(open.length <= 1, `animal ${id} has ${open.length} open orders`)
    if (open.length > 0) assert.equal(status, 'pending', `animal ${id} has an open order`)
    let last = 'available'
    for (const change of changes.filter(({ pet_id }) => Number(pet_id) === id)) {
      const { from, to } = JSON.parse(change.changes).status
      assert.equal(from, last, `animal ${id}: its history has a gap`)
      last = to
    }
    assert.equal(status, last, `animal ${id}: its history ends elsewhere`)
  }
}
