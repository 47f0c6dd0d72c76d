import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Service } from '../lab/service.ts'
import type { Look, Seen } from './answers.ts'

// With Redis a few requests may be refused early while one of its parts fails, or a process hangs that holds a
// promise (decision 12). A test excuses that only where the cause can be seen, and not often.

/** A request asks no longer than this for promises that do not come back. */
export const PATIENCE_MS = 105
/** A process that has lost Redis is back within, on a busy machine too, and is left no reserve any more. */
const AFTERMATH_MS = 5_000
/** The log is passed on at least every second; src/log.ts. */
const LOG_MS = 1_200
/** After an excuse, so that one cause does not take the next window too. */
const CALM_MS = 1_000
const MAX_HANGING_MS = 60_000

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
  /** Its own answers, which may show the cause. */
  seen: Seen[]
}

export interface Excuses {
  /** @throws the difference, where nothing explains it; and when there were too many */
  add(window: Window): Promise<void>
  /** Behind the figure of a test. */
  figure: string
}

/**
 * @param rounds so many have to be exact, beside those that are excused
 * @param services those whose log tells when they lost Redis; nothing is excused of one alone, without Redis
 */
export function countExcuses(rounds: number, services: Service[], embedded: boolean): Excuses {
  const most = mostExcused(rounds)
  let count = 0
  return {
    async add({ difference, seen }) {
      if (embedded) throw difference
      const began = Math.min(...seen.map(({ sentAt }) => sentAt))
      if (!seen.some(isHung) && !(await lostSince(services, began - AFTERMATH_MS))) throw difference
      count += 1
      assert.ok(count <= most, `more than ${most} excused beside ${rounds}; the last one: ${difference}`)
      await pause(CALM_MS)
    },
    get figure() {
      return embedded ? '' : `; ${count} excused of at most ${most}`
    },
  }
}

/** Whether an answer says that Redis is lost, or took longer than the limiter waits for anything but Redis. */
function isHung({ status, tookMs }: Seen): boolean {
  return status === 503 || tookMs > PATIENCE_MS
}

/** Waits until each process answers at once: one that just hung may still have to show the others that it lives. */
export async function untilPrompt(look: Look, services: Service[]): Promise<void> {
  const began = performance.now()
  for (;;) {
    const answers = await Promise.all(services.map(({ address }) => look(address, undefined, '/livez')))
    if (!answers.some(isHung)) return
    assert.ok(performance.now() - began < MAX_HANGING_MS, 'a process went on hanging')
    await pause(CALM_MS)
  }
}

async function lostSince(services: Service[], since: number): Promise<boolean> {
  if (services.length > 0) await pause(LOG_MS)
  return services.some(({ process }) => lossesOf(process.output.stderr).some((time) => time >= since))
}

/** When a process lost Redis, by its log. */
function lossesOf(log: string): number[] {
  const lines = log.split('\n').filter((line) => line.includes('the shared counters are lost'))
  return lines.map((line) => Number(/"time":(\d+)/.exec(line)?.[1]))
}
