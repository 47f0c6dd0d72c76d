/** Timers and clocks that stand still until a simulation lets the next thing happen. */
export interface VirtualTime {
  /** Milliseconds since its beginning. */
  readonly now: number
  /** Runs whatever is due in the next so many milliseconds, one thing after the other. */
  pass(milliseconds: number): Promise<void>
  /** Gives the real timers and clocks back; whatever still waits is forgotten. */
  end(): void
}

interface Due {
  at: number
  /** Of two that are due at the same time the one that was asked for first comes first. */
  turn: number
  run: () => void
  /** Of one that comes again. */
  every?: number
}

const real = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate }
const realNow = performance.now

/** From now on all timers of this process, and performance.now(), go by a time of their own. */
export function startVirtualTime(): VirtualTime {
  const waiting = new Set<Due>()
  let now = 0
  let turns = 0

  function wait(run: () => void, milliseconds: number, every?: number): Due {
    turns += 1
    const due: Due = { at: now + Math.max(0, milliseconds), turn: turns, run }
    if (every !== undefined) due.every = every
    waiting.add(due)
    return due
  }

  function next(until: number): Due | undefined {
    let first: Due | undefined
    for (const due of waiting) {
      if (due.at > until) continue
      if (!first || due.at < first.at || (due.at === first.at && due.turn < first.turn)) first = due
    }
    return first
  }

  const cancel = (due: unknown): void => void waiting.delete(due as Due)
  Object.assign(globalThis, {
    setTimeout: (run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) =>
      wait(() => run(...args), milliseconds),
    setInterval: (run: () => void, milliseconds: number) => wait(run, milliseconds, milliseconds),
    setImmediate: (run: () => void) => wait(run, 0),
    clearTimeout: cancel,
    clearInterval: cancel,
    clearImmediate: cancel,
  })
  performance.now = () => now

  return {
    get now() {
      return now
    },
    async pass(milliseconds) {
      const until = now + milliseconds
      await settled()
      for (let due = next(until); due; due = next(until)) {
        now = due.at
        waiting.delete(due)
        if (due.every !== undefined) {
          turns += 1
          waiting.add(Object.assign(due, { at: now + due.every, turn: turns }))
        }
        due.run()
        await settled()
      }
      now = until
    },
    end() {
      waiting.clear()
      Object.assign(globalThis, real)
      performance.now = realNow
    },
  }
}

/** Resolves when no promise has anything left to do. */
function settled(): Promise<void> {
  return new Promise((resolve) => real.setImmediate(resolve))
}
