import type { Config } from './config.ts'
import type { Db } from './db/tables.ts'
import type { Write } from './db/write.ts'
import type { CarryOut } from './http/idempotency.ts'
import type { Limiter } from './limits/limiter.ts'

/** What the features work with: built once at the start, passed on as a value. */
export interface Context {
  config: Config
  /** For reading. Changes go through `write`. */
  db: Db
  write: Write
  /** `write` for a request that may carry an Idempotency-Key. */
  carryOut: CarryOut
  /** Differs whenever anybody has committed since; what was read under an equal one is still true. */
  version: () => number
  limiter: Limiter
  /** Signs cursors. */
  cursorSecret: string
  /** Unix time in milliseconds. */
  clock: () => number
}
