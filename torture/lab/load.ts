import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertError } from '../../src/testing/client.ts'
import { makeKey, UNLIMITED } from '../../src/testing/start-app.ts'
import { assertNothingLost, startCreators, type Target } from './creators.ts'
import { repeat, waitFor } from './parallel.ts'
import { createClient, type Settings, startService } from './service.ts'

/** A client's request. */
interface LoadRequest {
  path: string
  /** Sent with PATCH; the request is a GET when absent. */
  body?: object
  /** Text in every correct answer with 200. */
  expected?: string
}

interface WatchOptions {
  /** Longest time that an answer may take. */
  answerMs: number
  clients?: number
  next?: () => LoadRequest
}

/** Pause of each client between two requests. */
const REST_MS = 5

/** Clients that send requests during an outage. Every answer must be in time, and correct or a valid 503. */
export function watchAnswers(t: TestContext, { address, key }: Target, options: WatchOptions) {
  const { answerMs, clients = 1, next = () => ({ path: '/v1/inventory' }) } = options
  const ask = createClient(t, address, key, clients)
  /** `refused` counts 503; `slowest` is in milliseconds. */
  const counts = { served: 0, refused: 0, slowest: 0 }
  // On a busy machine this client process is delayed too.
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()

  async function sendOnce({ path, body, expected = '' }: LoadRequest): Promise<void> {
    const since = performance.now()
    // Late answers are still measured; an answer that never comes ends the wait.
    const signal = AbortSignal.timeout(5 * answerMs)
    const answer = await ask(path, { signal, ...(body && { method: 'PATCH', body }) })
    const tookMs = performance.now() - since
    const { status, text, headers } = answer
    counts.slowest = Math.max(counts.slowest, tookMs)
    assert.ok(
      tookMs < answerMs + delay.max / 1e6,
      `${path} was answered ${status} after ${tookMs.toFixed()} ms`,
    )
    if (status === 200) {
      counts.served += 1
      assert.ok(text.includes(expected), `${path}: ${text}`)
      return
    }
    counts.refused += 1
    assertError(answer, 503, 'service_unavailable', path)
    assert.equal(headers['retry-after'], '1')
  }
  const repetition = repeat(clients, () => sendOnce(next()), REST_MS)
  return {
    counts,
    assertWell: repetition.assertNoFailure,
    /** Resolves when every request has been answered. */
    async stop() {
      delay.disable()
      await repetition.stop()
      return counts
    },
  }
}

/** The guarantees of the service during any outage. */
const ANSWER_MS = 2_000
const RECOVERY_MS = 3_000
/** Prefix of the names of all animals. */
const NAMES = 'pet'

interface LoadOptions {
  settings: Settings
  /** URL of the database that bypasses the faults. */
  directUrl: string
}

/** Starts a service, and clients that create, change and read animals all the time. */
export async function startLoad(t: TestContext, { settings, directUrl }: LoadOptions) {
  const key = await makeKey(directUrl, UNLIMITED)
  const service = await startService(t, { settings, key: false })
  const target = { address: service.address, key }
  const creators = startCreators(t, target, { clients: 8, prefix: NAMES })
  // Readers need at least one animal.
  await waitFor(t, () => creators.ledger.size > 0)
  let requests = 0
  const next = (): LoadRequest => {
    requests += 1
    if (requests % 4 === 0) return { path: `/v1/pets?limit=${1 + (requests % 100)}`, expected: NAMES }
    const [name = '', id] = [...creators.ledger].at(requests % creators.ledger.size) ?? []
    // Half of these requests set the name to its current value.
    return { path: `/v1/pets/${id}`, expected: name, ...(requests % 2 && { body: { name } }) }
  }
  const watcher = watchAnswers(t, target, { answerMs: ANSWER_MS, clients: 4, next })
  let slowestRecovery = 0

  return {
    /** Number of 503 answers so far. */
    refusals: () => watcher.counts.refused + (creators.others.get(503) ?? 0),
    /** Waits for the next create and the next 200 of a reader. Fails when they come late. */
    async assertRecovers(about: string): Promise<void> {
      const since = performance.now()
      const [created, served] = [creators.ledger.size, watcher.counts.served]
      while (creators.ledger.size === created || watcher.counts.served === served) {
        watcher.assertWell()
        assert.ok(performance.now() - since < RECOVERY_MS, `${about}: no recovery in time`)
        await pause(2)
      }
      slowestRecovery = Math.max(slowestRecovery, performance.now() - since)
      assert.ok(service.alive(), `the service has ended: ${service.process.output.stderr}`)
    },
    /** Stops the clients and asserts that nothing was lost. @returns the figures */
    async end(): Promise<string> {
      const { slowest, refused } = await watcher.stop()
      const ledger = await creators.stop()
      await assertNothingLost(target, ledger)
      assert.equal(creators.others.get(0), undefined, 'connections to the service were lost')
      const times = `slowest answer ${slowest.toFixed()} ms, recovery after at most ${slowestRecovery.toFixed()} ms`
      return `${ledger.size} creates, ${refused} × 503, none lost or wrong; ${times}`
    },
  }
}
