import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../../src/testing/cleanup.ts'
import { type RequestOptions, send } from '../../src/testing/client.ts'
import { assertNothingLost, type Ledger, startCreators, type Target } from '../lab/creators.ts'
import { repeat, times, waitFor } from '../lab/parallel.ts'
import { childrenOf, isRunning } from '../lab/proc.ts'
import { needs, randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { createClient, newService, startService } from '../lab/service.ts'
import { SHARED_FILE, testOnEachStore } from '../lab/stores.ts'

const HAS_PS = needs('ps')
const ROUNDS = rounds(20)
const MAX_LIFE_MS = 300
const CLIENTS = 64
/** Fewer clients, because starting workers keep the machine busy. */
const FEWER_CLIENTS = 16
const MAX_STOP_MS = 5_000
const MAX_FORCED_STOP_MS = 10_000
/** Creates before an event, and after it if the service goes on. */
const CREATES = 20

testOnEachStore(
  'SIGTERM under 64 keep-alive connections: no reset, no 503, no animal lost',
  async (t, context) => {
    const random = randomOf(context.part)
    const service = await newService(t, { settings: context.stores })
    const clients = startClients(t, service, CLIENTS)
    let longest = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      await service.start()
      const before = clients.counts.answers
      await pause(random.integer(0, MAX_LIFE_MS))
      // A busy PostgreSQL may answer 503 while the service opens its first connections.
      await waitFor(t, () => clients.counts.answers > before + (context.embedded ? 0 : 2 * CLIENTS))
      const since = performance.now()
      assert.equal((await service.end('SIGTERM')).code, 0)
      longest = Math.max(longest, performance.now() - since)
      assert.deepEqual(clients.failures, [], `round ${round}`)
    }
    await service.start()
    await clients.stop()

    assert.deepEqual(clients.failures, [])
    await assertNothingLost(service, clients.ledger)
    assert.ok(longest <= MAX_STOP_MS, `a stop took ${longest} ms`)
    const result = `${clients.counts.answers} answers: 0 resets, 0 × 503, 0 lost`
    reportFigure(t, `${ROUNDS} stops, ${result}, longest ${longest.toFixed()} ms`)
  },
)

const NEEDS_WORKERS = { skip: SHARED_FILE.skip || HAS_PS.skip }
const TWO_WORKERS = { args: ['--workers', '2'] }

const REPLACED = 'SIGTERM to one worker after another: each is replaced, and no client notices'
test(REPLACED, NEEDS_WORKERS, async (t) => {
  const random = randomOf(10)
  const service = await startService(t, { settings: await SHARED_FILE.open(t), ...TWO_WORKERS })
  const { pid } = service.process.child
  const clients = startClients(t, service, FEWER_CLIENTS)
  const seenWorkers = new Set<string>()
  while (seenWorkers.size < 2) seenWorkers.add(await readWorkerId(service))
  for (let round = 0; round < ROUNDS; round += 1) {
    let workers = childrenOf(pid)
    process.kill(random.pick(workers), 'SIGTERM')
    // One new worker in three is stopped while it starts.
    do {
      const before = workers
      await waitFor(t, () => childrenOf(pid).some((pid) => !before.includes(pid)))
      workers = childrenOf(pid)
      if (!random.chance(1 / 3)) break
      for (const pid of workers) if (!before.includes(pid)) process.kill(pid, 'SIGTERM')
    } while (!t.signal.aborted)
    const size = seenWorkers.size
    while (seenWorkers.size === size && !t.signal.aborted) seenWorkers.add(await readWorkerId(service))
    assert.deepEqual(clients.failures, [], `round ${round}`)
  }
  await clients.stop()

  assert.deepEqual([clients.failures, clients.counts.refused], [[], 0])
  await assertNothingLost(service, clients.ledger)
  assert.equal((await service.end('SIGTERM')).code, 0)
  reportFigure(
    t,
    `${ROUNDS} workers replaced, ${clients.counts.answers} answers: 0 failed, 0 refused, 0 lost`,
  )
})

const ORPHANED = 'supervisor killed: its workers end too and free the port'
test(ORPHANED, { ...NEEDS_WORKERS, timeout: 60_000 }, async (t) => {
  const service = await startService(t, { settings: await SHARED_FILE.open(t), ...TWO_WORKERS })
  const workers = childrenOf(service.process.child.pid)
  cleanup(t).defer(() => workers.filter(isRunning).forEach((pid) => void process.kill(pid, 'SIGKILL')))
  const creators = startCreators(t, service, { clients: 8 })
  await waitFor(t, () => creators.ledger.size >= CREATES)
  const since = performance.now()
  service.process.child.kill('SIGKILL')
  await waitFor(t, () => !workers.some(isRunning))
  const tookMs = performance.now() - since

  await service.start()
  await assertNothingLost(service, await creators.stop())
  assert.ok(tookMs <= MAX_FORCED_STOP_MS, `the workers took ${tookMs} ms`)
})

