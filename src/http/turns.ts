import { setImmediate as turn } from 'node:timers/promises'

// All long tasks of a process, such as searches, share the time that a turn of the event loop has for them.

/** The longest time that long tasks may make other requests wait. */
const TURN_MS = 4

/** When the long tasks of the current turn of the event loop began. */
let since: number | undefined
/** Resolves in the next turn of the event loop. All waiting tasks share this promise. */
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
 * Lets other requests run if the long tasks of this turn took too long. Call this after about each
 * millisecond of work.
 */
export async function yieldToEventLoop(): Promise<void> {
  while (performance.now() - turnStart() >= TURN_MS) {
    next ??= turn().then(() => {
      next = undefined
    })
    await next
  }
}

/** Maps items one by one, and lets other requests run in between. */
export async function mapInTurns<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    await yieldToEventLoop()
    results.push(map(item))
  }
  return results
}
