import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Account, Limiter, Ruling } from '../limits/limiter.ts'
import { canConnect, freePort } from './port.ts'

const PROGRAM = ['redis-server', 'valkey-server'].find((name) => {
  try {
    execFileSync(name, ['--version'])
    return true
  } catch {
    return false
  }
})

/** For the options of a test: without a server to start, it is skipped, with this as the reason. */
export const NEEDS_REDIS = {
  skip: PROGRAM ? false : 'neither redis-server nor valkey-server is installed',
  // Against hangs alone: a machine that does much else takes four times as long as one at rest.
  timeout: 60_000,
}

export interface TestRedis {
  readonly port: number
  /** For the test's own questions; connected whenever the server is. */
  readonly client: Redis
  start(): Promise<void>
  /** Ends it as a crash would: what was not saved is lost. */
  kill(): Promise<void>
  /** Leaves it there, silent. */
  pause(): void
  resume(): void
  /** Ends every connection, as a network does. */
  dropConnections(): Promise<void>
}

/** A Redis of the test's own on a free port, gone after it. It saves only when told to. */
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

/** Longer than anything takes here: who waits on would keep the process of a test that is over. */
const MAX_PATIENCE_MS = 120_000

/** Waits until it holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now()
  while (!(await holds())) {
    if (performance.now() - began > MAX_PATIENCE_MS) throw new Error(`still not so: ${holds}`)
    await pause(5)
  }
}

export type Taken = Ruling & {
  /** When it was answered, and after how long, in milliseconds. */
  at: number
  took: number
}

/** One request, and how long it took. */
export async function timed(limiter: Limiter, caller: Account): Promise<Taken> {
  const sentAt = performance.now()
  const ruling = await limiter.take(caller)
  const at = performance.now()
  return { ...ruling, at, took: at - sentAt }
}

/** Requests of one caller to all limiters, several at once at each, until told to stop. */
export function keepAsking(limiters: Limiter[], caller: Account, atOnce = 4, pauseMs = 8) {
  // On a busy machine a timer, too, may come late: that is not the limiter's doing.
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const taken: Taken[] = []
  let stopped = false
  const worker = async (limiter: Limiter): Promise<void> => {
    while (!stopped) {
      taken.push(await timed(limiter, caller))
      await pause(pauseMs)
    }
  }
  const workers = limiters.flatMap((limiter) => Array.from({ length: atOnce }, () => worker(limiter)))
  return {
    taken,
    /** How long this process itself was kept from answering, at worst, in milliseconds. */
    stall: () => delay.max / 1e6,
    async stop(): Promise<Taken[]> {
      stopped = true
      await Promise.all(workers)
      return taken
    },
  }
}
