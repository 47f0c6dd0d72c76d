import type { Changes } from './change.ts'
import type { Claim } from './claim.ts'
import type { Db } from './tables.ts'
import type { Writer } from './write.ts'
import type { StartWriter } from './writer.ts'

/** What a process caches until the store has changed: pages of animals, and keys. */
export type Kept = 'pages' | 'keys'

/** The database as the service works with it, whichever engine it is. */
export interface Database extends Writer {
  /** For reading. */
  db: Db
  /** Differs when one of those may have changed since; what was read under an equal one is still true. */
  version(of: Kept): number
  /** Of a process that counts alone on PostgreSQL; nobody can take over the lock of a file. */
  claim?: Claim | undefined
  /** Where the store lies: a copy of it lies elsewhere. */
  home: string
  /** Writes anew what holds bytes of what was erased. Changes wait meanwhile. */
  scrub(): Promise<void>
}

export interface OpenOptions {
  /** Connections to PostgreSQL at most. */
  connections: number
  /** Whether other processes serve the same store: they then share their counters somewhere else. */
  shared: boolean
  /** Ends that wait. */
  signal: AbortSignal | undefined
  /** Hears why the start has to wait for PostgreSQL, each time it was asked in vain. */
  onWait(reason: unknown): void
  /** Hears why PostgreSQL is lost, each time it was asked in vain. */
  onLost(reason: unknown): void
  /** Hears that PostgreSQL answers, when it was waited for or lost. */
  onBack(): void
  /** Hears why the file of the store is lost, and with undefined that it is back. */
  onLoss(reason: string | undefined): void
  changes: Changes
  /** Starts the writer of the embedded database, which knows the same changes. */
  startWriter: StartWriter
}
