/** Where time and chance come from; a test brings its own. */
export interface Time {
  /** Unix time in milliseconds. */
  clock: () => number
  /** Resolves after that many milliseconds; rejects with the signal's reason when it is aborted before. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** From 0 to below 1. */
  random: () => number
}

/** Of the machine. Setting its clock moves no wait: the time since the start is counted apart from it. */
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

/** The longest that setTimeout can wait, in milliseconds. */
const LONGEST_SLEEP = 2 ** 31 - 1

/** Resolves when the clock shows that time, never before. */
export async function sleepUntil(at: number, { clock, sleep }: Time, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const left = at - clock()
    if (left <= 0) return
    await sleep(Math.min(Math.ceil(left), LONGEST_SLEEP), signal)
  }
}

const FIRST_BACKOFF = 500
const LONGEST_BACKOFF = 20_000

/**
 * How long to wait, after the time that the service named if it did: anything up to a bound that doubles with
 * each try, so that clients which failed together do not come back together.
 * @param tries how many there were
 * @returns milliseconds
 */
export function backoff(tries: number, random: () => number): number {
  return random() * Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (tries - 1))
}

/**
 * Reads a Retry-After header (RFC 9110, section 10.2.3): seconds, or a date.
 * @param now Unix time in milliseconds
 * @returns seconds; undefined where there is none that can be read
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}
