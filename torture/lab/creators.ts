import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, send } from '../../src/testing/client.ts'
import { LOST_RETRY_MS, repeat } from './parallel.ts'

/** Answered creates: from the name of each animal to the id in its 201. */
export type Ledger = Map<string, string>

/** A service's address and the key for requests. */
export interface Target {
  address: string
  key: string
}

export interface Creators {
  /** The creates that have been answered so far. */
  readonly ledger: Ledger
  /** Number of other answers by status; lost connections count as status 0. */
  readonly others: Map<number, number>
  /** Resolves when every started create has been answered, so the service must be running again. */
  stop(): Promise<Ledger>
}

interface Options {
  clients?: number
  /** Prefix of every name, which must differ between runs on one store. */
  prefix?: string
  /** Pause of each client between two animals. */
  pauseMs?: number
}

/** Timeout of one attempt: far less than a test takes, because a cut connection never gets an answer. */
const TRY_TIMEOUT_MS = 5_000
/** Statuses that a client may get during an outage. Any other is a fault of the service. */
const TEMPORARY_STATUSES = new Set([409, 429, 503])
const RETRY_MS = 20

/**
 * Clients that create animals over keep-alive connections and, as a careful client does, repeat each request
 * with the same Idempotency-Key until it gets a 201. They end with the test.
 */
export function startCreators(
  t: TestContext,
  { address, key }: Target,
  { clients = 32, prefix = 'pet', pauseMs = 0 }: Options = {},
): Creators {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
  const ledger: Ledger = new Map()
  const others = new Map<number, number>()
  const counts: number[] = []

  async function createUntilAnswered(name: string, idempotencyKey: string): Promise<string> {
    for (;;) {
      t.signal.throwIfAborted()
      const answer = await create(name, idempotencyKey)
      if (answer?.status === 201) {
        assert.equal(answer.body.name, name, `the answer has another animal: ${answer.text}`)
        return idOf(answer.text)
      }
      const status = answer?.status ?? 0
      others.set(status, (others.get(status) ?? 0) + 1)
      if (answer && !TEMPORARY_STATUSES.has(status))
        throw new Error(`POST /pets answered ${status} ${answer.text}`)
      await pause(answer ? RETRY_MS : LOST_RETRY_MS)
    }
  }

  /** @returns undefined when the connection was lost */
  async function create(name: string, idempotencyKey: string): Promise<Answer | undefined> {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    }
    const body = { name, categoryId: 1, status: 'available' }
    const sent = { method: 'POST', headers, body, signal: AbortSignal.timeout(TRY_TIMEOUT_MS) }
    return await send(agent, `${address}/v1/pets`, sent).catch(() => undefined)
  }

  const repetition = repeat(
    clients,
    async (number) => {
      counts[number] = (counts[number] ?? -1) + 1
      const name = `${prefix}-${number}-${counts[number]}`
      ledger.set(name, await createUntilAnswered(name, randomUUID()))
    },
    pauseMs,
  )
  return {
    ledger,
    others,
    async stop() {
      await repetition.stop()
      agent.destroy()
      return ledger
    },
  }
}

/** The digits of the id as they were sent; a number could round them. */
function idOf(text: string): string {
  return /"id":(\d+)/.exec(text)?.[1] ?? ''
}

export interface Audit {
  /** Names of animals that were answered with 201, but are not in the store. */
  lost: string[]
  /** In the store more than once. */
  duplicate: string[]
  /** Names of animals that have another id in the store than in the answer. */
  wrong: string[]
  /** Names of animals that are in the store, although no request for them was answered with 201. */
  unknown: string[]
}

/** Reads all animals, page by page, and compares them with the answers. */
export async function audit(target: Target, ledger: Ledger): Promise<Audit> {
  const stored = Map.groupBy(await readAll(target), ({ name }) => name)
  const names = [...ledger.keys()]
  const isRight = (name: string) => stored.get(name)?.some(({ id }) => id === ledger.get(name))
  return {
    lost: names.filter((name) => !stored.has(name)),
    duplicate: [...stored].filter(([, animals]) => animals.length > 1).map(([name]) => name),
    wrong: names.filter((name) => stored.has(name) && !isRight(name)),
    unknown: [...stored.keys()].filter((name) => !ledger.has(name)),
  }
}

export async function assertNothingLost(target: Target, ledger: Ledger): Promise<void> {
  assert.deepEqual(await audit(target, ledger), { lost: [], duplicate: [], wrong: [], unknown: [] })
}

/** Lists all animals of the service, page by page. */
export async function readAll({ address, key }: Target): Promise<{ name: string; id: string }[]> {
  const agent = new http.Agent({ keepAlive: true })
  const pets: { name: string; id: string }[] = []
  for (let next: string | undefined = '/v1/pets?limit=100'; next !== undefined; ) {
    const answer: Answer = await send(agent, address + next, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(answer.status, 200, answer.text)
    pets.push(...splitItems(answer.text).map((text) => ({ name: JSON.parse(text).name, id: idOf(text) })))
    next = findNextPage(answer)
  }
  agent.destroy()
  return pets
}

/** The path of the next page, from the Link header. */
export function findNextPage({ headers }: Pick<Answer, 'headers'>): string | undefined {
  return /<[^>]*?(\/v1\/[^>]*)>; rel="next"/.exec(String(headers.link))?.[1]
}

/** Splits the JSON of a list into that of each animal. Only animals have a `name` right after the `id`. */
export function splitItems(text: string): string[] {
  return text === '[]' ? [] : text.slice(1, -1).split(/(?<=\}),(?=\{"id":\d+,"name":)/)
}
