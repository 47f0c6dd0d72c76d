import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Service } from '../lab/service.ts'
import type { ObservedAnswer, Observer } from './answers.ts'

// With Redis a few requests may be refused early while a part fails, or while a process hangs that has a
// lease (decision 12). A test accepts such a window only if the cause is visible, and only a few of them.

/** A request waits no longer than this for leases that are not returned. */
export const MAX_WAIT_MS = 105
/** Even on a busy machine, a process that lost Redis has recovered after this time, without a reserve. */
const AFTERMATH_MS = 5_000
/** The log is written at least every second; see src/log.ts. */
const LOG_MS = 1_200
/** Pause after an accepted window, so its cause does not affect the next one. */
const CALM_MS = 1_000
const MAX_HANGING_MS = 60_000

/**
 * The maximum number of windows with early refusals, in addition to the exact ones: a third of `rounds`, at
 * least two. With ten busy processes per processor, there are about a tenth of `rounds`.
 */
export function maxExcuses(rounds: number): number {
  return Math.max(2, Math.ceil(rounds / 3))
}

interface Window {
  /** The failed assertion. */
  difference: unknown
  /** The window's answers, which may show the cause. */
  seen: ObservedAnswer[]
}

export interface Excuses {
  /** @throws the failed assertion if there is no visible cause, or too many windows were accepted */
  add(window: Window): Promise<void>
  /** Appended to the figure of a test. */
  figure: string
}

/**
 * @param rounds number of windows that must be exact
 * @param services services whose logs report a lost Redis
 * @param embedded without Redis, no early refusal is accepted
 */
export function countExcuses(rounds: number, services: Service[], embedded: boolean): Excuses {
  const maxCount = maxExcuses(rounds)
  let count = 0
  return {
    async add({ difference, seen }) {
      if (embedded) throw difference
      const began = Math.min(...seen.map(({ sentAt }) => sentAt))
      if (!seen.some(isHung) && !(await lostRedisSince(services, began - AFTERMATH_MS))) throw difference
      count += 1
      assert.ok(
        count <= maxCount,
        `more than ${maxCount} excused in addition to ${rounds} exact windows; the last one: ${difference}`,
      )
      await pause(CALM_MS)
    },
    get figure() {
      return embedded ? '' : `; ${count} excused of at most ${maxCount}`
    },
  }
}

/** Whether an answer is a 503, or took longer than the limiter would wait for another process. */
function isHung({ status, tookMs }: ObservedAnswer): boolean {
  return status === 503 || tookMs > MAX_WAIT_MS
}

/** Waits until each process answers promptly. A process that hung may first have to signal the others. */
export async function waitUntilPrompt(observe: Observer, services: Service[]): Promise<void> {
  const began = performance.now()
  for (;;) {
    const answers = await Promise.all(services.map(({ address }) => observe(address, undefined, '/livez')))
    if (!answers.some(isHung)) return
    assert.ok(performance.now() - began < MAX_HANGING_MS, 'a process still hangs')
    await pause(CALM_MS)
  }
}

async function lostRedisSince(services: Service[], since: number): Promise<boolean> {
  if (services.length > 0) await pause(LOG_MS)
  return services.some(({ process }) => redisLosses(process.output.stderr).some((time) => time >= since))
}

/** Times at which a process lost Redis, from its log. */
function redisLosses(log: string): number[] {
  const lines = log.split('\n').filter((line) => line.includes('the shared counters are lost'))
  return lines.map((line) => Number(/"time":(\d+)/.exec(line)?.[1]))
}
