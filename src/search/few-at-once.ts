import { ApiError } from '../errors.ts'

interface Waiting {
  go(): void
  fail(error: ApiError): void
}

/**
 * Runs so many pieces of work at once; others wait for theirs, first come first served. When one is told that
 * the store cannot answer now, so is everybody who waits: each would need as long to learn the same.
 */
export function fewAtOnce(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: Waiting[] = []
  let running = 0

  function end(): void {
    const next = waiting.shift()
    if (next) next.go()
    else running -= 1
  }

  return async (work) => {
    if (running < most) running += 1
    else await new Promise<void>((go, fail) => waiting.push({ go, fail }))
    try {
      return await work()
    } catch (error) {
      if (error instanceof ApiError && error.status === 503)
        for (const one of waiting.splice(0)) one.fail(error)
      throw error
    } finally {
      end()
    }
  }
}
