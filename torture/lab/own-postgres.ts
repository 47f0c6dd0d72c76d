import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { cleanup } from '../../src/testing/cleanup.ts'
import { freePort } from '../../src/testing/port.ts'
import { initServer, NOBODY, postgresPrograms } from '../../src/testing/postgres-server.ts'

/**
 * SIGTERM waits for clients. SIGINT disconnects them. SIGQUIT ends all processes without a shutdown. SIGKILL
 * ends only the main process.
 */
type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGKILL'

/** A PostgreSQL that belongs to one test, syncs to disk and may be crashed. */
export interface OwnPostgres {
  readonly port: number
  readonly folder: string
  /** URL of its only database. */
  readonly url: string
  /** Resolves when the server accepts queries. */
  start(): Promise<void>
  stop(signal: StopSignal): Promise<void>
  /** Runs a statement as superuser, waiting for a recovery if necessary. @returns the rows */
  // biome-ignore lint/suspicious/noExplicitAny: rows have any shape
  query(statement: string): Promise<any[]>
  /** Copies the data to a stopped server with these settings. */
  copy(settings: string[]): Promise<OwnPostgres>
}

interface Options {
  /** Settings for the command line, such as max_connections=20. */
  settings?: string[]
  /** Address to listen on. */
  host?: string
  /** Start of the command line, such as the one of a network namespace. */
  inside?: string[]
  /** Folder of the data; a temporary one when absent. */
  folder?: string
}

const QUERY_TIMEOUT_MS = 5_000
/** PostgreSQL's error code for a server that starts, stops or recovers. */
const RECOVERING = '57P03'
/** Time limit that includes the recovery after a crash, on a busy machine. */
const START_MS = 60_000

/** Starts a PostgreSQL, which is removed after the test. */
export async function startOwnPostgres(t: TestContext, options: Options = {}): Promise<OwnPostgres> {
  const folder = options.folder ?? scratchFolder(t)
  await initServer(folder)
  // Lets clients of other network namespaces connect.
  if (options.host) writeFileSync(join(folder, 'data/pg_hba.conf'), 'host all all 0.0.0.0/0 trust\n')
  const server = await serverOn(t, folder, options)
  await server.start()
  return server
}

function scratchFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'adoptable-own-postgres-'))
  if (NOBODY.uid) chownSync(folder, NOBODY.uid, NOBODY.gid)
  cleanup(t).defer(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function serverOn(t: TestContext, folder: string, options: Options): Promise<OwnPostgres> {
  const { settings = [], host = '127.0.0.1', inside = [] } = options
  const { postgres } = await postgresPrograms()
  const port = await freePort()
  const url = `postgres://postgres@${host}:${port}/postgres`
  const serverSettings = [`port=${port}`, `listen_addresses=${host}`, 'unix_socket_directories=', 'fsync=on']
  const [program = '', ...args] = [
    ...[...inside, postgres, '-D', join(folder, 'data')],
    ...[...serverSettings, ...settings].flatMap((setting) => ['-c', setting]),
  ]
  let server: ChildProcess | undefined
  let stderr = ''

  async function start(): Promise<void> {
    const since = performance.now()
    while (!(await answers())) {
      // A new server ends at once while processes of a killed one still run.
      if (!server || server.exitCode !== null || server.signalCode !== null) {
        server = spawn(program, args, {
          ...(inside.length > 0 ? {} : NOBODY),
          cwd: folder,
          stdio: ['ignore', 'ignore', 'pipe'],
        })
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
  return {
    port,
    folder,
    url,
    start,
    stop,
    query,
    async copy(settings) {
      const other = scratchFolder(t)
      execFileSync('cp', ['-a', join(folder, 'data'), other])
      return serverOn(t, other, { settings })
    },
  }
}
