import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { cleanup } from '../../src/testing/cleanup.ts'
import { freePort } from '../../src/testing/port.ts'
import { initServer, NOBODY, postgresPrograms } from '../../src/testing/postgres-server.ts'
import { assertNothingLost, audit, type Ledger, startCreators } from '../lab/creators.ts'
import { watchAnswers } from '../lab/load.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { startService } from '../lab/service.ts'

/**
 * SIGTERM waits for clients. SIGINT disconnects them. SIGQUIT ends all processes without a shutdown. SIGKILL
 * ends only the main process.
 */
type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGKILL'

/** A PostgreSQL that belongs to one test, syncs to disk and may be crashed. */
interface OwnPostgres {
  /** URL of its only database. */
  readonly url: string
  /** Resolves when the server accepts queries. */
  start(): Promise<void>
  stop(signal: StopSignal): Promise<void>
  /** Runs a statement as superuser, waiting for a recovery if necessary. @returns the rows */
  // biome-ignore lint/suspicious/noExplicitAny: rows have any shape
  query(statement: string): Promise<any[]>
}

const QUERY_TIMEOUT_MS = 5_000
/** PostgreSQL's error code for a server that starts, stops or recovers. */
const RECOVERING = '57P03'
/** Time limit that includes the recovery after a crash, on a busy machine. */
const START_MS = 60_000

/**
 * Starts a PostgreSQL, which is removed after the test.
 *
 * @param settings for the command line, such as max_connections=20
 */
async function startOwnPostgres(t: TestContext, settings: string[] = []): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'adoptable-own-postgres-'))
  if (NOBODY.uid) chownSync(folder, NOBODY.uid, NOBODY.gid)
  cleanup(t).defer(() => rmSync(folder, { recursive: true, force: true }))
  await initServer(folder)
  const { postgres } = await postgresPrograms()
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const serverSettings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=on',
  ]
  const args = ['-D', join(folder, 'data')]
  args.push(...[...serverSettings, ...settings].flatMap((setting) => ['-c', setting]))
  let server: ChildProcess | undefined
  let stderr = ''

  async function start(): Promise<void> {
    const since = performance.now()
    while (!(await answers())) {
      // A new server ends immediately while processes of a killed one still run.
      if (!server || server.exitCode !== null || server.signalCode !== null) {
        server = spawn(postgres, args, { ...NOBODY, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
        server.stderr?.on('data', (chunk) => {
          stderr = (stderr + chunk).slice(-2_000)
        })
      }
      if (performance.now() - since > START_MS) throw new Error(`PostgreSQL did not start: ${stderr}`)
      await pause(10)
    }
  }

  async function stop(signal: StopSignal): Promise<void> {
    const stopping = server
    server = undefined
    if (!stopping || stopping.exitCode !== null || stopping.signalCode !== null) return
    const exited = once(stopping, 'exit')
    stopping.kill(signal)
    await exited
  }

  async function ask(statement: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: QUERY_TIMEOUT_MS })
    // The statement may kill its own backend.
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await client.query(statement)).rows ?? []
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  async function query(statement: string): Promise<unknown[]> {
    const since = performance.now()
    for (;;) {
      try {
        return await ask(statement)
      } catch (error) {
        const recovers = (error as { code?: string }).code === RECOVERING
        if (!recovers || performance.now() - since > START_MS) throw error
      }
      await pause(10)
    }
  }

  async function answers(): Promise<boolean> {
    return (await ask('select 1').catch(() => [])).length === 1
  }

  cleanup(t).defer(() => stop('SIGQUIT'))
  await start()
  return { url, start, stop, query }
}

const ROUNDS = rounds(100)
/** Longest time between two crashes. */
const MAX_PAUSE_MS = 400
/** Longest time until a stopped PostgreSQL starts again. */
const MAX_DOWN_MS = 600
/** Longest time from PostgreSQL's first change on disk to the service's first success. */
const RECOVERY_MS = 2_000
/** Slightly less than the service's timeout for a create. */
const CHANGE_MS = 500
/** The service guarantees two seconds; the rest allows for a busy machine. */
const ANSWER_MS = 3_000

type Crash = (own: OwnPostgres, downMs: number) => Promise<void>

const OWN_BACKENDS = `select pid from pg_stat_activity where application_name = 'adoptable'`

