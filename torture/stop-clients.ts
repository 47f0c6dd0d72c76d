import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../src/testing/cleanup.ts'
import { type Sent, send } from '../src/testing/client.ts'
import type { Ledger } from './creators.ts'
import { randomOf } from './given.ts'

export const CLIENTS = 64
/** Longest rest of a client between two requests. */
const LONGEST_REST_MS = 20
const RETRY_MS = 20
const TRY_MS = 20_000

export interface Clients {
  /** Creates that were answered with 201. */
  readonly ledger: Ledger
  /** Everything but an answer of 200 or 201, and a refused connection: no client has to expect it. */
  readonly failures: string[]
  /** Answers, and refused connections, so far. */
  readonly counts: { answers: number; refused: number }
  /** Ends, when all is answered that was begun. */
  stop(): Promise<void>
}

/** Clients on kept connections that create and list, and try again only where nobody took the connection. */
export function startClients(t: TestContext, address: string, key: string, clients = CLIENTS): Clients {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
  const ledger: Ledger = new Map()
  const failures: string[] = []
  const counts = { answers: 0, refused: 0 }
  let [stopping, over] = [false, false]
  cleanup(t).defer(() => {
    stopping = true
    over = true
    agent.destroy()
  })

  async function client(number: number): Promise<void> {
    const authorization = `Bearer ${key}`
    const random = randomOf(100 + number)
    for (let turn = 0; !stopping; turn += 1) {
      await pause(random.whole(0, LONGEST_REST_MS))
      if (number % 2 === 0) {
        await ask('/v1/pets?limit=5', { headers: { authorization } })
        continue
      }
      const name = `pet-${number}-${turn}`
      const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
      const answer = await ask('/v1/pets', { method: 'POST', headers, body: { name, categoryId: 1 } })
      if (answer?.status === 201) ledger.set(name, String(answer.body.id))
    }
  }

  async function ask(path: string, sent: Sent) {
    while (!over) {
      try {
        const answer = await send(agent, address + path, { ...sent, signal: AbortSignal.timeout(TRY_MS) })
        counts.answers += 1
        if (answer.status > 201) failures.push(`${path} answered ${answer.status} ${answer.text}`)
        return answer
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') {
          failures.push(`${sent.method ?? 'GET'} ${path}: ${error}`)
          return undefined
        }
        counts.refused += 1
        await pause(RETRY_MS)
      }
    }
    return undefined
  }

  const working = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return {
    ledger,
    failures,
    counts,
    async stop() {
      stopping = true
      await working
    },
  }
}
