import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Connections, Server } from './exact-services.ts'

// With Redis a few requests may be refused early while one of its parts fails, or a process hangs that holds a
// promise (decision 12). A test excuses that only where the cause can be seen, and not often.

/** A request asks no longer than this for promises that do not come back; src/limits/redis-ask.ts. */
export const PATIENCE_MS = 105
/** A process that has lost Redis is back within, on a busy machine too, and is left no reserve any more. */
const AFTERMATH_MS = 5_000
/** The log is passed on at least every second; src/log.ts. */
const LOG_MS = 1_200
/** After an excuse, so that one cause does not take the next window too. */
const CALM_MS = 1_000
const MOST_HANGING_MS = 60_000

/**
 * A quarter of all: with ten busy processes for each processor it is a tenth, and with more the others would
 * no longer say much. A short run may meet with a busy moment or two.
 */
export function mostExcused(rounds: number): number {
  return Math.max(2, Math.ceil(rounds / 3))
}

interface Window {
  /** What was not as it should be. */
  difference: unknown
  /** Whether its own answers show the cause. */
  hung: boolean
  /** Unix time in milliseconds. */
  began: number
}

export interface Excuses {
  /** @throws the difference, where nothing explains it; and when there were too many */
  add(window: Window): Promise<void>
  /** For the summary, also when there were none. */
  figure(): string
}

/**
 * @param rounds so many have to be exact, beside those that are excused
 * @param servers those whose log tells when they lost Redis
 */
export function countExcuses(rounds: number, servers: readonly Pick<Server, 'output'>[]): Excuses {
  const most = mostExcused(rounds)
  let count = 0
  return {
    async add({ difference, hung, began }) {
      if (!hung && !(await lostSince(servers, began - AFTERMATH_MS))) throw difference
      count += 1
      assert.ok(count <= most, `more than ${most} excused beside ${rounds}; the last one: ${difference}`)
      await pause(CALM_MS)
    },
    figure: () => `${count} excused of at most ${most}`,
  }
}

/** Whether an answer says that Redis is lost, or took longer than the limiter waits for anything but Redis. */
export function isHung({ status, tookMs }: { status: number; tookMs: number }): boolean {
  return status === 503 || tookMs > PATIENCE_MS
}

/** Waits until each process answers at once: one that just hung may still have to show the others that it lives. */
export async function untilPrompt({ get }: Connections, servers: readonly Server[]): Promise<void> {
  const began = performance.now()
  for (;;) {
    const answers = await Promise.all(servers.map(({ address }) => get(address, '/livez', undefined)))
    if (!answers.some(isHung)) return
    assert.ok(performance.now() - began < MOST_HANGING_MS, 'a process went on hanging')
    await pause(CALM_MS)
  }
}

async function lostSince(servers: readonly Pick<Server, 'output'>[], since: number): Promise<boolean> {
  if (servers.length > 0) await pause(LOG_MS)
  return servers.some(({ output }) => lossesOf(output.stderr).some((time) => time >= since))
}

/** When a process lost Redis, by its log. */
function lossesOf(log: string): number[] {
  const lines = log.split('\n').filter((line) => line.includes('the shared counters are lost'))
  return lines.map((line) => Number(/"time":(\d+)/.exec(line)?.[1]))
}
