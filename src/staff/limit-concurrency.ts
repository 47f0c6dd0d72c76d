import { ApiError, Overload } from '../errors.ts'

/**
 * Limits how many tasks run at the same time. Other tasks wait in order.
 *
 * @param maxWaiting further tasks are refused
 * @returns a function that runs a task in its turn
 * @throws {ApiError} service_unavailable if too many tasks wait
 */
export function limitConcurrency(maxRunning: number, maxWaiting: number) {
  let running = 0
  const waiting: (() => void)[] = []

  async function enter(): Promise<void> {
    if (running < maxRunning) {
      running += 1
      return
    }
    if (waiting.length >= maxWaiting) {
      const message = 'Too many people are signing in right now. Try again in a few seconds.'
      throw new ApiError('service_unavailable', { message, cause: new Overload('too many sign-ins wait') })
    }
    await new Promise<void>((go) => waiting.push(go))
  }

  /** Gives the free slot to the task that has waited longest. */
  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }

  return async function runInTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
