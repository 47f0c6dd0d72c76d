// All long tasks of a process, such as searches, share the time that a turn of the event loop has for them.

/** The longest time that long tasks may make other requests wait. */
const TURN_MS = 4

/** When the long tasks of the current turn of the event loop began. */
let since: number | undefined
/** Resumes the waiting tasks, in the order in which they began to wait. */
const waiting: (() => void)[] = []
let willResume = false

function isTurnOver(): boolean {
  if (since === undefined) {
    since = performance.now()
    setImmediate(() => {
      since = undefined
    })
  }
  return performance.now() - since >= TURN_MS
}

async function resumeTasks(): Promise<void> {
  while (waiting.length > 0 && !isTurnOver()) {
    waiting.shift()?.()
    // The task runs until it waits again, and then comes after the others.
    await undefined
  }
  willResume = waiting.length > 0
  if (willResume) setImmediate(resumeTasks)
}

/** Lets other requests run if long tasks took too long. Call it after about each millisecond of work. */
export async function yieldToEventLoop(): Promise<void> {
  if (waiting.length === 0 && !isTurnOver()) return
  const resumed = new Promise<void>((resume) => waiting.push(resume))
  if (!willResume) setImmediate(resumeTasks)
  willResume = true
  await resumed
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
