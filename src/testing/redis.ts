import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Account, Limiter, LimiterVerdict } from '../limits/limiter.ts'
import { canConnect, freePort } from './port.ts'

const PROGRAM = ['redis-server', 'valkey-server'].find((name) => {
  try {
    execFileSync(name, ['--version'])
    return true
  } catch {
    return false
  }
})

/** Options for a test that needs Redis. Without an installed server, the test is skipped. */
export const NEEDS_REDIS = {
  skip: PROGRAM ? false : 'neither redis-server nor valkey-server is installed',
  // The timeout only ends a test that hangs. On a busy machine, a test may take four times as long as usual.
  timeout: 60_000,
}

export interface TestRedis {
  readonly port: number
  /** A client for the test. It reconnects when the server runs again. */
  readonly client: Redis
  start(): Promise<void>
  /** Kills the server; unsaved data is lost. */
  kill(): Promise<void>
  /** Suspends the server, so the server does not answer. */
  pause(): void
  resume(): void
  /** Breaks every connection. */
  dropConnections(): Promise<void>
}

/** Starts a Redis server for the test on a free port. The server saves data only on request. */
export async function startRedis(
  t: { after(end: () => Promise<void>): void },
  ...settings: string[]
): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'adoptable-redis-'))
  const port = await freePort()
  const secret = settings[settings.indexOf('--requirepass') + 1]
  const client = new Redis(port, '127.0.0.1', {
    lazyConnect: true,
    retryStrategy: () => 20,
    ...(settings.includes('--requirepass') && secret && { password: secret }),
  })
  client.on('error', () => {})
  let server: ChildProcess | undefined

  const kill = async (): Promise<void> => {
    const dying = server
    server = undefined
    if (!dying || dying.exitCode !== null) return
    const gone = new Promise((resolve) => dying.once('exit', resolve))
    dying.kill('SIGKILL')
    await gone
  }
  const start = async (): Promise<void> => {
    const own = ['--port', String(port), '--dir', folder, '--save', '', '--bind', '127.0.0.1']
    server = spawn(PROGRAM ?? 'redis-server', [...own, ...settings], { stdio: 'ignore' })
    while (!(await canConnect(port))) await pause(5)
  }
  t.after(async () => {
    client.disconnect()
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  await client.connect()
  return {
    port,
    client,
    start,
    kill,
    pause: () => server?.kill('SIGSTOP'),
    resume: () => server?.kill('SIGCONT'),
    dropConnections: async () =>
      void (await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')),
  }
}

/** No condition takes as long. Without a limit, a failed test would keep its process alive. */
const MAX_WAIT_MS = 120_000

/** Waits until a condition is true. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now()
  while (!(await condition())) {
    if (performance.now() - began > MAX_WAIT_MS) throw new Error(`still not true: ${condition}`)
    await pause(5)
  }
}

export type TimedRuling = LimiterVerdict & {
  /** The time of the answer, and the duration until the answer, in milliseconds. */
  at: number
  took: number
}

/** Takes one request from a limiter, and measures the time. */
export async function takeTimed(limiter: Limiter, caller: Account): Promise<TimedRuling> {
  const sentAt = performance.now()
  const ruling = await limiter.take(caller)
  const at = performance.now()
  return { ...ruling, at, took: at - sentAt }
}

/** Sends requests of one caller to all limiters, several requests at once, until stopped. */
export function sendContinuously(limiters: Limiter[], caller: Account, concurrency = 4, pauseMs = 8) {
  // Measures delays of this process on a busy machine, which are not the limiter's fault.
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const taken: TimedRuling[] = []
  let stopped = false
  const worker = async (limiter: Limiter): Promise<void> => {
    while (!stopped) {
      taken.push(await takeTimed(limiter, caller))
      await pause(pauseMs)
    }
  }
  const workers = limiters.flatMap((limiter) => Array.from({ length: concurrency }, () => worker(limiter)))
  return {
    taken,
    /** The longest time that this process was blocked, in milliseconds. */
    stall: () => delay.max / 1e6,
    async stop(): Promise<TimedRuling[]> {
      stopped = true
      await Promise.all(workers)
      return taken
    },
  }
}
