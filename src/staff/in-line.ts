import { ApiError, Overload } from '../errors.ts'

/**
 * Lets a few have their turn at once, while the others wait in line, and only so many of them.
 *
 * @throws {ApiError} service_unavailable when too many wait
 */
export function inLine(atOnce: number, mostWaiting: number) {
  let running = 0
  const waiting: (() => void)[] = []

  async function enter(): Promise<void> {
    if (running < atOnce) {
      running += 1
      return
    }
    if (waiting.length >= mostWaiting) {
      const message = 'Too many people sign in at this moment. Try again in a few seconds.'
      throw new ApiError('service_unavailable', { message, cause: new Overload('too many sign-ins wait') })
    }
    await new Promise<void>((go) => waiting.push(go))
  }

  /** The place goes on to the next one who waits. */
  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }

  return async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
