import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../../src/testing/cleanup.ts'
import { type Sent, send } from '../../src/testing/client.ts'
import { bareEnvironment } from '../../src/testing/process.ts'
import { assertNothingLost, type Ledger, startCreators, type Target } from '../lab/creators.ts'
import { repeat, times, waitFor } from '../lab/parallel.ts'
import { childrenOf, isRunning } from '../lab/proc.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'
import { client, newService, startService } from '../lab/service.ts'
import { onEach, SHARED_FILE } from '../lab/stores.ts'

const HAS_PS = needs('ps')
const ROUNDS = rounds(20)
const LONGEST_LIFE_MS = 300
const CLIENTS = 64
/** Beside workers that start all the time, each of which keeps the machine busy. */
const FEWER_CLIENTS = 16
const LONGEST_STOP_MS = 5_000
const LONGEST_FORCED_STOP_MS = 10_000
/** Creates before something happens to the process, and after it where it lives on. */
const CREATES = 20

onEach('SIGTERM under 64 kept connections: no reset, no 503, nothing lost', async (t, on) => {
  const random = randomOf(on.part)
  const service = await newService(t, { settings: on.stores })
  const clients = startClients(t, service, CLIENTS)
  let longest = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await service.start()
    const before = clients.counts.answers
    await pause(random.whole(0, LONGEST_LIFE_MS))
    // While it makes its first connections a busy PostgreSQL may be too slow for all at once: 503.
    await waitFor(t, () => clients.counts.answers > before + (on.embedded ? 0 : 2 * CLIENTS))
    const since = performance.now()
    assert.equal((await service.end('SIGTERM')).code, 0)
    longest = Math.max(longest, performance.now() - since)
    assert.deepEqual(clients.failures, [], `round ${round}`)
  }
  await service.start()
  await clients.stop()

  assert.deepEqual(clients.failures, [])
  await assertNothingLost(service, clients.ledger)
  assert.ok(longest <= LONGEST_STOP_MS, `a stop took ${longest} ms`)
  const met = `${clients.counts.answers} answers: 0 resets, 0 × 503, 0 lost`
  reached(t, `${ROUNDS} stops, ${met}, longest ${longest.toFixed()} ms`)
})

const NEEDS_WORKERS = { skip: SHARED_FILE.skip || HAS_PS.skip }
const TWO_WORKERS = { args: ['--workers', '2'] }

const REPLACED = 'workers that are told to stop one after the other are replaced, and no client notices'
test(REPLACED, NEEDS_WORKERS, async (t) => {
  const random = randomOf(10)
  const service = await startService(t, { settings: await SHARED_FILE.open(t), ...TWO_WORKERS })
  const { pid } = service.process.child
  const clients = startClients(t, service, FEWER_CLIENTS)
  const known = new Set<string>()
  while (known.size < 2) known.add(await processBehind(service))
  for (let round = 0; round < ROUNDS; round += 1) {
    let workers = childrenOf(pid)
    process.kill(random.pick(workers), 'SIGTERM')
    // One in three is not even let start.
    do {
      const before = workers
      await waitFor(t, () => childrenOf(pid).some((pid) => !before.includes(pid)))
      workers = childrenOf(pid)
      if (!random.often(1 / 3)) break
      for (const pid of workers) if (!before.includes(pid)) process.kill(pid, 'SIGTERM')
    } while (!t.signal.aborted)
    const size = known.size
    while (known.size === size && !t.signal.aborted) known.add(await processBehind(service))
    assert.deepEqual(clients.failures, [], `round ${round}`)
  }
  await clients.stop()

  assert.deepEqual([clients.failures, clients.counts.refused], [[], 0])
  await assertNothingLost(service, clients.ledger)
  assert.equal((await service.end('SIGTERM')).code, 0)
  reached(t, `${ROUNDS} workers replaced, ${clients.counts.answers} answers: 0 failed, 0 refused, 0 lost`)
})

const ORPHANS = 'workers whose supervisor is killed end too, and give the address free'
test(ORPHANS, { ...NEEDS_WORKERS, timeout: 60_000 }, async (t) => {
  const service = await startService(t, { settings: await SHARED_FILE.open(t), ...TWO_WORKERS })
  const workers = childrenOf(service.process.child.pid)
  cleanup(t).defer(() => workers.filter(isRunning).forEach((pid) => void process.kill(pid, 'SIGKILL')))
  const creators = startCreators(t, service, { clients: 8 })
  await waitFor(t, () => creators.ledger.size >= CREATES)
  const since = performance.now()
  service.process.child.kill('SIGKILL')
  await waitFor(t, () => !workers.some(isRunning))
  const took = performance.now() - since

  await service.start()
  await assertNothingLost(service, await creators.stop())
  assert.ok(took <= LONGEST_FORCED_STOP_MS, `they took ${took} ms`)
})

interface Child {
  child: ChildProcess
  /** Sends a signal to the service, which need not be the child. */
  kill(signal: NodeJS.Signals): void
}

