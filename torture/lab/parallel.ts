import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '../../src/testing/client.ts'
import { until } from '../../src/testing/redis.ts'

/** Works on all items, so many at once. */
export async function each<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items[Symbol.iterator]()
  const lane = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value)
  }
  await Promise.all(times(atOnce, lane))
}

/** Calls it so often, with 0, 1 and so on, without waiting in between. */
export function times<Result>(count: number, make: (number: number) => Result): Result[] {
  return Array.from({ length: count }, (_, number) => make(number))
}

export interface Repeated {
  /** Throws what went wrong so far. */
  assertWell(): void
  /** Ends when all is done that was begun. @throws what went wrong */
  stop(): Promise<void>
}

/** So many do the same again and again until they are stopped, or something goes wrong. */
export function repeat(count: number, work: (number: number) => Promise<unknown>, pauseMs = 0): Repeated {
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
    assertWell() {
      if (failure) throw failure
    },
    async stop() {
      stopping = true
      await working
    },
  }
}

/** After a lost connection: clients that come more often take the processor from the service that starts. */
export const LOST_RETRY_MS = 100

/** `until`, which would go on after a test that ran out of time, and keep its file from ending. */
export function waitFor(t: TestContext, holds: () => boolean): Promise<void> {
  return until(() => {
    t.signal.throwIfAborted()
    return holds()
  })
}

const MAX_TRIES = 20
const RETRY_MS = 100

/** Asks again while a service on a busy machine cannot answer. */
export async function insist(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask()
    if (answer.status !== 503 || tries === MAX_TRIES) return answer
    await pause(RETRY_MS)
  }
}
