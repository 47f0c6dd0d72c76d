import type { Logger } from 'pino'
import { reasonOf } from '../errors.ts'

export interface Loss {
  /** @param what it means, for whoever reads the log */
  lost(error: unknown, what: string): void
  back(): void
}

/** Tells the log once that the database cannot do its part, and once that it is there again. */
export function tellLoss(logger: Pick<Logger, 'warn' | 'info'>): Loss {
  let isLost = false
  return {
    lost(error, what) {
      if (!isLost) logger.warn({ reason: reasonOf(error) }, what)
      isLost = true
    },
    back() {
      if (isLost) logger.info('the database is there again')
      isLost = false
    },
  }
}
