import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertError } from '../../src/testing/client.ts'
import { makeKey, UNLIMITED } from '../../src/testing/start-app.ts'
import { assertNothingLost, startCreators, type Target } from './creators.ts'
import { repeat, waitFor } from './parallel.ts'
import { client, type Settings, startService } from './service.ts'

/** What a client asks. */
export interface Question {
  path: string
  /** GET when absent; PATCH goes with the body. */
  body?: object
  /** Part of every right answer with 200. */
  expected?: string
}

interface WatchOptions {
  /** Within this time every answer has to come. */
  answerMs: number
  clients?: number
  /** Of each client, between two requests. */
  pauseMs?: number
  next?: () => Question
}

/**
 * Clients that ask all the time while a part is away: every answer comes in time, and is a right one or the
 * 503 that the contract knows.
 */
export function watchAnswers(t: TestContext, { address, key }: Target, options: WatchOptions) {
  const { answerMs, clients = 1, pauseMs = 5, next = () => ({ path: '/v1/inventory' }) } = options
  const ask = client(t, address, key, clients)
  /** `refused` with 503; `slowest` in milliseconds. */
  const seen = { served: 0, refused: 0, slowest: 0 }
  // On a busy machine this process, too, comes late.
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()

  async function askOnce({ path, body, expected = '' }: Question): Promise<void> {
    const since = performance.now()
    // What comes so late is seen as late, and what never comes is not waited for.
    const signal = AbortSignal.timeout(5 * answerMs)
    const answer = await ask(path, { signal, ...(body && { method: 'PATCH', body }) })
    const took = performance.now() - since
    const { status, text, headers } = answer
    seen.slowest = Math.max(seen.slowest, took)
    assert.ok(took < answerMs + delay.max / 1e6, `${path} was answered ${status} after ${took.toFixed()} ms`)
    if (status === 200) {
      seen.served += 1
      assert.ok(text.includes(expected), `${path}: ${text}`)
      return
    }
    seen.refused += 1
    assertError(answer, 503, 'service_unavailable', path)
    assert.equal(headers['retry-after'], '1')
  }
  const working = repeat(clients, () => askOnce(next()), pauseMs)
  return {
    seen,
    assertWell: working.assertWell,
    /** Ends, when all is answered. */
    async stop() {
      delay.disable()
      await working.stop()
      return seen
    },
  }
}

/** What the service promises, whatever becomes of its parts. */
const ANSWER_MS = 2_000
const BACK_MS = 3_000

interface LoadOptions extends Partial<WatchOptions> {
  settings: Settings
  /** The database, without anything in between that breaks. */
  directUrl: string
  creators?: number
  creatorsPauseMs?: number
  prefix?: string
}

/** A service of its own, and clients that create, change and read on it all the time. */
export async function startLoad(t: TestContext, options: LoadOptions) {
  const { settings, directUrl, prefix = 'pet', answerMs = ANSWER_MS } = options
  const key = await makeKey(directUrl, UNLIMITED)
  const service = await startService(t, { settings, key: false })
  const target = { address: service.address, key }
  const { creators: clients = 8, creatorsPauseMs: pauseMs = 0 } = options
  const creators = startCreators(t, target, { clients, pauseMs, prefix })
  // For the readers to find.
  await waitFor(t, () => creators.ledger.size > 0)
  let asked = 0
  const next = (): Question => {
    asked += 1
    if (asked % 4 === 0) return { path: `/v1/pets?limit=${1 + (asked % 100)}`, expected: prefix }
    const [name = '', id] = [...creators.ledger].at(asked % creators.ledger.size) ?? []
    // A change to what already is.
    return { path: `/v1/pets/${id}`, expected: name, ...(asked % 2 && { body: { name } }) }
  }
  const watched = watchAnswers(t, target, { clients: 4, next, ...options, answerMs })
  let slowestBack = 0

  return {
    ...target,
    watched,
    /** Answers with 503 so far. */
    refusals: () => watched.seen.refused + (creators.others.get(503) ?? 0),
    /** Waits for the next create and the next good answer to a reader, and fails when they come late. */
    async back(about: string, withinMs = BACK_MS): Promise<void> {
      const since = performance.now()
      const [created, served] = [creators.ledger.size, watched.seen.served]
      while (creators.ledger.size === created || watched.seen.served === served) {
        watched.assertWell()
        assert.ok(performance.now() - since < withinMs, `${about}: not back in time`)
        await pause(2)
      }
      slowestBack = Math.max(slowestBack, performance.now() - since)
      assert.ok(service.alive(), `the service has ended: ${service.process.output.stderr}`)
    },
    /** When nothing was lost: the figures. */
    async end(): Promise<string> {
      const { slowest, refused } = await watched.stop()
      const ledger = await creators.stop()
      await assertNothingLost(target, ledger)
      assert.equal(creators.others.get(0), undefined, 'connections to the service were lost')
      const times = `slowest answer ${slowest.toFixed()} ms, back after at most ${slowestBack.toFixed()} ms`
      return `${ledger.size} creates, ${refused} × 503, none lost or wrong; ${times}`
    },
  }
}
