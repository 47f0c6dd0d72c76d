import assert from 'node:assert/strict'
import http from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { assertError, send } from '../src/testing/client.ts'

/** What a client asks. */
export interface Question {
  path: string
  /** GET when absent; PATCH goes with the body. */
  body?: object
  /** Part of every right answer with 200. */
  expected?: string
}

/** What watching clients have seen. */
export interface Seen {
  served: number
  /** Answers with 503. */
  refused: number
  /** In milliseconds. */
  slowest: number
}

interface Options {
  address: string
  key: string
  /** Within this time every answer has to come. */
  answerMs: number
  clients?: number
  /** Of each client, between two requests. */
  pauseMs?: number
  next?: () => Question
}

const INVENTORY: Question = { path: '/v1/inventory' }
const JSON_BODY = { 'content-type': 'application/json' }

/**
 * Clients that ask all the time while a part is away: every answer comes in time, and is a right one or the
 * 503 that the contract knows.
 */
export function watchAnswers(options: Options) {
  const { address, key, answerMs, clients = 1, pauseMs = 5, next = () => INVENTORY } = options
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
  const headers = { authorization: `Bearer ${key}` }
  const seen: Seen = { served: 0, refused: 0, slowest: 0 }
  // On a busy machine this process, too, comes late.
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  let stopping = false

  async function ask({ path, body, expected = '' }: Question): Promise<void> {
    const since = performance.now()
    // What comes so late is seen as late, and what never comes is not waited for.
    const signal = AbortSignal.timeout(5 * answerMs)
    const sent = body ? { method: 'PATCH', body, headers: { ...headers, ...JSON_BODY } } : { headers }
    const answer = await send(agent, address + path, { ...sent, signal })
    const took = performance.now() - since
    seen.slowest = Math.max(seen.slowest, took)
    assert.ok(
      took < answerMs + delay.max / 1e6,
      `${path} was answered ${answer.status} after ${took.toFixed()} ms`,
    )
    if (answer.status === 200) {
      seen.served += 1
      assert.ok(answer.text.includes(expected), `${path}: ${answer.text}`)
      return
    }
    seen.refused += 1
    assertError(answer, 503, 'service_unavailable', path)
    assert.equal(answer.headers['retry-after'], '1')
  }
  const working = Promise.all(
    Array.from({ length: clients }, async () => {
      while (!stopping) {
        await ask(next())
        await pause(pauseMs)
      }
    }),
  )
  let failure: unknown
  working.catch((error) => {
    stopping = true
    failure = error
  })
  return {
    seen,
    /** Throws what a client has found wrong so far. */
    assertWell(): void {
      if (failure) throw failure
    },
    /** Ends, when all is answered. */
    async stop(): Promise<Seen> {
      stopping = true
      delay.disable()
      await working.finally(() => agent.destroy())
      return seen
    },
  }
}
