import assert from 'node:assert/strict'
import http from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../src/testing/cleanup.ts'
import { send } from '../src/testing/client.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { reached, rounds } from './given.ts'
import { openSockets, peakMegabytes } from './slow-clients-process.ts'

/** Clients of each kind at once. */
export const ATTACKERS = rounds(1_000)
/** A few of them meet a service that waits less long, so that the short version is short. */
const SHORT = ATTACKERS < 500
const SETTINGS = {
  // Answers that the buffers of the machine could take have left the service: their connection is an idle one.
  KEEP_ALIVE_TIMEOUT_SECONDS: '5',
  ...(SHORT && { HEADERS_TIMEOUT_SECONDS: '1', REQUEST_TIMEOUT_SECONDS: '2' }),
}
const GONE_MS = SHORT ? 10_000 : 15_000
/** An answer that somebody waited longer for counts as none. */
const LONGEST_ANSWER_MS = 5_000
/** Nobody came for so long: that was all. */
const LATE_MS = 1_500
const MOST_MEGABYTES = 600
/** For honest clients, beside attackers: twice what is usual, and a turn of a busy machine. */
const slowestAllowed = (usual: number): number => 2 * usual + 100

export async function startService(t: TestContext) {
  const DATABASE_URL = `sqlite:${join(scratchFolder(t), 'adoptable.db')}`
  const key = await makeKey(DATABASE_URL, UNLIMITED)
  const { child, serving } = spawnCli(t, ['serve'], {
    DATABASE_URL,
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...SETTINGS,
  })
  const address = await serving
  const agent = new http.Agent({ keepAlive: true })
  cleanup(t).defer(() => agent.destroy())
  const get = async (): Promise<number> => {
    const since = performance.now()
    const { status } = await send(agent, `${address}/v1/pets`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
    })
    assert.equal(status, 200)
    return performance.now() - since
  }
  // Whatever the service loads only when somebody asks for it is there from now on.
  await send(agent, `${address}/docs`, {})
  return { pid: child.pid, address, key, get }
}

type Get = () => Promise<number>

/** Eight clients with requests one after the other; `stop` gives how long each took, in milliseconds. */
function startHonest(get: Get): { stop(): Promise<number[]> } {
  const took: number[] = []
  let stopping = false
  const clients = Array.from({ length: 8 }, async () => {
    while (!stopping) {
      took.push(await get())
      await pause(10)
    }
  })
  const working = Promise.all(clients)
  // Told by stop(); until then nobody waits for it.
  working.catch(() => undefined)
  return {
    async stop() {
      stopping = true
      await working
      return took
    },
  }
}

function slowestHundredth(took: number[]): number {
  return took.toSorted((one, other) => one - other)[Math.floor(took.length * 0.99)] ?? 0
}

/**
 * Honest clients alone, and then beside attackers until those are gone. Fails when one is there for too long,
 * when hardly any came, or when an honest client gets no answer, or a late one.
 */
export async function withstand(
  t: TestContext,
  { pid, get }: { pid: number | undefined; get: Get },
  attackers: number,
  attack: () => unknown,
): Promise<void> {
  const alone = startHonest(get)
  await pause(1_000)
  const quiet = slowestHundredth(await alone.stop())
  const own = new Set(openSockets(pid))
  const honest = startHonest(get)
  attack()
  const firstSeen = new Map<string, number>()
  let longest = 0
  let lastSeen = 0
  // One that came late, because many came at once, is waited for.
  while (performance.now() - lastSeen < LATE_MS || firstSeen.size === 0) {
    await pause(200)
    const now = performance.now()
    for (const socket of openSockets(pid)) {
      if (own.has(socket)) continue
      const since = firstSeen.get(socket) ?? now
      firstSeen.set(socket, since)
      lastSeen = now
      longest = Math.max(longest, now - since)
      assert.ok(longest < GONE_MS, `one of ${firstSeen.size} attackers is there after ${GONE_MS} ms`)
    }
  }
  const took = await honest.stop()
  const slow = slowestHundredth(took)
  assert.ok(firstSeen.size >= attackers * 0.9, `${firstSeen.size} of ${attackers} attackers came`)
  assert.ok(slow <= slowestAllowed(quiet), `p99 of honest clients: ${slow} ms, ${quiet} ms without attackers`)
  const memory = peakMegabytes(pid)
  assert.ok(memory < MOST_MEGABYTES, `the service grew to ${memory} MB`)
  const gone = `${firstSeen.size} attackers, each gone in ${Math.round(longest / 100) / 10} s`
  const p99 = `p99 ${Math.round(slow)} ms (${Math.round(quiet)} quiet)`
  reached(t, `${gone}; ${took.length} honest requests, ${p99}, ${memory} MB`)
}
