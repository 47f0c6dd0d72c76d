import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, send } from '../../src/testing/client.ts'
import { LOST_RETRY_MS, repeat } from './parallel.ts'

/** Creates that were answered: the name of each animal and the id that its 201 gave it. */
export type Ledger = Map<string, string>

/** Where a service is, and with which key it is asked. */
export interface Target {
  address: string
  key: string
}

export interface Creators {
  /** What was answered so far. */
  readonly ledger: Ledger
  /** Answers that were not 201, by status, and lost connections as 0. */
  readonly others: Map<number, number>
  /** Ends, when each animal that was begun has been answered: the service has to be there again. */
  stop(): Promise<Ledger>
}

interface Options {
  clients?: number
  /** Begins every name, so that several runs on one store stay apart. */
  prefix?: string
  /** Of each client, between two animals. */
  pauseMs?: number
}

/** How long one try may take; far less than a test, since a cut partner never answers. */
const TRY_MS = 5_000
/** What a client may meet while a part is away; anything else is a fault of the service. */
const PASSING = new Set([409, 429, 503])
const RETRY_MS = 20

/**
 * Clients that create animals over kept connections, each under an Idempotency-Key, and send each again until
 * it is answered with 201: what any careful client does. They end with the test.
 */
export function startCreators(
  t: TestContext,
  { address, key }: Target,
  { clients = 32, prefix = 'pet', pauseMs = 0 }: Options = {},
): Creators {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
  const ledger: Ledger = new Map()
  const others = new Map<number, number>()
  const turns: number[] = []

  async function createUntilAnswered(name: string, idempotencyKey: string): Promise<string> {
    for (;;) {
      t.signal.throwIfAborted()
      const answer = await create(name, idempotencyKey)
      if (answer?.status === 201) {
        assert.equal(answer.body.name, name, `the answer is about another animal: ${answer.text}`)
        return idOf(answer.text)
      }
      const status = answer?.status ?? 0
      others.set(status, (others.get(status) ?? 0) + 1)
      if (answer && !PASSING.has(status)) throw new Error(`POST /pets answered ${status} ${answer.text}`)
      await pause(answer ? RETRY_MS : LOST_RETRY_MS)
    }
  }

  /** @returns nothing when the connection was lost */
  async function create(name: string, idempotencyKey: string): Promise<Answer | undefined> {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    }
    const body = { name, categoryId: 1, status: 'available' }
    const sent = { method: 'POST', headers, body, signal: AbortSignal.timeout(TRY_MS) }
    return await send(agent, `${address}/v1/pets`, sent).catch(() => undefined)
  }

  const working = repeat(
    clients,
    async (number) => {
      turns[number] = (turns[number] ?? -1) + 1
      const name = `${prefix}-${number}-${turns[number]}`
      ledger.set(name, await createUntilAnswered(name, randomUUID()))
    },
    pauseMs,
  )
  return {
    ledger,
    others,
    async stop() {
      await working.stop()
      agent.destroy()
      return ledger
    },
  }
}

/** The digits of the id as they were sent, which a number may not hold. */
function idOf(text: string): string {
  return /"id":(\d+)/.exec(text)?.[1] ?? ''
}

export interface Audit {
  /** Answered with 201, and not in the store. */
  lost: string[]
  /** In the store more than once. */
  duplicate: string[]
  /** In the store under another id than the answer's. */
  wrong: string[]
  /** In the store, and never answered. */
  unknown: string[]
}

/** Reads every animal, page by page, and compares them with what was answered. */
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

/** Every listed animal of the service. */
export async function readAll({ address, key }: Target): Promise<{ name: string; id: string }[]> {
  const agent = new http.Agent({ keepAlive: true })
  const pets: { name: string; id: string }[] = []
  for (let next: string | undefined = '/v1/pets?limit=100'; next !== undefined; ) {
    const answer: Answer = await send(agent, address + next, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(answer.status, 200, answer.text)
    pets.push(...itemsOf(answer.text).map((text) => ({ name: JSON.parse(text).name, id: idOf(text) })))
    next = nextPage(answer)
  }
  agent.destroy()
  return pets
}

/** The address of the page behind one, where there is another. */
export function nextPage({ headers }: Pick<Answer, 'headers'>): string | undefined {
  return /<[^>]*?(\/v1\/[^>]*)>; rel="next"/.exec(String(headers.link))?.[1]
}

/** The texts of the objects in a list of animals; what is in one, such as photos, has no name behind its id. */
export function itemsOf(text: string): string[] {
  return text === '[]' ? [] : text.slice(1, -1).split(/(?<=\}),(?=\{"id":\d+,"name":)/)
}
