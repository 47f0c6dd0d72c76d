import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Db } from './db/tables.ts'
import type { Write, Writer } from './db/write.ts'
import type { RequestWrite } from './http/idempotency.ts'
import type { PageCache } from './http/page-cache.ts'
import type { Limiter } from './limits/limiter.ts'
import type { Shares } from './limits/shares.ts'
import type { Mail } from './mail/mail.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Tracing } from './metrics/tracing.ts'
import type { PhotoFiles } from './photos/storage/open.ts'

/** The objects that features use, which the service builds once at the start and passes as an argument. */
export interface Context {
  config: Config
  /** Reads the store. Changes go through `write`, which db/open-database.ts makes. */
  db: Db
  write: Write
  ready: Writer['ready']
  scrub: Database['scrub']
  /** Like `write`, for a request that may carry an Idempotency-Key. */
  writeOnce: RequestWrite
  version: Database['version']
  /** Cached pages of the lists, by the canonical URL. */
  pages: PageCache
  /** See open-limiter.ts. */
  limiter: Limiter
  shares: Shares
  photos: PhotoFiles
  /** Absent if the operator named no mail server. The service then shows links instead of sending them. */
  mail?: Mail | undefined
  /** Absent unless the operator turned metrics on. */
  metrics?: Metrics | undefined
  tracing?: Tracing | undefined
  cursorSecret: string
  /** Advances the time that the store knows has passed, and returns it: Unix time in milliseconds. */
  knownTime: () => Promise<number>
  /** Makes the hash of a password that the store keeps. */
  hashPassword(password: string): Promise<string>
  /** Unix time in milliseconds. */
  clock: () => number
  /** A clock in milliseconds that is unaffected when the machine's clock is set. */
  steady: () => number
}
