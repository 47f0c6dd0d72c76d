import type { TestContext } from 'node:test'
import { until } from '../src/testing/redis.ts'

/** `until`, which would go on after a test that ran out of time, and keep its file from ending. */
export function waitFor(t: TestContext, holds: () => boolean): Promise<void> {
  return until(() => {
    t.signal.throwIfAborted()
    return holds()
  })
}