/** What happens to a process, and whether it is to end by that alone. */
const HAPPENINGS: Record<string, [happens: (child: Child) => Promise<void> | void, ends: boolean]> = {
  SIGINT: [({ kill }) => kill('SIGINT'), true],
  SIGHUP: [({ kill }) => kill('SIGHUP'), true],
  'SIGTERM twice': [
    async ({ kill }) => {
      kill('SIGTERM')
      await pause(randomOf(20).whole(0, 200))
      kill('SIGTERM')
    },
    true,
  ],
  'stdin closed': [({ child }) => void child.stdin?.destroy(), false],
  'stdout closed': [({ child }) => void child.stdout?.destroy(), false],
  'stderr closed, to which it writes its log': [({ child }) => void child.stderr?.destroy(), false],
  'its parent killed': [
    async ({ child }) => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    false,
  ],
}

for (const [name, [happens, ends]] of Object.entries(HAPPENINGS)) {
  const outcome = ends ? 'the service ends' : 'it goes on, and still ends when told'
  const title = `${name}: ${outcome}, within 10 s, and nothing is lost`
  test(title, { ...HAS_PS, timeout: 60_000 }, async (t) => {
    const service = await newService(t, { settings: { LOG_LEVEL: 'info' } })
    const { child, pid } = await startUnderParent(t, service.settings)
    const creators = startCreators(t, service, { clients: 16 })
    await waitFor(t, () => creators.ledger.size >= CREATES)
    // The second signal may come when the first has done its work.
    const kill = (signal: NodeJS.Signals): void => void (isRunning(pid) && process.kill(pid, signal))

    await happens({ child, kill })
    if (!ends) {
      const before = creators.ledger.size
      await waitFor(t, () => creators.ledger.size >= before + CREATES)
      kill('SIGTERM')
    }
    const since = performance.now()
    await waitFor(t, () => !isRunning(pid))
    const took = performance.now() - since

    await service.start()
    await assertNothingLost(service, await creators.stop())
    assert.ok(took <= LONGEST_FORCED_STOP_MS, `it took ${took} ms`)
  })
}

/** Tells the workers on one address apart: each begins its request ids with its own mark. */
async function processBehind({ address }: Target): Promise<string> {
  const { headers } = await send(new http.Agent(), `${address}/livez`, {})
  return String(headers['x-request-id']).split('-', 1)[0] ?? ''
}

/** Starts the service, tells its process id, passes on what it says, and holds its pipes. */
const PARENT = `
  const { spawn } = require('node:child_process')
  const child = spawn(process.execPath, ['bin/adoptable.js', 'serve'])
  console.log('pid ' + child.pid)
  process.stdin.pipe(child.stdin)
  child.stdout.pipe(process.stdout)
  child.stderr.pipe(process.stderr)
  for (const name of ['stdout', 'stderr']) process[name].on('error', () => child[name].destroy())`

/** The service as the child of another process, whose pipes are all that it has. */
async function startUnderParent(t: TestContext, settings: Record<string, string>) {
  const child = spawn(process.execPath, ['-e', PARENT], { env: { ...bareEnvironment(), ...settings } })
  let told = ''
  child.stdout.on('data', (chunk: Buffer) => {
    told += chunk
  })
  child.stderr.resume()
  const pid = (): number => Number(/pid (\d+)/.exec(told)?.[1] ?? 0)
  cleanup(t).defer(() => {
    if (pid() > 0 && isRunning(pid())) process.kill(pid(), 'SIGKILL')
    child.kill('SIGKILL')
  })
  await waitFor(t, () => / serves /.test(told))
  return { child, pid: pid() }
}

/** Longest rest of a client between two requests. */
const LONGEST_REST_MS = 20
const RETRY_MS = 20
const TRY_MS = 20_000

/**
 * Clients on kept connections that create and list, and try again only where nobody took the connection.
 * Everything but an answer of 200 or 201, and a refused connection, is a failure: no client has to expect it.
 */
function startClients(t: TestContext, { address, key }: Target, count: number) {
  const kept = client(t, address, key, count)
  const ledger: Ledger = new Map()
  const failures: string[] = []
  const counts = { answers: 0, refused: 0 }

  async function ask(path: string, sent: Sent = {}) {
    while (!t.signal.aborted) {
      try {
        const answer = await kept(path, { ...sent, signal: AbortSignal.timeout(TRY_MS) })
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
  const working = repeat(count, async (number) => {
    t.signal.throwIfAborted()
    await pause(randoms[number]?.whole(0, LONGEST_REST_MS))
    if (number % 2 === 0) return void (await ask('/v1/pets?limit=5'))
    turns[number] = (turns[number] ?? 0) + 1
    const name = `pet-${number}-${turns[number]}`
    const headers = { 'idempotency-key': randomUUID() }
    const answer = await ask('/v1/pets', { headers, body: { name, categoryId: 1 } })
    if (answer?.status === 201) ledger.set(name, String(answer.body.id))
  })
  return { ledger, failures, counts, stop: working.stop }
}
