import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../src/testing/cleanup.ts'
import { send } from '../src/testing/client.ts'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { NEEDS_REDIS, startRedis } from '../src/testing/redis.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from './creators.ts'
import { needs, randomOf, reached, rounds } from './given.ts'
import { CLIENTS, startClients } from './stop-clients.ts'
import { STORES } from './stores.ts'
import { waitFor } from './syscalls-wait.ts'

const HAS_PS = needs('ps')
const ROUNDS = rounds(20)
const LONGEST_LIFE_MS = 300
/** Beside workers that start all the time, each of which keeps the machine busy. */
const FEWER_CLIENTS = 16
const LONGEST_STOP_MS = 5_000
const LONGEST_FORCED_STOP_MS = 10_000
/** Creates before something happens to the process, and after it where it lives on. */
const CREATES = 20

for (const [part, stores] of STORES.entries()) {
  test(`SIGTERM under 64 kept connections: no reset, no 503, nothing lost, on ${stores.name}`, {
    skip: stores.skip,
  }, async (t) => {
    const random = randomOf(part)
    const settings = { ...(await stores.open(t)), PORT: String(await freePort()), LOG_LEVEL: 'silent' }
    const address = `http://127.0.0.1:${settings.PORT}`
    const key = await makeKey(settings.DATABASE_URL, UNLIMITED)
    const clients = startClients(t, address, key)
    let longest = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const { child, serving, exited } = spawnCli(t, ['serve'], settings)
      await serving
      const before = clients.counts.answers
      await pause(random.whole(0, LONGEST_LIFE_MS))
      // While it makes its first connections a busy PostgreSQL may be too slow for all at once: 503.
      await waitFor(t, () => clients.counts.answers > before + (stores.name === 'SQLite' ? 0 : 2 * CLIENTS))
      const since = performance.now()
      child.kill('SIGTERM')
      assert.equal((await exited).code, 0)
      longest = Math.max(longest, performance.now() - since)
      assert.deepEqual(clients.failures, [], `round ${round}`)
    }
    await spawnCli(t, ['serve'], settings).serving
    await clients.stop()

    assert.deepEqual(clients.failures, [])
    assertNothingLost(await audit(address, key, clients.ledger))
    assert.ok(longest <= LONGEST_STOP_MS, `a stop took ${longest} ms`)
    const { answers } = clients.counts
    reached(
      t,
      `${ROUNDS} stops, ${answers} answers: 0 resets, 0 × 503, 0 lost, longest ${longest.toFixed()} ms`,
    )
  })
}

test('workers that are told to stop one after the other are replaced, and no client notices', {
  skip: NEEDS_REDIS.skip || HAS_PS.skip,
}, async (t) => {
  const random = randomOf(10)
  const { settings, address, key } = await severalWorkers(t)
  const { child, serving, exited } = spawnCli(t, ['serve', '--workers', '2'], settings)
  await serving
  const clients = startClients(t, address, key, FEWER_CLIENTS)
  const known = new Set<string>()
  while (known.size < 2) known.add(await processBehind(address))
  for (let round = 0; round < ROUNDS; round += 1) {
    let workers = childrenOf(child.pid)
    process.kill(random.pick(workers), 'SIGTERM')
    // One in three is not even let start.
    do {
      const before = workers
      await waitFor(t, () => childrenOf(child.pid).some((pid) => !before.includes(pid)))
      workers = childrenOf(child.pid)
      if (!random.often(1 / 3)) break
      for (const pid of workers) if (!before.includes(pid)) process.kill(pid, 'SIGTERM')
    } while (!t.signal.aborted)
    const size = known.size
    while (known.size === size && !t.signal.aborted) known.add(await processBehind(address))
    assert.deepEqual(clients.failures, [], `round ${round}`)
  }
  await clients.stop()

  assert.deepEqual([clients.failures, clients.counts.refused], [[], 0])
  assertNothingLost(await audit(address, key, clients.ledger))
  child.kill('SIGTERM')
  assert.equal((await exited).code, 0)
  reached(t, `${ROUNDS} workers replaced, ${clients.counts.answers} answers: 0 failed, 0 refused, 0 lost`)
})

test('workers whose supervisor is killed end too, and give the address free', {
  skip: NEEDS_REDIS.skip || HAS_PS.skip,
  timeout: 60_000,
}, async (t) => {
  const { settings, address, key } = await severalWorkers(t)
  const { child, serving } = spawnCli(t, ['serve', '--workers', '2'], settings)
  await serving
  const workers = childrenOf(child.pid)
  cleanup(t).defer(() => workers.filter(isAlive).forEach((pid) => void process.kill(pid, 'SIGKILL')))
  const creators = startCreators({ signal: t.signal, address: () => address, key, clients: 8 })
  await waitFor(t, () => creators.ledger.size >= CREATES)
  const since = performance.now()
  child.kill('SIGKILL')
  await waitFor(t, () => !workers.some(isAlive))
  const took = performance.now() - since

  await spawnCli(t, ['serve', '--workers', '2'], settings).serving
  assertNothingLost(await audit(address, key, await creators.stop()))
  assert.ok(took <= LONGEST_FORCED_STOP_MS, `they took ${took} ms`)
})

