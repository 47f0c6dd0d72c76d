import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { TestContext } from 'node:test'
import * as program from '../cli/program.ts'
import { isPostgres } from '../db/store-url.ts'

export interface Exit {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunningProcess {
  child: ChildProcess
  /** The output so far. */
  output: { stdout: string; stderr: string }
  /** Resolves to the address when the service is ready. */
  serving: Promise<string>
  exited: Promise<Exit>
}

/** An environment without settings: only the paths of programs and of temporary folders. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env
  return { PATH, TMPDIR, NODE_COMPILE_CACHE }
}

/**
 * A temporary folder for the photos of a PostgreSQL database. The default is a folder of the working folder,
 * where photos would stay after the test.
 */
export const photosFolder = (databaseUrl: string): string =>
  join(tmpdir(), `photos-of-${new URL(databaseUrl).pathname.slice(1)}`)

/** The whole environment of a process that has only the given settings. */
function environmentOf(settings: Record<string, string>): NodeJS.ProcessEnv {
  const { DATABASE_URL } = settings
  const photos = DATABASE_URL &&
    isPostgres(DATABASE_URL) && { PHOTOS_URL: `file:${photosFolder(DATABASE_URL)}` }
  return { ...bareEnvironment(), ...photos, ...settings }
}

interface Options {
  /** Makes the process the leader of a group, which a signal to its negative id reaches. */
  detached?: boolean
  stderr?: 'pipe' | number
  /** A command that runs the process, such as strace with its options. */
  through?: string[]
  /** Another executable than bin/adoptable.js. */
  program?: string
}

/**
 * Starts the command as a separate process with only the given settings, and kills the process after the
 * test.
 */
export function spawnCli(
  t: TestContext,
  args: string[],
  settings: Record<string, string>,
  cwd = process.cwd(),
  { detached = false, stderr = 'pipe', through = [], program = resolve('bin/adoptable.js') }: Options = {},
): RunningProcess {
  const [command = '', ...before] = [...through, process.execPath]
  const child = spawn(command, [...before, program, ...args], {
    cwd,
    detached,
    env: environmentOf(settings),
    stdio: ['ignore', 'pipe', stderr],
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk: Buffer) => {
      output[name] += chunk
    })
  }
  const exited = once(child, 'close').then(([code]) => ({ code, ...output }))
  const serving = new Promise<string>((serve, reject) => {
    child.stdout?.on('data', () => {
      const address = /serves (http:\S+)\/v1/.exec(output.stdout)?.[1]
      if (address) serve(address)
    })
    void exited.then(({ stderr }) => reject(new Error(`the process ended before it was ready: ${stderr}`)))
  })
  serving.catch(() => undefined)
  t.after(() => child.kill('SIGKILL'))
  return { child, output, serving, exited }
}

/** Runs a command in the process of the test, with separate streams and only the given settings. */
export async function runCli(
  _t: TestContext,
  args: string[],
  settings: Record<string, string>,
): Promise<Exit> {
  const output = { stdout: '', stderr: '' }
  const collect = (name: keyof typeof output) =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        output[name] += chunk
        done()
      },
    })
  const streams = { stdin: Readable.from([]), stdout: collect('stdout'), stderr: collect('stderr') }
  const code = await program.runCli(
    [process.execPath, 'adoptable', ...args],
    environmentOf(settings),
    streams,
  )
  return { code, ...output }
}
