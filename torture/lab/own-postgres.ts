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

/** SIGTERM waits for the clients, SIGINT does not, SIGQUIT is a crash on demand, SIGKILL one without any. */
type Ending = 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGKILL'

/** A PostgreSQL of the test's own that syncs, and that may be broken in any way. */
export interface OwnPostgres {
  readonly port: number
  readonly folder: string
  /** Of its one database. */
  readonly url: string
  /** Until it takes questions. */
  start(): Promise<void>
  stop(how: Ending): Promise<void>
  /** What a superuser asks; the rows of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what came, whatever its shape
  query(statement: string): Promise<any[]>
  /** A copy of it as it stands, stopped, with settings of its own. */
  copy(settings: string[]): Promise<OwnPostgres>
}

interface Options {
  /** For the command line, such as max_connections=20. */
  settings?: string[]
  /** Address to listen on. */
  host?: string
  /** Begins the command line: in a network namespace, say. */
  inside?: string[]
  /** Where the data lies; a folder of the test's own when absent. */
  folder?: string
}

const QUESTION_MS = 5_000
/** PostgreSQL's code for a server that starts, stops or recovers. */
const RECOVERING = '57P03'
/** With the recovery after a crash, on a busy machine. */
const START_MS = 60_000

/** Started, and gone after the test. */
export async function startOwnPostgres(t: TestContext, options: Options = {}): Promise<OwnPostgres> {
  const folder = options.folder ?? scratchFolder(t)
  await initServer(folder)
  // For those of another network namespace.
  if (options.host) writeFileSync(join(folder, 'data/pg_hba.conf'), 'host all all 0.0.0.0/0 trust\n')
  const own = await serverOn(t, folder, options)
  await own.start()
  return own
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
  const own = [`port=${port}`, `listen_addresses=${host}`, 'unix_socket_directories=', 'fsync=on']
  const [program = '', ...args] = [
    ...[...inside, postgres, '-D', join(folder, 'data')],
    ...[...own, ...settings].flatMap((setting) => ['-c', setting]),
  ]
  let server: ChildProcess | undefined
  let complaints = ''

  async function start(): Promise<void> {
    const since = performance.now()
    while (!(await answers())) {
      // It ends at once while parts of a killed one still live.
      if (!server || server.exitCode !== null || server.signalCode !== null) {
        server = spawn(program, args, {
          ...(inside.length > 0 ? {} : NOBODY),
          cwd: folder,
          stdio: ['ignore', 'ignore', 'pipe'],
        })
        server.stderr?.on('data', (chunk) => {
          complaints = (complaints + chunk).slice(-2_000)
        })
      }
      if (performance.now() - since > START_MS) throw new Error(`PostgreSQL did not start: ${complaints}`)
      await pause(10)
    }
  }

  async function stop(how: Ending): Promise<void> {
    const ending = server
    server = undefined
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const gone = once(ending, 'exit')
    ending.kill(how)
    await gone
  }

  async function ask(statement: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: QUESTION_MS })
    // It may be killed by its own question.
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await client.query(statement)).rows ?? []
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  /** Waits while the server recovers from what became of it before. */
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
    async copy(more) {
      const other = scratchFolder(t)
      execFileSync('cp', ['-a', join(folder, 'data'), other])
      return serverOn(t, other, { settings: more })
    },
  }
}
