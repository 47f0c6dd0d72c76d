import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, send } from '../src/testing/client.ts'

/** Creates that were answered: the name of each animal and the id that its 201 gave it. */
export type Ledger = Map<string, string>

export interface Creators {
  /** What was answered so far. */
  readonly ledger: Ledger
  /** Answers that were not 201, by status, and lost connections as 0. */
  readonly others: Map<number, number>
  /** Ends, when each animal that was begun has been answered: the service has to be there again. */
  stop(): Promise<Ledger>
}

interface Options {
  /** Where the service is just now, such as http://127.0.0.1:8080. */
  address: () => string
  key: string
  clients?: number
  /** Begins every name, so that several runs on one store stay apart. */
  prefix?: string
  /** Of each client, between two animals. */
  pauseMs?: number
  /** Of the test: its clients end with it. */
  signal?: AbortSignal
  /** How long one try may take; far less than a test, since a cut partner never answers. */
  tryMs?: number
}

/** What a client may meet while a part is away; anything else is a fault of the service. */
const PASSING = new Set([409, 429, 503])
const RETRY_MS = 20

/**
 * Clients that create animals over kept connections, each under an Idempotency-Key, and send each again until
 * it is answered with 201: what any careful client does.
 */
export function startCreators({
  address,
  key,
  clients = 32,
  prefix = 'pet',
  pauseMs = 0,
  tryMs = 5_000,
  signal,
}: Options): Creators {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
  const ledger: Ledger = new Map()
  const others = new Map<number, number>()
  let stopping = false

  async function client(number: number): Promise<void> {
    for (let turn = 0; !stopping; turn += 1) {
      const name = `${prefix}-${number}-${turn}`
      ledger.set(name, await createUntilAnswered(name, randomUUID()))
      if (pauseMs > 0) await pause(pauseMs)
    }
  }

  async function createUntilAnswered(name: string, idempotencyKey: string): Promise<string> {
    for (;;) {
      signal?.throwIfAborted()
      const answer = await create(name, idempotencyKey)
      if (answer?.status === 201) return readId(answer, name)
      const status = answer?.status ?? 0
      others.set(status, (others.get(status) ?? 0) + 1)
      if (answer && !PASSING.has(status)) throw new Error(`POST /pets answered ${status} ${answer.text}`)
      await pause(RETRY_MS)
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
    const sent = { method: 'POST', headers, body, signal: AbortSignal.timeout(tryMs) }
    return await send(agent, `${address()}/v1/pets`, sent).catch(() => undefined)
  }

  const working = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  // Told by stop(); until then nobody waits for it.
  working.catch(() => undefined)
  return {
    ledger,
    others,
    async stop() {
      stopping = true
      await working
      agent.destroy()
      return ledger
    },
  }
}

/** The digits of the id as they were sent, which a number may not hold. */
function readId({ text }: Answer, name: string): string {
  assert.equal(JSON.parse(text).name, name, `the answer is about another animal: ${text}`)
  return idOf(text)
}

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
export async function audit(address: string, key: string, ledger: Ledger): Promise<Audit> {
  const stored = new Map<string, string[]>()
  for (const { name, id } of await readAll(address, key)) stored.set(name, [...(stored.get(name) ?? []), id])
  const names = [...ledger.keys()]
  return {
    lost: names.filter((name) => !stored.has(name)),
    duplicate: [...stored].filter(([, ids]) => ids.length > 1).map(([name]) => name),
    wrong: names.filter((name) => stored.has(name) && !stored.get(name)?.includes(ledger.get(name) ?? '')),
    unknown: [...stored.keys()].filter((name) => !ledger.has(name)),
  }
}

export function assertNothingLost(found: Audit): void {
  assert.deepEqual(found, { lost: [], duplicate: [], wrong: [], unknown: [] })
}

/** Every listed animal of the service. */
export async function readAll(address: string, key: string): Promise<{ name: string; id: string }[]> {
  const agent = new http.Agent({ keepAlive: true })
  const pets: { name: string; id: string }[] = []
  let next: string | undefined = '/v1/pets?limit=100'
  while (next !== undefined) {
    const answer: Answer = await send(agent, address + next, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(answer.status, 200, answer.text)
    for (const text of answer.text.slice(1, -1).split(/(?<=\}),(?=\{)/)) {
      if (text !== '') pets.push({ name: JSON.parse(text).name, id: idOf(text) })
    }
    next = /<[^>]*?(\/v1\/pets[^>]*)>; rel="next"/.exec(String(answer.headers.link))?.[1]
  }
  agent.destroy()
  return pets
}
