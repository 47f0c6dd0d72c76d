import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import type { Db } from './tables.ts'

/** The right to count requests on PostgreSQL without Redis. One process has it at a time. See decision 10. */
export interface Claim {
  /** Identifies the process in the database. A process that takes over the claim stores its own token. */
  token: string
  /** Returns the reason if another process may have taken the claim, and undefined if that is impossible. */
  doubt(): Error | undefined
}

/** Thrown if another process has the claim. */
export class ClaimTakenError extends Error {
  constructor() {
    super(
      'another adoptable already serves this database; stop it first, or set REDIS_URL in both to share the limits',
    )
  }
}

/**
 * Checks the claim in the current transaction. The next process waits for the end of this transaction before
 * it claims the database, so it can read what this transaction writes.
 * @throws {ApiError} service_unavailable with a `ClaimTakenError` as cause if another process has the claim
 */
export async function requireClaim(db: Db, token: string): Promise<void> {
  const claim = await db.selectFrom('claim').select('token').forShare().executeTakeFirst()
  if (claim?.token !== token) throw new ApiError('service_unavailable', { cause: new ClaimTakenError() })
}

/** The key of the advisory lock of the process that serves a database: an arbitrary, unique number. */
export const CLAIM_LOCK = 7_219_411

/** PostgreSQL ends a session with the lock that is idle for this long: its process may be dead. */
export const CLAIM_IDLE_TIMEOUT_MS = 2_000

/** How long to try. As this exceeds the idle timeout, a lock that is still taken has a live process. */
const CLAIM_WAIT_MS = 3_000
const RETRY_INTERVAL_MS = 50

/**
 * Tries to take the lock until a dead session would have lost it.
 * @param ask tries once; resolves to whether the lock was taken
 * @returns false if a live process has the lock
 * @throws the reason of the signal, if it is aborted
 */
export async function retryClaim(ask: () => Promise<boolean>, signal?: AbortSignal): Promise<boolean> {
  const until = performance.now() + CLAIM_WAIT_MS
  while (!(await ask())) {
    if (performance.now() >= until) return false
    await pause(RETRY_INTERVAL_MS, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
  return true
}
