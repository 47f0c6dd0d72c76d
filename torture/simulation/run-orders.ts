import { hash } from 'node:crypto'
import { changes } from '../../src/changes.ts'
import type { Change, Changes } from '../../src/db/change.ts'
import type { Db } from '../../src/db/tables.ts'
import { transactionWriter, type Writer } from '../../src/db/write.ts'
import { ApiError } from '../../src/errors.ts'
import { type RequestWrite, requestWrites } from '../../src/http/idempotency.ts'
import type { Order } from '../../src/orders/schema.ts'
import { withAdopter } from '../../src/orders/store.ts'
import { type Random, randomFrom } from '../lab/random.ts'

/** One thing that a client wants done, under one Idempotency-Key, and what it was told in the end. */
export interface Wish {
  /** Also the name of the animal or of the adopter that it is about to add. */
  key: string
  what: 'insert' | 'place' | 'decide' | 'cancel' | 'patch' | 'delete'
  /** done and refused by an answer; unknown when the client gave up without one. */
  outcome: 'done' | 'refused' | 'unknown'
  /** Of what was added or changed, or of the animal that was to be deleted. */
  id?: number | undefined
  /** Every answer that was done: they must be equal. */
  answers: string[]
}

/** The connection broke: the client knows nothing. */
class Lost extends Error {}

/** How a request fares: at which statement the process dies, and where the connection breaks. */
interface Fate {
  lostBefore: boolean
  diesInside: boolean
  lostAfter: boolean
}

const FIRST_KEY = 1
const BY = { keyId: FIRST_KEY }
const EPOCH_MS = Date.UTC(2026, 11, 1)

/** Processes that serve many clients on one store, while connections break and processes die. */
export async function runOrders(db: Db, seed: number): Promise<{ wishes: Wish[]; faults: number }> {
  const random = randomFrom(seed)
  const scheduler = startScheduler(random)
  const state = { petIds: [] as number[], orderIds: [] as number[], wishes: [] as Wish[], faults: 0 }
  const harm = random.pick([0, 0.05, 0.2])
  const skew = [0, -2_000, 2_000]
  const processes = skew.slice(0, random.whole(1, 3)).map((ahead) => startProcess(db, scheduler, ahead))

  async function fulfil(wish: Wish, change: Change, args: (now: number) => unknown[]): Promise<void> {
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await scheduler.turn()
      const fate = {
        lostBefore: random.often(harm),
        diesInside: random.often(harm),
        lostAfter: random.often(harm),
      }
      try {
        const result = await random.pick(processes)(wish, fate, change, args)
        wish.outcome = 'done'
        wish.answers.push(await answerOf(db, wish.what, result))
        wish.id = idOf(result)
        // A careful client has its answer; a nervous one asks again.
        if (!random.often(0.1)) return
      } catch (error) {
        if (error instanceof Lost) state.faults += 1
        else if (!(error instanceof ApiError)) throw error
        else if (error.code !== 'idempotency_key_in_use') {
          wish.outcome = 'refused'
          return
        }
      }
    }
  }

  async function client(number: number): Promise<void> {
    for (let turn = 0; turn < 8; turn += 1) {
      const wish: Wish = { key: `${seed}-${number}-${turn}`, what: 'insert', outcome: 'unknown', answers: [] }
      state.wishes.push(wish)
      const [petId, orderId] = [random.pick(state.petIds), random.pick(state.orderIds)]
      const by = { keyId: FIRST_KEY, sees: 'all' }
      if (petId === undefined || random.often(0.2)) {
        const pet = { name: wish.key, categoryId: 1, status: 'available' }
        await fulfil(wish, changes.insertPet, (now) => [pet, BY, now])
        if (wish.id !== undefined) state.petIds.push(wish.id)
      } else if (orderId !== undefined && random.often(0.4)) {
        const status = random.pick(['approved', 'completed', 'cancelled'] as const)
        wish.what = status === 'cancelled' && random.often(0.5) ? 'cancel' : 'decide'
        const decision = (now: number) => ({ ...by, id: orderId, now })
        if (wish.what === 'cancel') await fulfil(wish, changes.cancelOrder, (now) => [decision(now)])
        else await fulfil(wish, changes.decideOrder, (now) => [status, decision(now)])
      } else if (random.often(0.6)) {
        wish.what = 'place'
        const order = { petId, adopter: { name: wish.key, email: 'a@example.org' } }
        await fulfil(wish, changes.placeOrder, (now) => [order, BY, now])
        if (wish.id !== undefined) state.orderIds.push(wish.id)
      } else {
        const intent = (now: number) => ({ id: petId, by: BY, now })
        wish.what = random.often(0.9) ? 'patch' : 'delete'
        const patch = { status: random.pick(['available', 'pending', 'sold'] as const) }
        if (wish.what === 'delete') {
          await fulfil(wish, changes.deletePet, (now) => [intent(now)])
          wish.id = petId
        } else await fulfil(wish, changes.updatePet, (now) => [patch, intent(now)])
      }
    }
  }

  await scheduler.run(Array.from({ length: random.whole(2, 12) }, (_, number) => client(number)))
  return { wishes: state.wishes, faults: state.faults }
}

