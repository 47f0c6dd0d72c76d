import { setTimeout as pause } from 'node:timers/promises'

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
