import { setImmediate as turn } from 'node:timers/promises'

// All searches of a process share its event loop, and together let others in between.

/** For so long nobody else's request waits. */
const TURN_MS = 4

/** When the searches of this turn of the event loop began. */
let since: number | undefined
/** The next turn, for which all wait alike. */
let next: Promise<void> | undefined

function begun(): number {
  if (since === undefined) {
    since = performance.now()
    setImmediate(() => {
      since = undefined
    })
  }
  return since
}

/** Lets others in between, now and then: called after each piece of work that takes a millisecond or so. */
export async function takeTurns(): Promise<void> {
  while (performance.now() - begun() >= TURN_MS) {
    next ??= turn().then(() => {
      next = undefined
    })
    await next
  }
}
