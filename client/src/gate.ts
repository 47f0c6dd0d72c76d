import { AdoptableError } from './error.ts'
import { sleepUntil, type Time } from './time.ts'

/**
 * Requests under way at the same time, however many are left: others may use the same key, and then each of
 * these can be refused. In the two windows that a minute can touch that is far from what earns a ban.
 */
const PLACES = 16

type Call = () => void

/** Where every request of a client waits for its turn, and for the time that a refusal named. */
export class Gate {
  readonly #time: Time
  readonly #longestWait: number
  #free = PLACES
  #underWay = 0
  #remaining = PLACES
  readonly #watchers: Call[] = []
  readonly #queue: Call[] = []
  #namedAt = 0
  #opensAt = 0
  #refusal: AdoptableError | undefined

  /** @param longestWait milliseconds */
  constructor(time: Time, longestWait: number) {
    this.#time = time
    this.#longestWait = longestWait
  }

  /** Runs a request once it has a place, which it keeps until it is done: who came first is first. */
  async inTurn<Result>(run: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await called(this.#queue, signal)
    try {
      return await run()
    } finally {
      const next = this.#queue.shift()
      if (next) next()
      else this.#free += 1
    }
  }

  /**
   * Sends a request as soon as that may be. What `send` tells the gate holds for the very next one.
   * @throws {AdoptableError} the refusal of another, when its end is further away than a request may wait
   */
  async pass<Result>(send: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    for (;;) {
      signal?.throwIfAborted()
      const now = this.#time.clock()
      const left = this.#namedAt - now
      if (left > this.#longestWait && this.#refusal) throw after(this.#refusal, Math.ceil(left / 1000))
      if (this.#opensAt > now) await sleepUntil(this.#opensAt, this.#time, signal)
      else if (this.#underWay < Math.max(1, this.#remaining)) break
      else await called(this.#watchers, signal)
    }
    this.#underWay += 1
    try {
      return await send()
    } finally {
      this.#underWay -= 1
      for (const look of this.#watchers.splice(0)) look()
    }
  }

  /** No more are sent at once than the service said are left; one by one when that is none. */
  narrow(remaining: number): void {
    this.#remaining = remaining
  }

  /**
   * From now on nothing is sent before `opensAt`, in milliseconds of the clock.
   * @param namedAt the time that the service named: no later, and what a request may find too far away
   */
  closeUntil(namedAt: number, opensAt: number, refusal: AdoptableError): void {
    // The latest of many times that chance chose is always a late one: the first counts, for each named time.
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

/** Stands in a line until called, or until the signal says to leave it. */
function called(line: Call[], signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = (): void => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    const leave = (): void => {
      line.splice(line.indexOf(go), 1)
      reject(signal?.reason)
    }
    line.push(go)
    signal?.addEventListener('abort', leave, { once: true })
  })
}
