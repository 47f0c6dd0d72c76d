import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { OpenOptions } from './database.ts'

/** A start asks again so soon for a database that is not there yet; later less often. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 2_000

/** What passes by itself (appendix A of PostgreSQL's manual): no connection, none left, starting or stopping. */
const PASSING = /^(?:08|53|57)/

/** A wrong password, say, does not pass; a database that cannot be reached may start later. */
function passes(error: unknown): boolean {
  const { cause } = error as { cause?: Error & { code?: string } }
  return cause instanceof pg.DatabaseError ? PASSING.test(cause.code ?? '') : cause !== undefined
}

/** Asks again for as long as the reason may pass by itself. @throws any other, or that of the signal */
export async function untilThere<Result>(
  open: () => Promise<Result>,
  { onWait, onBack, signal }: Pick<OpenOptions, 'onWait' | 'onBack' | 'signal'>,
): Promise<Result> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      const opened = await open()
      onBack()
      return opened
    } catch (error) {
      if (!passes(error)) throw error
      onWait(error)
    }
    await pause(pauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
}
