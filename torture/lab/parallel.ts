import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '../../src/testing/client.ts'
import { until } from '../../src/testing/redis.ts'

/** Calls `work` for each item, with up to `concurrency` calls at a time. */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const lane = async (): Promise<void> => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await work(next.value)
  }
  await Promise.all(times(concurrency, lane))
}

/** Calls `make` `count` times, with 0, 1 and so on, without awaiting the results. */
export function times<Result>(count: number, make: (number: number) => Result): Result[] {
  return Array.from({ length: count }, (_, number) => make(number))
}

export interface Repetition {
  /** @throws the first error so far, if there is one */
  assertNoFailure(): void
  /** Resolves when all started work is done. @throws the first error, if any */
  stop(): Promise<void>
}

/** Repeats `work` in `count` parallel lanes until `stop` is called or one of them fails. */
export function repeat(count: number, work: (number: number) => Promise<unknown>, pauseMs = 0): Repetition {
  let stopping = false
  let failure: unknown
  const lane = async (number: number): Promise<void> => {
    while (!stopping) {
      await work(number)
      if (pauseMs > 0) await pause(pauseMs)
    }
  }
  const working = Promise.all(times(count, lane))
  working.catch((error) => {
    stopping = true
    failure = error
  })
  return {
    assertNoFailure() {
      if (failure) throw failure
    },
    async stop() {
      stopping = true
      await working
    },
  }
}

/** Pause after a lost connection. With a shorter pause the clients would slow down a service that starts. */
export const LOST_RETRY_MS = 100

/** `until` that stops when the test times out, because otherwise the test file would not end. */
export function waitFor(t: TestContext, isReached: () => boolean): Promise<void> {
  return until(() => {
    t.signal.throwIfAborted()
    return isReached()
  })
}

const MAX_TRIES = 20
const RETRY_MS = 100

/** Repeats a request while a service on a busy machine answers 503. */
export async function retryUnavailable(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask()
    if (answer.status !== 503 || tries === MAX_TRIES) return answer
    await pause(RETRY_MS)
  }
}
