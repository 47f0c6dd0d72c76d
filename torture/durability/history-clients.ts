import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../../src/testing/cleanup.ts'
import type { Answer, Sent } from '../../src/testing/client.ts'
import { nextPage } from '../lab/creators.ts'
import { LOST_RETRY_MS, repeat, times } from '../lab/parallel.ts'
import type { Random } from '../lab/random.ts'
import { randomOf } from '../lab/rounds.ts'
import { client } from '../lab/service.ts'
import {
  ACROSS_PROCESSES_MS,
  checkWhole,
  type History,
  type Hold,
  type Life,
  type Reading,
} from './history-check.ts'

const CLIENTS = 64
const TRY_MS = 5_000
const RETRY_MS = 20
/** A limit refuses for a minute at most; what is refused for longer is refused for ever. */
const LONGEST_REFUSAL_MS = 90_000
/** What a client may meet while a process is away; a limit, since what was promised to a killed one is not given twice. */
const PASSING = new Set([0, 429, 503])
/** So few that many clients want the same one. */
const WANTED = 8
const OPEN = new Set(['placed', 'approved'])

interface Options {
  addresses: string[]
  key: string
  /** Tells the choices of this run from those of another one with the same seed. */
  part: number
}

export interface Clients {
  readonly history: History
  /** Faults that one answer alone shows. */
  readonly wrong: string[]
  /** How many answers there were, by status; lost connections as 0. */
  readonly answers: Map<number, number>
  /** Ends when everything that was begun is answered, and everything was read once more. */
  stop(): Promise<void>
}