/** Of an animal its row is the result, of an order the order. */
function idOf(result: unknown): number | undefined {
  return (result as { id?: number } | undefined)?.id
}

const sha256 = (text: string): string => hash('sha256', text)

type Process = (wish: Wish, fate: Fate, change: Change, args: (now: number) => unknown[]) => Promise<unknown>

/** A process has nothing of its own but a clock and what it knows to be under way. */
function startProcess(db: Db, scheduler: Scheduler, ahead: number): Process {
  let fate: Fate
  /** Dies inside of its transaction, or loses the connection after it. */
  async function suffer<Result>(commit: (die: () => void) => Promise<Result>): Promise<Result> {
    const { diesInside, lostAfter } = fate
    await scheduler.turn()
    const result = await commit(() => {
      if (diesInside) throw new Lost()
    })
    await scheduler.turn()
    if (lostAfter) throw new Lost()
    return result
  }
  /** Each transaction dies at its end, if it is to. */
  const dying = (die: () => void): Changes => ({
    async indexAnimals(inside: Db) {
      const more = await changes.indexAnimals(inside)
      die()
      return more
    },
  })
  const faulty: Pick<Writer, 'write' | 'writeOnce'> = {
    write: (change, ...args) => suffer((die) => transactionWriter(db, dying(die)).write(change, ...args)),
    writeOnce: (once, change, ...args) =>
      suffer((die) => transactionWriter(db, dying(die)).writeOnce(once, change, ...args)),
  }
  const clock = (): number => EPOCH_MS + ahead
  const writeOnce: RequestWrite = requestWrites(faulty, clock)
  return async ({ key, what }, given, change, args) => {
    if (given.lostBefore) throw new Lost()
    fate = given
    // A DELETE may be sent again as it is.
    const isSafe = what === 'delete' || what === 'cancel'
    const onceKey = isSafe ? undefined : { scope: sha256(`${what} ${key}`), fingerprint: sha256('') }
    return writeOnce(onceKey, change, ...(args(clock()) as never[]))
  }
}

interface Scheduler {
  /** Waits until chance lets the caller go on. */
  turn(): Promise<void>
  /** Runs until all are done. */
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
        const [next] = waiting.splice(random.whole(0, waiting.length - 1), 1)
        next?.()
        await new Promise((resolve) => setImmediate(resolve))
      }
      await all
    },
  }
}

/** As the route answers: what is kept for a replay has no adopter, who is read from the order. */
async function answerOf(db: Db, what: Wish['what'], result: unknown): Promise<string> {
  if (what !== 'place' && what !== 'decide') return JSON.stringify(result)
  const { adopter, ...order } = await withAdopter(db, result as Order)
  return JSON.stringify([order, adopter])
}
