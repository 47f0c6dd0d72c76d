/** Timers and clocks that stand still until a simulation advances them. */
export interface VirtualTime {
  /** Milliseconds since the start. */
  readonly now: number
  /** Advances the time and runs due timers one after another. */
  pass(milliseconds: number): Promise<void>
  /** Restores the real timers and clocks, and drops waiting timers. */
  end(): void
}

interface Timer {
  at: number
  /** Timers due at the same time run in the order of their creation. */
  order: number
  run: () => void
  /** Interval of a repeating timer. */
  every?: number
}

const real = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate }
const realNow = performance.now

/** Replaces all timers of this process and performance.now() with virtual timers and a virtual clock. */
export function startVirtualTime(): VirtualTime {
  const waiting = new Set<Timer>()
  let now = 0
  let count = 0

  function wait(run: () => void, milliseconds: number, every?: number): Timer {
    count += 1
    const timer: Timer = { at: now + Math.max(0, milliseconds), order: count, run }
    if (every !== undefined) timer.every = every
    waiting.add(timer)
    return timer
  }

  function next(until: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of waiting) {
      if (timer.at > until) continue
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer
    }
    return first
  }

  const cancel = (timer: unknown): void => void waiting.delete(timer as Timer)
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
      await flushPromises()
      for (let timer = next(until); timer; timer = next(until)) {
        now = timer.at
        waiting.delete(timer)
        if (timer.every !== undefined) {
          count += 1
          waiting.add(Object.assign(timer, { at: now + timer.every, order: count }))
        }
        timer.run()
        await flushPromises()
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

/** Resolves when no promise has work left. */
function flushPromises(): Promise<void> {
  return new Promise((resolve) => real.setImmediate(resolve))
}
