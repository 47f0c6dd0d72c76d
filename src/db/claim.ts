import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import type { Db } from './tables.ts'

/** The claim of a process that counts alone on a database that another process can take over; decision 10. */
export interface Claim {
  /** Stands in the database until another process claims that. */
  token: string
  /** Why this process cannot be sure that nobody else has claimed the database; undefined while it is. */
  doubt(): Error | undefined
}

/** Another process has the claim. */
export class Taken extends Error {
  constructor() {
    super(
      'another adoptable already serves this database; stop it first, or set REDIS_URL in both to share the limits',
    )
  }
}

/**
 * Holds up the next process that claims the database until this transaction ends, so that it reads what this
 * one writes.
 *
 * @throws {ApiError} service_unavailable, because of `Taken`, when another process has claimed it
 */
export async function requireClaim(db: Db, token: string): Promise<void> {
  const claim = await db.selectFrom('claim').select('token').forShare().executeTakeFirst()
  if (claim?.token !== token) throw new ApiError('service_unavailable', { cause: new Taken() })
}

/** The advisory lock of whoever serves a database: any number that nothing else takes. */
export const CLAIM = 7_219_411

/**
 * The server ends a session that holds the lock once it was silent for so long: its process may be gone, or
 * the line to it, without the server ever hearing of that.
 */
export const SILENT_MS = 2_000

/** Longer than that: by then the lock is free, unless somebody else who lives has it. */
const PATIENCE_MS = 3_000
const STEP_MS = 50

/**
 * Asks for the lock for as long as it may be that of a session that nobody uses any more.
 *
 * @param ask tells whether it was free
 * @returns false when somebody else has it
 * @throws the reason of the signal, once that is aborted
 */
export async function claimPatiently(ask: () => Promise<boolean>, signal?: AbortSignal): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS
  while (!(await ask())) {
    if (performance.now() >= until) return false
    await pause(STEP_MS, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
  return true
}