/** Clients that create, change, list, read and order animals at several processes, and note all of it. */
export async function startClients(t: TestContext, { addresses, key, part }: Options): Promise<Clients> {
  const askers = addresses.map((address) => client(t, `${address}/v1`, key, CLIENTS))
  const history: History = { lives: new Map(), readings: [], holds: [] }
  const wrong: string[] = []
  const answers = new Map<number, number>()
  let over = false
  cleanup(t).defer(() => {
    over = true
  })

  /** One try. Without an answer the status is 0. */
  async function ask(process: number, path: string, sent: Sent = {}): Promise<Answer> {
    const lost = { status: 0, headers: {}, text: '', body: undefined }
    const given = { ...sent, signal: AbortSignal.timeout(TRY_MS) }
    const answer = (await askers[process]?.(path, given).catch(() => undefined)) ?? lost
    answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1)
    return answer
  }

  /** Read until it is answered, when nobody kills a process any more. */
  async function askSurely(process: number, path: string): Promise<Answer> {
    const since = performance.now()
    for (;;) {
      const answer = await ask(process, path)
      if (!PASSING.has(answer.status)) return answer
      if (over) throw new Error('the test is over')
      const lasted = performance.now() - since
      assert.ok(lasted < LONGEST_REFUSAL_MS, `GET ${path} still answers ${answer.status} ${answer.text}`)
      await pause(RETRY_MS)
    }
  }

  /** Sent until it is answered, at any process. @returns the answer, and when and by whom it was given */
  async function insist(random: Random, method: string, path: string, body: object) {
    const begun = performance.now()
    const headers = { 'idempotency-key': randomUUID() }
    for (;;) {
      const process = random.whole(0, addresses.length - 1)
      const answer = await ask(process, path, { method, body, headers })
      const inUse = answer.status === 409 && answer.body.code === 'idempotency_key_in_use'
      if (!inUse && !PASSING.has(answer.status)) return { answer, begun, ended: performance.now(), process }
      if (over) throw new Error('the test is over')
      await pause(answer.status === 0 ? LOST_RETRY_MS : RETRY_MS)
    }
  }

  async function create(random: Random, name: string, status?: string): Promise<Life & { id: number }> {
    const life: Life = { name, versions: [] }
    history.lives.set(name, life)
    return Object.assign(life, { id: await write(random, life, 'POST', '/pets', { categoryId: 1, status }) })
  }

  async function write(random: Random, life: Life, method: string, path: string, more: object) {
    const version = { begun: performance.now(), ended: Infinity, process: -1 }
    life.versions.push(version)
    const name = `${life.name}.${life.versions.length - 1}`
    const { answer, ended, process } = await insist(random, method, path, { ...more, name })
    assert.ok(answer.status < 300, `${method} ${path} answered ${answer.status} ${answer.text}`)
    Object.assign(version, { ended, process })
    return answer.body.id as number
  }

  async function read(
    process: number,
    path: string,
    askedOf: (seen: number[]) => number[] | { from: number },
    asking: (process: number, path: string) => Promise<Answer> = ask,
  ) {
    const begun = performance.now()
    const { status, body, text } = await asking(process, path)
    if (PASSING.has(status)) return
    assert.ok(status === 200 || status === 404, `GET ${path} answered ${status} ${text}`)
    const seen = (status === 404 ? [] : [body].flat()).map(({ id, name }) => ({ id, name }))
    const asked = askedOf(seen.map(({ id }) => id))
    history.readings.push({ begun, ended: performance.now(), process, seen, asked })
  }

  /** Every page, when nothing goes on any more. */
  async function walk(process: number): Promise<Reading> {
    const begun = performance.now()
    const seen: Reading['seen'] = []
    let next: string | undefined = '/pets?limit=100'
    while (next !== undefined) {
      const { status, headers, text, body }: Answer = await askSurely(process, next)
      assert.equal(status, 200, `GET ${next} answered ${status} ${text}`)
      seen.push(...body.map(({ id, name }: { id: number; name: string }) => ({ id, name })))
      next = nextPage({ headers })?.slice('/v1'.length)
    }
    return { begun, ended: performance.now(), process, seen, asked: { from: 0 } }
  }

  async function list(process: number, limit: number): Promise<void> {
    await read(process, `/pets?limit=${limit}`, (ids) => ({
      from: ids.length < limit ? 0 : Math.min(...ids),
    }))
  }

  async function order(random: Random, petId: number): Promise<void> {
    const body = { petId, adopter: { name: 'Kim', email: 'kim@example.org' } }
    const { answer, ended } = await insist(random, 'POST', '/store/orders', body)
    if (answer.status === 409 && answer.body.code === 'pet_not_available') return
    assert.equal(answer.status, 201, answer.text)
    const hold: Hold = { order: answer.body.id, pet: petId, from: ended, to: Infinity }
    history.holds.push(hold)
    await pause(random.whole(0, 50))
    if (random.often(0.5)) await decide(random, hold.order, 'approved')
    hold.to = performance.now()
    await decide(random, hold.order, 'cancelled')
  }

  async function decide(random: Random, id: number, status: string): Promise<void> {
    const { answer } = await insist(random, 'PATCH', `/store/orders/${id}`, { status })
    assert.equal(answer.status, 200, answer.text)
  }

  /** One answer shows one moment, in which no animal has two open orders. */
  async function listOrders(process: number, asking = ask): Promise<void> {
    const { status, body } = await asking(process, '/store/orders?limit=100')
    if (PASSING.has(status)) return
    assert.equal(status, 200)
    const open = body.filter((found: { status: string }) => OPEN.has(found.status))
    const pets = open.map(({ petId }: { petId: number }) => petId)
    if (new Set(pets).size < pets.length) wrong.push(`two open orders at once: ${JSON.stringify(open)}`)
  }

  /** What one client does, one thing after the other. */
  function actor(number: number, wanted: number[]): () => Promise<void> {
    const random = randomOf(part * 100 + number)
    const own: (Life & { id: number })[] = []
    const known = (): number[] => history.readings.at(-1)?.seen.map(({ id }) => id) ?? []
    return async () => {
      if (over) throw new Error('the test is over')
      const process = random.whole(0, addresses.length - 1)
      const mine = random.pick(own)
      const choice = random.weighed([
        [4, 'create'],
        [4, 'change'],
        [3, 'own'],
        [3, 'several'],
        [3, 'list'],
        [2, 'order'],
        [1, 'orders'],
      ] as const)
      if (choice === 'create' || !mine) own.push(await create(random, `pet-${number}-${own.length}`))
      else if (choice === 'change') await write(random, mine, 'PATCH', `/pets/${mine.id}`, {})
      else if (choice === 'own') await read(process, `/pets/${mine.id}`, () => [mine.id])
      else if (choice === 'several') {
        const ids = [...new Set([mine.id, ...wanted, ...known()])].slice(0, 20)
        await read(process, pathOf(ids), () => ids)
      } else if (choice === 'list') await list(process, random.whole(5, 40))
      else if (choice === 'order') await order(random, random.pick(wanted))
      else await listOrders(process)
      await pause(random.whole(0, 40))
    }
  }

  const first = times(WANTED, (number) => create(randomOf(part), `wanted-${number}`, 'available'))
  const wanted = (await Promise.all(first)).map(({ id }) => id)
  const actors = times(CLIENTS, (number) => actor(number, wanted))
  const working = repeat(CLIENTS, async (number) => actors[number]?.())
  return {
    history,
    wrong,
    answers,
    async stop() {
      await working.stop()
      // From here on a process that was told late, or has something of before at hand, is at fault.
      await pause(ACROSS_PROCESSES_MS)
      for (const [process] of addresses.entries()) {
        const ids = [...history.lives.values()].flatMap(({ id }) => id ?? [])
        for (let from = 0; from < ids.length; from += 100) {
          const some = ids.slice(from, from + 100)
          await read(process, pathOf(some), () => some, askSurely)
        }
        await listOrders(process, askSurely)
        // Ids that are known find no animal that nobody knows of: one too many is in the whole list alone.
        wrong.push(...checkWhole(history, await walk(process)))
      }
    },
  }
}

const pathOf = (ids: number[]): string => `/pets?limit=100&${ids.map((id) => `id=${id}`).join('&')}`
