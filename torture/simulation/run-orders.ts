import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { changes } from '../../src/changes.ts'
import type { Change, Changes } from '../../src/db/change.ts'
import { openToWrite } from '../../src/db/open-sqlite.ts'
import type { Db } from '../../src/db/tables.ts'
import { transactionWriter, type Writer } from '../../src/db/write.ts'
import { ApiError } from '../../src/errors.ts'
import { createRequestWrite, type RequestWrite } from '../../src/http/idempotency.ts'
import { insertKey } from '../../src/keys/store.ts'
import type { Order } from '../../src/orders/schema.ts'
import { withAdopter } from '../../src/orders/store.ts'
import { type Random, randomFrom } from '../lab/random.ts'
import type { Simulate } from './seeds.ts'

/** A change that a client sends under one Idempotency-Key, and its outcome. */
export interface Operation {
  /** Also the name of the animal or adopter that the change adds. */
  key: string
  kind: 'insert' | 'place' | 'decide' | 'cancel' | 'patch' | 'delete'
  /** `done` and `refused` as in the answer; `unknown` if the client gave up without an answer. */
  outcome: 'done' | 'refused' | 'unknown'
  /** Id of the added or changed row, or of the animal to delete. */
  id?: number | undefined
  /** All successful answers, which must be equal. */
  answers: string[]
}

/** The connection broke, so the client does not know the outcome. */
class Lost extends Error {}

/** Faults of a request: where the process dies and the connection breaks. */
interface Fate {
  lostBefore: boolean
  diesInside: boolean
  lostAfter: boolean
}

const FIRST_KEY = 1
const BY = { keyId: FIRST_KEY }
const EPOCH_MS = Date.UTC(2026, 11, 1)

/** Processes serve many clients on one store while connections break and processes die. */
async function runOrders(db: Db, seed: number): Promise<{ operations: Operation[]; faults: number }> {
  const random = randomFrom(seed)
  const scheduler = startScheduler(random)
  const state = { petIds: [] as number[], orderIds: [] as number[], operations: [] as Operation[], faults: 0 }
  const faultRate = random.pick([0, 0.05, 0.2])
  const skew = [0, -2_000, 2_000]
  const processes = skew.slice(0, random.integer(1, 3)).map((ahead) => startProcess(db, scheduler, ahead))

  async function send(operation: Operation, change: Change, args: (now: number) => unknown[]): Promise<void> {
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await scheduler.turn()
      const fate = {
        lostBefore: random.chance(faultRate),
        diesInside: random.chance(faultRate),
        lostAfter: random.chance(faultRate),
      }
      try {
        const result = await random.pick(processes)(operation, fate, change, args)
        operation.outcome = 'done'
        operation.answers.push(await answerOf(db, operation.kind, result))
        operation.id = idOf(result)
        // Some clients repeat a request even after an answer.
        if (!random.chance(0.1)) return
      } catch (error) {
        if (error instanceof Lost) state.faults += 1
        else if (!(error instanceof ApiError)) throw error
        else if (error.code !== 'idempotency_key_in_use') {
          operation.outcome = 'refused'
          return
        }
      }
    }
  }

  async function client(number: number): Promise<void> {
    for (let turn = 0; turn < 8; turn += 1) {
      const operation: Operation = {
        key: `${seed}-${number}-${turn}`,
        kind: 'insert',
        outcome: 'unknown',
        answers: [],
      }
      state.operations.push(operation)
      const [petId, orderId] = [random.pick(state.petIds), random.pick(state.orderIds)]
      const by = { keyId: FIRST_KEY, sees: 'all' }
      if (petId === undefined || random.chance(0.2)) {
        const pet = { name: operation.key, categoryId: 1, status: 'available' }
        await send(operation, changes.insertPet, (now) => [pet, BY, now])
        if (operation.id !== undefined) state.petIds.push(operation.id)
      } else if (orderId !== undefined && random.chance(0.4)) {
        const status = random.pick(['approved', 'completed', 'cancelled'] as const)
        operation.kind = status === 'cancelled' && random.chance(0.5) ? 'cancel' : 'decide'
        const decision = (now: number) => ({ ...by, id: orderId, now })
        if (operation.kind === 'cancel') await send(operation, changes.cancelOrder, (now) => [decision(now)])
        else await send(operation, changes.decideOrder, (now) => [status, decision(now)])
      } else if (random.chance(0.6)) {
        operation.kind = 'place'
        const order = { petId, adopter: { name: operation.key, email: 'a@example.org' } }
        await send(operation, changes.placeOrder, (now) => [order, BY, now])
        if (operation.id !== undefined) state.orderIds.push(operation.id)
      } else {
        const intent = (now: number) => ({ id: petId, by: BY, now })
        operation.kind = random.chance(0.9) ? 'patch' : 'delete'
        const patch = { status: random.pick(['available', 'pending', 'sold'] as const) }
        if (operation.kind === 'delete') {
          await send(operation, changes.deletePet, (now) => [intent(now)])
          operation.id = petId
        } else await send(operation, changes.updatePet, (now) => [patch, intent(now)])
      }
    }
  }

  await scheduler.run(Array.from({ length: random.integer(2, 12) }, (_, number) => client(number)))
  return { operations: state.operations, faults: state.faults }
}

