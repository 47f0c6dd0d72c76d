import { execFile, fork, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SETTINGS } from '../src/config.ts'
import type { Answers } from './answers.ts'
import { heard, mind, PATIENCE_MS, stop } from './children.ts'

export interface Service {
  port: number
  pid: number | undefined
  /** From its spawn to its first answer of 200. */
  readyMs: number
  /** Of a probed one: how late its event loop was at most since this was asked last, in milliseconds. */
  longestTurnMs(): Promise<number>
  stop(): Promise<void>
}

/** Resident memory of a process as Linux sees it, in MiB; not known elsewhere. */
export interface Memory {
  nowMb?: number
  peakMb?: number
}

const PROBE = import.meta.resolve('./loop-probe.ts')
/** Of this state of the project. */
export const COMMAND = fileURLToPath(new URL('../bin/adoptable.js', import.meta.url))

export interface Store {
  databaseUrl: string
  redisUrl?: string
  /** Settings other than the defaults. */
  settings?: Record<string, string>
}

/** The defaults but for the place: whoever runs this may have settings of another adoptable around. */
function environment({ databaseUrl, redisUrl = '', settings = {} }: Store): NodeJS.ProcessEnv {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const defaults = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']))
  const own = { PORT: '0', DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }
  return { ...process.env, PATH, ...defaults, ...own, ...settings }
}

/** Makes the store too, unless told otherwise. @returns a key whose limits are counted as any other's, and never reached. */
export async function makeKey(store: Store, { command = COMMAND, init = true } = {}): Promise<string> {
  const plan = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000']
  const args = ['keys', 'create', ...(init ? ['--init'] : []), '--name', 'bench', ...plan]
  return runCommand(store, args, { command })
}

/** @returns what it prints */
export async function runCommand(
  store: Store,
  args: string[],
  { command = COMMAND, patienceMs = PATIENCE_MS } = {},
): Promise<string> {
  const options = { env: environment(store), timeout: patienceMs }
  return (await promisify(execFile)(process.execPath, [command, ...args], options)).stdout.trim()
}

/** Starts the service as its user would; its log, one line a request, is written and goes nowhere. */
export async function startService(
  store: Store,
  { workers = 1, probed = false, command = COMMAND } = {},
): Promise<Service> {
  const begun = performance.now()
  const child = mind(
    spawn(command, ['serve', '--workers', String(workers)], {
      env: { ...environment(store), ...(probed && { NODE_OPTIONS: `--import=${PROBE}` }) },
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const lines = createInterface({ input: child.stdout })
  const greeting = String(await heard(child, lines, 'line'))
  const port = Number(/:(\d+)\/v1/.exec(greeting)?.[1])
  const { status } = await fetch(`http://127.0.0.1:${port}/readyz`)
  if (status !== 200) throw new Error(`adoptable is not ready: status ${status}`)
  const readyMs = performance.now() - begun
  async function longestTurnMs(): Promise<number> {
    const told = heard(child, lines, 'line')
    child.kill('SIGWINCH')
    return Number(await told)
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

/** In which Linux counts the time of a process. */
const TICK_MS = 10

/** Time that all threads of a process have computed, in milliseconds; not known but on Linux. */
export function computedMs(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return Number.NaN
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // What stands before is the name, which may hold anything.
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number)
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) * TICK_MS
}

export interface Bare {
  port: number
  pid: number | undefined
  /** From now on it gives these answers. */
  answer(answers: Answers): Promise<void>
  stop(): Promise<void>
}

export async function startBare(): Promise<Bare> {
  const child = mind(fork(new URL('bare.ts', import.meta.url)))
  const { port } = (await heard(child, child, 'message')) as AddressInfo
  return {
    port,
    pid: child.pid,
    async answer(answers) {
      child.send(answers)
      await heard(child, child, 'message')
    },
    stop: () => stop(child),
  }
}
