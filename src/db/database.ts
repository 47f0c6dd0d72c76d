import type { Logger } from 'pino'
import { reasonOf } from '../errors.ts'
import type { Changes } from './change.ts'
import type { Claim } from './claim.ts'
import type { Db } from './tables.ts'
import type { Versioned, Writer } from './write.ts'
import type { StartWriter } from './writer.ts'

/** The database as the service uses it, with either engine. */
export interface Database extends Writer {
  /** For reading. */
  db: Db
  /** Changes whenever cached data may have changed, or with each commit. Equal numbers mean current data. */
  version(of: Versioned): number
  /** Present on PostgreSQL without Redis. SQLite needs none, because nothing can take over a file lock. */
  claim?: Claim | undefined
  /** Identifies the location of the store. A copy of the store has another location. */
  home: string
  /** Rewrites the files, so no bytes of erased data remain. Changes wait until the rewrite is done. */
  scrub(): Promise<void>
}

export interface OpenOptions {
  /** Maximum number of PostgreSQL connections. */
  connections: number
  /** Whether other processes may serve the same store, with counters shared in Redis. */
  shared: boolean
  /** Aborts the wait for PostgreSQL. */
  signal: AbortSignal | undefined
  /** Called with the reason after each failed attempt of the start to reach PostgreSQL. */
  onWait(reason: unknown): void
  /** Called with the reason after each failed attempt to reconnect to PostgreSQL. */
  onLost(reason: unknown): void
  /** Called when PostgreSQL answers again. */
  onBack(): void
  /** Called with the reason when the file of the store is lost, and with undefined when it is back. */
  onLoss(reason: string | undefined): void
  changes: Changes
  /** Starts the writer of SQLite, which must know the same changes. */
  startWriter: StartWriter
}

export interface OutageReporter {
  /** @param what the consequence, as a log message */
  reportLoss(error: unknown, what: string): void
  reportRecovery(): void
}

/** Logs the first of consecutive failures of the database, and its recovery. */
export function createOutageReporter(logger: Pick<Logger, 'warn' | 'info'>): OutageReporter {
  let isLost = false
  return {
    reportLoss(error, what) {
      if (!isLost) logger.warn({ reason: reasonOf(error) }, what)
      isLost = true
    },
    reportRecovery() {
      if (isLost) logger.info('the database is available again')
      isLost = false
    },
  }
}