/** The id in a result, which is the row of an animal or an order. */
function idOf(result: unknown): number | undefined {
  return (result as { id?: number } | undefined)?.id
}

const sha256 = (text: string): string => hash('sha256', text)

type Process = (
  operation: Operation,
  fate: Fate,
  change: Change,
  args: (now: number) => unknown[],
) => Promise<unknown>

/** A process has its own clock and its own list of requests in progress. */
function startProcess(db: Db, scheduler: Scheduler, ahead: number): Process {
  let fate: Fate
  /** Runs a commit that may die inside its transaction or lose the connection after it. */
  async function runWithFaults<Result>(commit: (die: () => void) => Promise<Result>): Promise<Result> {
    const { diesInside, lostAfter } = fate
    await scheduler.turn()
    const result = await commit(() => {
      if (diesInside) throw new Lost()
    })
    await scheduler.turn()
    if (lostAfter) throw new Lost()
    return result
  }
  /** Makes the last statement of a transaction die if the simulated fault says so. */
  const dying = (die: () => void): Changes => ({
    async indexAnimals(inside: Db) {
      const more = await changes.indexAnimals(inside)
      die()
      return more
    },
  })
  const faulty: Pick<Writer, 'write' | 'writeOnce'> = {
    write: (change, ...args) =>
      runWithFaults((die) => transactionWriter(db, dying(die)).write(change, ...args)),
    writeOnce: (once, change, ...args) =>
      runWithFaults((die) => transactionWriter(db, dying(die)).writeOnce(once, change, ...args)),
  }
  const clock = (): number => EPOCH_MS + ahead
  const writeOnce: RequestWrite = createRequestWrite(faulty, clock)
  return async ({ key, kind }, nextFate, change, args) => {
    if (nextFate.lostBefore) throw new Lost()
    fate = nextFate
    // A DELETE may be repeated without a key.
    const isSafe = kind === 'delete' || kind === 'cancel'
    const onceKey = isSafe ? undefined : { scope: sha256(`${kind} ${key}`), fingerprint: sha256('') }
    return writeOnce(onceKey, change, ...(args(clock()) as never[]))
  }
}

interface Scheduler {
  /** Waits until the scheduler chooses the caller. */
  turn(): Promise<void>
  /** Runs until all callers are done. */
  run(clients: Promise<void>[]): Promise<void>
}

function startScheduler(random: Random): Scheduler {
  const waiting: (() => void)[] = []
  return {
    turn: () => new Promise((resolve) => waiting.push(resolve)),
    async run(clients) {
      let over = false
      const all = Promise.all(clients).finally(() => {
        over = true
      })
      all.catch(() => undefined)
      while (!over) {
        const [next] = waiting.splice(random.integer(0, waiting.length - 1), 1)
        next?.()
        await new Promise((resolve) => setImmediate(resolve))
      }
      await all
    },
  }
}

/** The route's answer. A result stored for a replay has no adopter, so the route reads it from the order. */
async function answerOf(db: Db, kind: Operation['kind'], result: unknown): Promise<string> {
  if (kind !== 'place' && kind !== 'decide') return JSON.stringify(result)
  const { adopter, ...order } = await withAdopter(db, result as Order)
  return JSON.stringify([order, adopter])
}

/**
 * Simulates orders with the faults of a seed.
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
  // A DELETE that is repeated after a lost answer finds nothing, so its animal may or may not be deleted.
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
