import { setImmediate as turn } from 'node:timers/promises'

// All searches of a process share the time that a turn of the event loop has for searches.

/** The longest time that searches may make other requests wait. */
const TURN_MS = 4

/** When the searches of the current turn of the event loop began. */
let since: number | undefined
/** Resolves in the next turn of the event loop. All waiting searches share this promise. */
let next: Promise<void> | undefined

function turnStart(): number {
  if (since === undefined) {
    since = performance.now()
    setImmediate(() => {
      since = undefined
    })
  }
  return since
}

/**
 * Lets other requests run if the searches of this turn took too long. Call this after about each millisecond
 * of work.
 */
export async function yieldToEventLoop(): Promise<void> {
  while (performance.now() - turnStart() >= TURN_MS) {
    next ??= turn().then(() => {
      next = undefined
    })
    await next
  }
}
