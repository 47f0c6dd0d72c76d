import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from './creators.ts'
import { type Question, watchAnswers } from './own-postgres-watch.ts'

/** What the service promises, whatever becomes of its parts. */
const ANSWER_MS = 2_000
const BACK_MS = 3_000

export interface Load {
  address: string
  key: string
  /** Answers with 503 so far. */
  refusals(): number
  /** Waits for the next create and the next good answer to a reader, and fails when they come late. */
  back(about: string): Promise<void>
  /** When nothing was lost: the figures. */
  end(): Promise<string>
}

interface Options {
  /** Of the service. */
  stores: Record<string, string>
  /** The database, without anything in between that breaks. */
  directUrl: string
  creators?: number
  prefix?: string
}

/** A service of its own, and clients that create, change and read on it all the time. */
export async function startLoad(t: TestContext, options: Options): Promise<Load> {
  const { stores, directUrl, creators: clients = 8, prefix = 'pet' } = options
  const key = await makeKey(directUrl, UNLIMITED)
  const settings = { ...stores, PORT: String(await freePort()), LOG_LEVEL: 'silent' }
  const { child, serving, output } = spawnCli(t, ['serve'], settings)
  const address = await serving
  const creators = startCreators({ address: () => address, signal: t.signal, key, clients, prefix })
  // For the readers to find.
  while (creators.ledger.size === 0) await pause(10, undefined, { signal: t.signal })
  let asked = 0
  const watched = watchAnswers({
    address,
    key,
    answerMs: ANSWER_MS,
    clients: 4,
    next(): Question {
      asked += 1
      if (asked % 4 === 0) return { path: `/v1/pets?limit=${1 + (asked % 100)}`, expected: prefix }
      const [name = '', id] = [...creators.ledger].at(asked % creators.ledger.size) ?? []
      // A change to what already is.
      return { path: `/v1/pets/${id}`, expected: name, ...(asked % 2 && { body: { name } }) }
    },
  })
  let slowestBack = 0

  return {
    address,
    key,
    refusals: () => watched.seen.refused + (creators.others.get(503) ?? 0),
    async back(about) {
      const since = performance.now()
      const [created, served] = [creators.ledger.size, watched.seen.served]
      while (creators.ledger.size === created || watched.seen.served === served) {
        watched.assertWell()
        assert.ok(performance.now() - since < BACK_MS, `${about}: not back in time`)
        await pause(2)
      }
      slowestBack = Math.max(slowestBack, performance.now() - since)
      assert.equal(child.exitCode ?? child.signalCode, null, `the service has ended: ${output.stderr}`)
    },
    async end() {
      const { slowest, refused } = await watched.stop()
      const ledger = await creators.stop()
      assertNothingLost(await audit(address, key, ledger))
      assert.equal(creators.others.get(0), undefined, 'connections to the service were lost')
      const times = `slowest answer ${slowest.toFixed()} ms, back after at most ${slowestBack.toFixed()} ms`
      return `${ledger.size} creates, ${refused} × 503, none lost or wrong; ${times}`
    },
  }
}
