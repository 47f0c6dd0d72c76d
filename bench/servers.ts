import { execFile, fork, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SETTINGS } from '../src/config.ts'
import type { Answers } from './answers.ts'
import { endWithProcess, stop, TIMEOUT_MS, waitForEvent } from './children.ts'

export interface Service {
  port: number
  pid: number | undefined
  /** Time from the spawn to the first 200. */
  readyMs: number
  /** For a probed service: the longest delay of its event loop since the last call. */
  longestTurnMs(): Promise<number>
  stop(): Promise<void>
}

/** Resident memory of a process in MiB; undefined except on Linux. */
export interface Memory {
  nowMb?: number
  peakMb?: number
}

const PROBE = import.meta.resolve('./loop-probe.ts')
/** The command of this version of the project. */
export const COMMAND = fileURLToPath(new URL('../bin/adoptable.js', import.meta.url))

export interface Store {
  databaseUrl: string
  redisUrl?: string
  /** Settings that differ from the defaults. */
  settings?: Record<string, string>
}

/** Default settings except for the store, because the shell may have settings for another installation. */
function environment({ databaseUrl, redisUrl = '', settings = {} }: Store): NodeJS.ProcessEnv {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const defaults = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']))
  const own = { PORT: '0', DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }
  return { ...process.env, PATH, ...defaults, ...own, ...settings }
}

/**
 * Creates a key, and the store unless `init` is false.
 *
 * @returns a key whose limits are counted but never reached
 */
export async function makeKey(store: Store, { command = COMMAND, init = true } = {}): Promise<string> {
  const plan = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000']
  const args = ['keys', 'create', ...(init ? ['--init'] : []), '--name', 'bench', ...plan]
  return runCommand(store, args, { command })
}

/** @returns the command's output */
export async function runCommand(
  store: Store,
  args: string[],
  { command = COMMAND, timeoutMs = TIMEOUT_MS } = {},
): Promise<string> {
  const options = { env: environment(store), timeout: timeoutMs }
  return (await promisify(execFile)(process.execPath, [command, ...args], options)).stdout.trim()
}

/** Starts the service as an operator does. Its log is written and discarded. */
export async function startService(
  store: Store,
  { workers = 1, probed = false, command = COMMAND } = {},
): Promise<Service> {
  const begun = performance.now()
  const child = endWithProcess(
    spawn(command, ['serve', '--workers', String(workers)], {
      env: { ...environment(store), ...(probed && { NODE_OPTIONS: `--import=${PROBE}` }) },
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const lines = createInterface({ input: child.stdout })
  const greeting = String(await waitForEvent(child, lines, 'line'))
  const port = Number(/:(\d+)\/v1/.exec(greeting)?.[1])
  const { status } = await fetch(`http://127.0.0.1:${port}/readyz`)
  if (status !== 200) throw new Error(`adoptable is not ready: status ${status}`)
  const readyMs = performance.now() - begun
  async function longestTurnMs(): Promise<number> {
    const line = waitForEvent(child, lines, 'line')
    child.kill('SIGWINCH')
    return Number(await line)
  }
  return {
    port,
    pid: child.pid,
    readyMs,
    longestTurnMs,
    stop: () => stop(child),
  }
}

export function memoryOf(pid: number | undefined): Memory {
  if (process.platform !== 'linux' || pid === undefined) return {}
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) / 1_024
  return { nowMb: mb('VmRSS'), peakMb: mb('VmHWM') }
}

/** Length of a tick in /proc. */
const TICK_MS = 10

/** Processor time of all threads of a process in milliseconds; NaN except on Linux. */
export function computedMs(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return Number.NaN
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // Skips the name, which may contain any character.
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number)
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) * TICK_MS
}

export interface Bare {
  port: number
  pid: number | undefined
  /** Sets the answers of the server. */
  answer(answers: Answers): Promise<void>
  stop(): Promise<void>
}

export async function startBare(): Promise<Bare> {
  const child = endWithProcess(fork(new URL('bare.ts', import.meta.url)))
  const { port } = (await waitForEvent(child, child, 'message')) as AddressInfo
  return {
    port,
    pid: child.pid,
    async answer(answers) {
      child.send(answers)
      await waitForEvent(child, child, 'message')
    },
    stop: () => stop(child),
  }
}
