import type { RateLimit } from './answer.ts'
import { AdoptableError } from './error.ts'
import { sleepUntil, type Time } from './time.ts'

/**
 * The maximum number of concurrent requests, even if more are left in the window. If other clients use the
 * same key, the service may reject all of these requests. Twice this number of rejections in two minutes is
 * far from a ban.
 */
const MAX_CONCURRENT = 16

type Call = () => void

/** Every request of a client waits here for its turn and for the time that a 429 named. */
export class Gate {
  readonly #time: Time
  readonly #maxWaitMs: number
  #free = MAX_CONCURRENT
  #underWay = 0
  #remaining = MAX_CONCURRENT
  #resetAt: number | undefined
  readonly #watchers: Call[] = []
  readonly #waiting: Call[] = []
  #namedAt = 0
  #opensAt = 0
  #refusal: AdoptableError | undefined

  constructor(time: Time, maxWaitMs: number) {
    this.#time = time
    this.#maxWaitMs = maxWaitMs
  }

  /** Runs a request in order of arrival, at most `MAX_CONCURRENT` at the same time. */
  async queue<Result>(run: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await waitIn(this.#waiting, signal)
    try {
      return await run()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }

  /**
   * Sends a request as soon as the limit permits. Calls of `narrow` and `closeUntil` affect the next request.
   * @throws {AdoptableError} the 429 of another request, if its wait is longer than a request may wait
   */
  async pass<Result>(send: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    for (;;) {
      signal?.throwIfAborted()
      const now = this.#time.clock()
      const left = this.#namedAt - now
      if (left > this.#maxWaitMs && this.#refusal) throw after(this.#refusal, Math.ceil(left / 1000))
      if (this.#opensAt > now) await sleepUntil(this.#opensAt, this.#time, signal)
      else if (this.#underWay < Math.max(1, this.#remaining)) break
      else await waitIn(this.#watchers, signal)
    }
    this.#underWay += 1
    try {
      return await send()
    } finally {
      this.#underWay -= 1
      for (const look of this.#watchers.splice(0)) look()
    }
  }

  /**
   * Limits concurrent requests to the remaining number that the service reports, but allows one. Responses may
   * arrive out of order, so within one window the lowest number counts.
   */
  narrow({ remaining, reset }: Pick<RateLimit, 'remaining' | 'reset'>): void {
    this.#remaining = reset === this.#resetAt ? Math.min(remaining, this.#remaining) : remaining
    this.#resetAt = reset
  }

  /**
   * Sends nothing before `opensAt`, in milliseconds of the clock.
   * @param namedAt the time that the service named, which `pass` compares with the longest wait
   */
  closeUntil(namedAt: number, opensAt: number, refusal: AdoptableError): void {
    // If several 429s name the same time, uses the random wait of the first one. The longest of many random
    // waits would nearly always be long.
    if (namedAt <= this.#namedAt) return
    this.#namedAt = namedAt
    this.#opensAt = opensAt
    this.#refusal = refusal
  }
}

/** @param retryAfter seconds */
function after({ code, message, status, requestId }: AdoptableError, retryAfter: number): AdoptableError {
  return new AdoptableError(code, message, { status, requestId, retryAfter })
}

/** Waits in a queue until called, or until the signal aborts. */
function waitIn(queue: Call[], signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = (): void => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    const leave = (): void => {
      queue.splice(queue.indexOf(go), 1)
      reject(signal?.reason)
    }
    queue.push(go)
    signal?.addEventListener('abort', leave, { once: true })
  })
}
