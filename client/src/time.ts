/** Source of time and randomness. Tests replace it. */
export interface Time {
  /** Unix time in milliseconds. */
  clock: () => number
  /** Resolves after the milliseconds; rejects with the signal's reason if aborted before. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** From 0 to below 1. */
  random: () => number
}

/**
 * The time of the machine. Setting the machine's clock does not affect waits, because they use the monotonic
 * clock.
 */
export const MACHINE_TIME: Time = {
  clock: () => performance.timeOrigin + performance.now(),
  sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, milliseconds)
      signal?.addEventListener('abort', stop, { once: true })
    })
  },
  random: Math.random,
}

/** Maximum of setTimeout. */
const MAX_SLEEP_MS = 2 ** 31 - 1

/** Resolves when the clock shows `at` or later. */
export async function sleepUntil(at: number, { clock, sleep }: Time, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const left = at - clock()
    if (left <= 0) return
    await sleep(Math.min(Math.ceil(left), MAX_SLEEP_MS), signal)
  }
}

const MIN_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 20_000

/**
 * A random wait, added to the time that the service named, up to a bound that doubles with each attempt. It
 * keeps clients from returning all at once.
 * @param attempts number of attempts so far
 * @returns milliseconds
 */
export function backoff(attempts: number, random: () => number): number {
  return random() * Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (attempts - 1))
}

/**
 * Reads a Retry-After header (RFC 9110, section 10.2.3): seconds, or a date.
 * @param now Unix time in milliseconds
 * @returns seconds; undefined without a readable header
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}
