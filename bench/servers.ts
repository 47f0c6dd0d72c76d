import { execFile, fork, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Answers } from './bare.ts'
import { heard, mind, PATIENCE_MS, stop } from './children.ts'

export interface Service {
  port: number
  /** From its spawn to its first answer of 200. */
  readyMs: number
  memory(): Memory
  stop(): Promise<void>
}

/** Resident memory of a process as Linux sees it, in MiB; not known elsewhere. */
export interface Memory {
  nowMb?: number
  peakMb?: number
}

const COMMAND = fileURLToPath(new URL('../bin/adoptable.js', import.meta.url))

export interface Store {
  databaseUrl: string
  redisUrl?: string
}

/** The defaults but for the place: whoever runs this may have settings of another adoptable around. */
function environment({ databaseUrl, redisUrl = '' }: Store): NodeJS.ProcessEnv {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const store = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }
  return { ...process.env, PATH, HOST: '', PORT: '0', ...store, LOG_LEVEL: '' }
}

/** A key whose limits are counted as any other's, and never reached. */
export async function makeKey(store: Store): Promise<string> {
  const plan = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000']
  const args = [COMMAND, 'keys', 'create', '--name', 'bench', ...plan]
  const options = { env: environment(store), timeout: PATIENCE_MS }
  return (await promisify(execFile)(process.execPath, args, options)).stdout.trim()
}

/** Starts the service as its user would; its log, one line a request, is written and goes nowhere. */
export async function startService(store: Store, workers = 1): Promise<Service> {
  const begun = performance.now()
  const child = mind(
    spawn(COMMAND, ['serve', '--workers', String(workers)], {
      env: environment(store),
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const lines = createInterface({ input: child.stdout })
  const greeting = String(await heard(child, lines, 'line'))
  const port = Number(/:(\d+)\/v1/.exec(greeting)?.[1])
  const { status } = await fetch(`http://127.0.0.1:${port}/readyz`)
  if (status !== 200) throw new Error(`adoptable is not ready: status ${status}`)
  const readyMs = performance.now() - begun
  return { port, readyMs, memory: () => memoryOf(child.pid), stop: () => stop(child) }
}

function memoryOf(pid: number | undefined): Memory {
  if (process.platform !== 'linux') return {}
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) / 1_024
  return { nowMb: mb('VmRSS'), peakMb: mb('VmHWM') }
}

/** Adds animals behind the service's back, which may go on meanwhile. */
export function addAvailable(file: string, count: number): void {
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS })
  const places = 'with recursive place (n) as (select 1 union all select n + 1 from place where n < ?)'
  database
    .prepare(`insert into pet (name, category_id, status) ${places} select 'Rex', 1, 'available' from place`)
    .run(count)
  database.close()
}

export interface Bare {
  port: number
  /** From now on it gives these answers. */
  answer(answers: Answers): Promise<void>
  stop(): Promise<void>
}

export async function startBare(): Promise<Bare> {
  const child = mind(fork(new URL('bare.ts', import.meta.url)))
  const { port } = (await heard(child, child, 'message')) as AddressInfo
  return {
    port,
    async answer(answers) {
      child.send(answers)
      await heard(child, child, 'message')
    },
    stop: () => stop(child),
  }
}
