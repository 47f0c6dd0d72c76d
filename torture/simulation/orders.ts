import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { openToWrite } from '../../src/db/open-sqlite.ts'
import type { Db } from '../../src/db/tables.ts'
import { insertKey } from '../../src/keys/store.ts'
import { type Operation, runOrders } from './run-orders.ts'
import type { Simulate } from './seeds.ts'

/**
 * Simulates orders with the faults of a seed.
 *
 * @param options.folder folder of the store, which the thread uses until it ends
 */
export async function openOrders({ folder }: { folder: string }): Promise<Simulate> {
  const { db, database } = await openToWrite(join(mkdtempSync(join(folder, 'orders-')), 'orders.db'))
  database.exec('pragma synchronous = off')
  await insertKey(db, { name: 'test', plan: 'business', access: 'admin' }, '0'.repeat(64), 0)
  return async (seed) => {
    database.exec(
      'delete from adoption_order; delete from pet_change; delete from pet; delete from idempotency',
    )
    const { operations, faults } = await runOrders(db, seed)
    await check(db, operations)
    const counts = { wishes: operations.length, done: 0, refused: 0, unknown: 0, faults }
    for (const { outcome } of operations) counts[outcome] += 1
    return counts
  }
}

async function check(db: Db, operations: Operation[]): Promise<void> {
  const pets = await db.selectFrom('pet').select(['id', 'name', 'status']).execute()
  const orders = await db.selectFrom('adoption_order').select(['id', 'pet_id', 'status', 'adopter']).execute()
  const changes = await db.selectFrom('pet_change').select(['pet_id', 'changes']).orderBy('id').execute()
  // A DELETE that is repeated after a lost answer finds nothing, so its animal may be deleted whatever the
  // answer.
  const deleted = new Set(operations.filter(({ kind }) => kind === 'delete').map(({ id }) => id))

  for (const { key, kind, outcome, id, answers } of operations) {
    if (kind === 'delete' && outcome === 'done')
      assert.ok(!pets.some((pet) => pet.id === id), `${key}: ${id} still exists`)
    assert.equal(new Set(answers).size, answers.length > 0 ? 1 : 0, `${key}: different answers: ${answers}`)
    const added =
      kind === 'insert'
        ? pets.filter(({ name }) => name === key)
        : kind === 'place'
          ? orders.filter(({ adopter }) => adopter?.includes(`"${key}"`))
          : undefined
    if (!added) continue
    assert.ok(added.length <= 1, `${key}: ${kind} took effect ${added.length} times`)
    if (outcome === 'refused') assert.equal(added.length, 0, `${key}: refused but carried out`)
    if (outcome === 'done' && !(kind === 'insert' && added.length === 0 && deleted.has(id)))
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
      assert.equal(from, last, `animal ${id}: gap in its history`)
      last = to
    }
    assert.equal(status, last, `animal ${id}: its history ends with another status`)
  }
}