type Happening = (service: Service) => Promise<void> | void

interface Service {
  child: ChildProcess
  /** Sends a signal to the service, which need not be the child. */
  kill(signal: NodeJS.Signals): void
}

/** What happens to a process, and whether it is to end by that alone. */
const HAPPENINGS: [name: string, happens: Happening, ends: boolean][] = [
  ['SIGINT', ({ kill }) => kill('SIGINT'), true],
  ['SIGHUP', ({ kill }) => kill('SIGHUP'), true],
  [
    'SIGTERM twice',
    async ({ kill }) => {
      kill('SIGTERM')
      await pause(randomOf(20).whole(0, 200))
      kill('SIGTERM')
    },
    true,
  ],
  ['stdin closed', ({ child }) => void child.stdin?.destroy(), false],
  ['stdout closed', ({ child }) => void child.stdout?.destroy(), false],
  ['stderr closed, to which it writes its log', ({ child }) => void child.stderr?.destroy(), false],
  [
    'its parent killed',
    async ({ child }) => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    false,
  ],
]

for (const [name, happens, ends] of HAPPENINGS) {
  test(`${name}: ${ends ? 'the service ends' : 'it goes on, and still ends when told'}, within 10 s, and nothing is lost`, {
    ...HAS_PS,
    timeout: 60_000,
  }, async (t) => {
    const settings = {
      DATABASE_URL: `sqlite:${join(scratchFolder(t), 'pets.db')}`,
      PORT: String(await freePort()),
    }
    const address = `http://127.0.0.1:${settings.PORT}`
    const key = await makeKey(settings.DATABASE_URL, UNLIMITED)
    const { child, pid } = await startUnderParent(t, settings)
    const creators = startCreators({ signal: t.signal, address: () => address, key, clients: 16 })
    await waitFor(t, () => creators.ledger.size >= CREATES)
    // The second signal may come when the first has done its work.
    const kill = (signal: NodeJS.Signals): void => void (isAlive(pid) && process.kill(pid, signal))

    await happens({ child, kill })
    if (!ends) {
      const before = creators.ledger.size
      await waitFor(t, () => creators.ledger.size >= before + CREATES)
      kill('SIGTERM')
    }
    const since = performance.now()
    await waitFor(t, () => !isAlive(pid))
    const took = performance.now() - since

    await spawnCli(t, ['serve'], settings).serving
    assertNothingLost(await audit(address, key, await creators.stop()))
    assert.ok(took <= LONGEST_FORCED_STOP_MS, `it took ${took} ms`)
  })
}

/** Tells the workers on one address apart: each begins its request ids with its own mark. */
async function processBehind(address: string): Promise<string> {
  const { headers } = await send(new http.Agent(), `${address}/livez`, {})
  return String(headers['x-request-id']).split('-', 1)[0] ?? ''
}

async function severalWorkers(t: TestContext) {
  const settings = {
    DATABASE_URL: `sqlite:${join(scratchFolder(t), 'pets.db')}`,
    REDIS_URL: `redis://127.0.0.1:${(await startRedis(t)).port}`,
    PORT: String(await freePort()),
    LOG_LEVEL: 'silent',
  }
  const key = await makeKey(settings.DATABASE_URL, UNLIMITED)
  return { settings, address: `http://127.0.0.1:${settings.PORT}`, key }
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
  const child = spawn(process.execPath, ['-e', PARENT], { env: { PATH: process.env.PATH, ...settings } })
  let told = ''
  child.stdout.on('data', (chunk: Buffer) => {
    told += chunk
  })
  child.stderr.resume()
  cleanup(t).defer(() => {
    const pid = Number(/pid (\d+)/.exec(told)?.[1])
    if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL')
    child.kill('SIGKILL')
  })
  await waitFor(t, () => / serves /.test(told))
  return { child, pid: Number(/pid (\d+)/.exec(told)?.[1]) }
}

/** An orphan that has ended may stay in the list of processes, where nobody asks for its exit code. */
function isAlive(pid: number): boolean {
  return processes().some((found) => found.pid === pid)
}

function childrenOf(parent: number | undefined): number[] {
  return processes().flatMap(({ pid, ppid }) => (ppid === parent ? pid : []))
}

function processes(): { pid: number; ppid: number }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=']).toString().trim().split('\n')
  const rows = lines.map((line) => line.trim().split(/\s+/))
  return rows.flatMap(([pid, ppid, state]) =>
    state?.startsWith('Z') ? [] : { pid: Number(pid), ppid: Number(ppid) },
  )
}
