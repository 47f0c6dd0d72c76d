import { type ChildProcess, execFile, fork, spawn } from 'node:child_process'
import { type EventEmitter, on, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SETTINGS } from '../src/config.ts'
import { queryDatabase } from '../src/testing/postgres.ts'
import type { Answers } from './requests.ts'

/** Time limit for a child to start, answer or end. Only a hanging child exceeds it. */
const TIMEOUT_MS = 60_000

const running = new Set<ChildProcess>()

/** Kills a child when this process ends. */
export function endWithProcess<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

export async function stop(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(TIMEOUT_MS) })
  child.kill('SIGTERM')
  await ended
}

/**
 * Waits for an event of a child or of one of its streams. @returns the event's first argument
 * @throws if the child ends or times out before
 */
export async function waitForEvent(
  child: ChildProcess,
  source: EventEmitter,
  event: string,
): Promise<unknown> {
  const done = new AbortController()
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(TIMEOUT_MS)])
  const events = [once(source, event, { signal }), once(child, 'exit', { signal }).then(() => undefined)]
  const first = await Promise.race(events).finally(() => done.abort())
  if (!first) throw new Error(`${child.spawnargs.join(' ')} ended with code ${child.exitCode}`)
  return first[0]
}

export interface Service {
  port: number
  pid: number | undefined
  /** Time from the spawn to the first 200. */
  readyMs: number
  /** For a probed service: the longest turn of its event loop in ms of processor time, since the last call. */
  longestTurnMs(): Promise<number>
  stop(): Promise<void>
}

const PROBE = import.meta.resolve('../torture/lab/probe.ts')
const COMMAND = fileURLToPath(new URL('../bin/adoptable.js', import.meta.url))

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

/** Creates the store and a key, whose limits are counted but never reached. @returns the key */
export async function makeKey(store: Store): Promise<string> {
  const plan = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000']
  const args = [COMMAND, 'keys', 'create', '--init', '--name', 'bench', ...plan]
  const options = { env: environment(store), timeout: TIMEOUT_MS }
  return (await promisify(execFile)(process.execPath, args, options)).stdout.trim()
}

/** Starts the service as an operator does. Its log is written and discarded. */
export async function startService(store: Store, { workers = 1, probed = false } = {}): Promise<Service> {
  const begun = performance.now()
  const child = endWithProcess(
    spawn(COMMAND, ['serve', '--workers', String(workers)], {
      env: { ...environment(store), ...(probed && { NODE_OPTIONS: `--import=${PROBE}` }) },
      stdio: ['ignore', 'pipe', probed ? 'pipe' : 'ignore'],
    }),
  )
  const lines = createInterface({ input: child.stdout as Readable })
  const greeting = String(await waitForEvent(child, lines, 'line'))
  const port = Number(/:(\d+)\/v1/.exec(greeting)?.[1])
  const { status } = await fetch(`http://127.0.0.1:${port}/readyz`)
  if (status !== 200) throw new Error(`adoptable is not ready: status ${status}`)
  const readyMs = performance.now() - begun
  const log = probed ? createInterface({ input: child.stderr as Readable }) : undefined
  async function longestTurnMs(): Promise<number> {
    if (!log) throw new Error('the service is not probed')
    child.kill('SIGWINCH')
    for await (const [line] of on(log, 'line'))
      if (line.startsWith('probe ')) return JSON.parse(line.slice('probe '.length)).longestMs
    throw new Error('the service has ended')
  }
  return { port, pid: child.pid, readyMs, longestTurnMs, stop: () => stop(child) }
}

export type Bare = Awaited<ReturnType<typeof startBare>>

export async function startBare() {
  const child = endWithProcess(fork(new URL('bare.ts', import.meta.url)))
  const { port } = (await waitForEvent(child, child, 'message')) as AddressInfo
  return {
    port,
    pid: child.pid,
    async answer(answers: Answers): Promise<void> {
      child.send(answers)
      await waitForEvent(child, child, 'message')
    },
    stop: () => stop(child),
  }
}

let databases = 0

/** Creates a database on a PostgreSQL server and drops it after the work. */
export async function withOwnDatabase<Result>(
  serverUrl: string,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  databases += 1
  const name = `adoptable_bench_${process.pid}_${databases}`
  await queryDatabase(serverUrl, `create database ${name}`)
  try {
    return await work(Object.assign(new URL(serverUrl), { pathname: name }).href)
  } finally {
    await queryDatabase(serverUrl, `drop database ${name} with (force)`)
  }
}
