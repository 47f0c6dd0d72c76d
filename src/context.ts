import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Db } from './db/tables.ts'
import type { Write, Writer } from './db/write.ts'
import type { RequestWrite } from './http/idempotency.ts'
import type { PageCache } from './http/page-cache.ts'
import type { Limiter } from './limits/limiter.ts'
import type { Mail } from './mail/mail.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Tracing } from './metrics/tracing.ts'
import type { PhotoFiles } from './photos/storage/open.ts'

/** What the features work with: built once at the start, passed on as a value. */
export interface Context {
  config: Config
  /** For reading. Changes go through `write`. */
  db: Db
  write: Write
  ready: Writer['ready']
  scrub: Database['scrub']
  /** `write` for a request that may carry an Idempotency-Key. */
  writeOnce: RequestWrite
  version: Database['version']
  /** Cached pages of the lists, by the address under which they were asked for. */
  pages: PageCache
  limiter: Limiter
  photos: PhotoFiles
  /** Absent where the operator named no mail server: links are then only shown. */
  mail?: Mail | undefined
  /** Absent unless the operator asked for them. */
  metrics?: Metrics | undefined
  tracing?: Tracing | undefined
  /** Signs cursors. */
  cursorSecret: string
  /** Moves on the time that the store knows has passed, and returns it. */
  knownTime: () => Promise<number>
  /** Unix time in milliseconds. */
  clock: () => number
}