const CRASHES: [weight: number, name: string, crash: Crash][] = [
  [3, 'restarted immediately', (own, downMs) => restart(own, 'SIGQUIT', downMs)],
  [3, 'killed', (own, downMs) => restart(own, 'SIGKILL', downMs)],
  [1, 'restarted fast', (own, downMs) => restart(own, 'SIGINT', downMs)],
  [2, 'one backend killed', killBackend],
  [2, 'all backends terminated', (own) => terminate(own, '')],
  [3, 'one backend terminated', (own) => terminate(own, 'order by random() limit 1')],
]

test('PostgreSQL crashes under 32 creating clients: 503, quick recovery, no animal lost', async (t) => {
  const random = randomOf()
  const own = await startOwnPostgres(t)
  const service = await startService(t, { settings: { DATABASE_URL: own.url } })
  const creators = startCreators(t, service)
  const watcher = watchAnswers(t, service, { answerMs: ANSWER_MS })
  let slowestRecovery = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await pause(random.integer(0, MAX_PAUSE_MS))
    const [, name, crash] = random.weighted(CRASHES.map((entry) => [entry[0], entry] as const))
    await crash(own, random.integer(0, MAX_DOWN_MS))
    const recoveryMs = await waitForRecovery(own, creators.ledger)
    slowestRecovery = Math.max(slowestRecovery, recoveryMs)
    assert.ok(
      recoveryMs < RECOVERY_MS,
      `round ${round}, ${name}: no recovery after ${recoveryMs.toFixed()} ms`,
    )
    assert.ok(service.alive(), `the service has ended: ${service.process.output.stderr}`)
  }
  const { refused, slowest } = await watcher.stop()
  const ledger = await creators.stop()
  // Only requests that were using a lost connection get a 503.
  const unavailable = refused + (creators.others.get(503) ?? 0)

  assert.ok(unavailable > 0, 'no crash had an effect')
  await assertNothingLost(service, ledger)
  const times = `recovery after at most ${slowestRecovery.toFixed()} ms, slowest answer ${slowest.toFixed()} ms`
  reportFigure(
    t,
    `${ROUNDS} crashes, ${ledger.size} creates, ${unavailable} × 503: 0 lost, 0 twice; ${times}`,
  )
})

const CONTROL = 'control: a PostgreSQL that answers before it has written loses animals'
test(CONTROL, { timeout: 60_000 }, async (t) => {
  const own = await startOwnPostgres(t, ['synchronous_commit=off', 'wal_writer_delay=10s'])
  const service = await startService(t, { settings: { DATABASE_URL: own.url } })
  const creators = startCreators(t, service)
  // Writes the key to disk.
  await own.query('checkpoint')
  await pause(MAX_PAUSE_MS)
  await restart(own, 'SIGQUIT', 0)
  await waitForRecovery(own, creators.ledger)
  const { lost } = await audit(service, await creators.stop())

  assert.ok(lost.length > 0, 'nothing was lost')
  reportFigure(t, `${lost.length} lost`)
})

async function restart(own: OwnPostgres, signal: Parameters<OwnPostgres['stop']>[0], downMs: number) {
  await own.stop(signal)
  await pause(downMs)
  await own.start()
}

/** Kills one backend, so PostgreSQL ends all the others and recovers. */
async function killBackend(own: OwnPostgres): Promise<void> {
  const [backend] = await own.query(`${OWN_BACKENDS} order by random() limit 1`)
  if (backend) process.kill(backend.pid, 'SIGKILL')
}

async function terminate(own: OwnPostgres, which: string): Promise<void> {
  await own.query(`select pg_terminate_backend(pid) from (${OWN_BACKENDS} ${which}) as own`)
}

/**
 * Time in milliseconds from PostgreSQL's first change on disk to the next create. PostgreSQL counts as down
 * while a change takes longer than the service waits.
 */
async function waitForRecovery(own: OwnPostgres, ledger: Ledger): Promise<number> {
  let [since, before] = [performance.now(), ledger.size]
  while (ledger.size === before && performance.now() - since < RECOVERY_MS) {
    // The service may have answered once more before it noticed the crash.
    if (!(await changesInTime(own))) [since, before] = [performance.now(), ledger.size]
    await pause(2)
  }
  return performance.now() - since
}

/** Whether PostgreSQL can write to its disk in time. */
async function changesInTime(own: OwnPostgres): Promise<boolean> {
  const since = performance.now()
  const rows = await own.query(`select pg_logical_emit_message(true, 'torture', '')`).catch(() => [])
  return rows.length > 0 && performance.now() - since < CHANGE_MS
}