interface Child {
  /** A shell that has started the service. Both have the same output. */
  child: ChildProcess
  /** Sends a signal to the service. */
  kill(signal: NodeJS.Signals): void
}

/** Events, and whether the service must end because of them. */
const EVENTS: Record<string, [trigger: (child: Child) => Promise<void> | void, ends: boolean]> = {
  SIGINT: [({ kill }) => kill('SIGINT'), true],
  SIGHUP: [({ kill }) => kill('SIGHUP'), true],
  'SIGTERM twice': [
    async ({ kill }) => {
      kill('SIGTERM')
      await pause(randomOf(20).integer(0, 200))
      kill('SIGTERM')
    },
    true,
  ],
  'stdout closed': [({ child }) => void child.stdout?.destroy(), false],
  'stderr closed, which gets the log': [({ child }) => void child.stderr?.destroy(), false],
  'parent process killed': [
    async ({ child }) => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    false,
  ],
}

for (const [name, [trigger, ends]] of Object.entries(EVENTS)) {
  const outcome = ends ? 'the service ends' : 'the service goes on and ends after SIGTERM'
  const title = `${name}: ${outcome} within 10 s, no animal lost`
  test(title, { ...HAS_PS, timeout: 60_000 }, async (t) => {
    const service = await newService(t, { settings: { LOG_LEVEL: 'info' } })
    const { child } = await service.start({ through: ['sh', '-c', '"$@" & wait', 'sh'] })
    const [pid = 0] = childrenOf(child.pid)
    cleanup(t).defer(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')))
    const creators = startCreators(t, service, { clients: 16 })
    await waitFor(t, () => creators.ledger.size >= CREATES)
    // The service may have ended before the second signal.
    const kill = (signal: NodeJS.Signals): void => void (isRunning(pid) && process.kill(pid, signal))

    await trigger({ child, kill })
    if (!ends) {
      const before = creators.ledger.size
      await waitFor(t, () => creators.ledger.size >= before + CREATES)
      kill('SIGTERM')
    }
    const since = performance.now()
    await waitFor(t, () => !isRunning(pid))
    const tookMs = performance.now() - since

    await service.start()
    await assertNothingLost(service, await creators.stop())
    assert.ok(tookMs <= MAX_FORCED_STOP_MS, `the stop took ${tookMs} ms`)
  })
}

/** @returns the prefix of the answering worker's request ids, which differs between workers */
async function readWorkerId({ address }: Target): Promise<string> {
  const { headers } = await send(new http.Agent(), `${address}/livez`, {})
  return String(headers['x-request-id']).split('-', 1)[0] ?? ''
}

/** Longest pause of a client between two requests. */
const MAX_REST_MS = 20
const RETRY_MS = 20
const TRY_MS = 20_000

/**
 * Clients on keep-alive connections that create and list animals. They retry only refused connections.
 * Anything else except a 200 or 201 is a failure.
 */
function startClients(t: TestContext, { address, key }: Target, count: number) {
  const sendRequest = createClient(t, address, key, count)
  const ledger: Ledger = new Map()
  const failures: string[] = []
  const counts = { answers: 0, refused: 0 }

  async function ask(path: string, sent: RequestOptions = {}) {
    while (!t.signal.aborted) {
      try {
        const answer = await sendRequest(path, { ...sent, signal: AbortSignal.timeout(TRY_MS) })
        counts.answers += 1
        if (answer.status > 201) failures.push(`${path} answered ${answer.status} ${answer.text}`)
        return answer
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') {
          failures.push(`${path}: ${error}`)
          return undefined
        }
        counts.refused += 1
        await pause(RETRY_MS)
      }
    }
    return undefined
  }

  const randoms = times(count, (number) => randomOf(100 + number))
  const turns = times(count, () => 0)
  const repetition = repeat(count, async (number) => {
    t.signal.throwIfAborted()
    await pause(randoms[number]?.integer(0, MAX_REST_MS))
    if (number % 2 === 0) return void (await ask('/v1/pets?limit=5'))
    turns[number] = (turns[number] ?? 0) + 1
    const name = `pet-${number}-${turns[number]}`
    const headers = { 'idempotency-key': randomUUID() }
    const answer = await ask('/v1/pets', { headers, body: { name, categoryId: 1 } })
    if (answer?.status === 201) ledger.set(name, String(answer.body.id))
  })
  return { ledger, failures, counts, stop: repetition.stop }
}
