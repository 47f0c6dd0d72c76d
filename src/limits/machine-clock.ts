import { uptime } from 'node:os'

/** Ignores smaller differences, which come from the resolution of the clocks. */
const MIN_CHANGE_MS = 500
/**
 * If two clock readings are further apart, something interrupted the process between them, and they cannot be
 * compared.
 */
const MAX_READING_MS = 5

interface MachineClock {
  /**
   * Unix time in whole milliseconds. After a change of the system clock, this time changes only with the next
   * call of `applyClockChange`.
   */
  clock(): number
  /**
   * Adopts changes of the system clock since the last call.
   *
   * @returns milliseconds by which the clock was set; nearly always 0
   */
  applyClockChange(): number
}

/** The clocks of a machine, each in milliseconds. */
interface Clocks {
  /** Unix time. An operator or NTP may set this clock. */
  timeOfDay: () => number
  /** Cannot be set. Stops while the machine sleeps. */
  steady?: () => number
  /** Time since boot. Continues while the machine sleeps. */
  sinceStart?: () => number
}

/** Combines the machine's clock, which can be set, with two clocks that cannot be set. Decision 13. */
export function createMachineClock({
  timeOfDay,
  steady = () => performance.now(),
  sinceStart = () => uptime() * 1_000,
}: Clocks): MachineClock {
  let ahead = timeOfDay() - steady()
  let slept = sinceStart() - steady()
  return {
    clock: () => Math.floor(steady() + ahead),
    applyClockChange() {
      const before = steady()
      const change = timeOfDay() - before - ahead
      if (Math.abs(change) < MIN_CHANGE_MS || steady() - before > MAX_READING_MS) return 0
      ahead += change
      // While the machine slept, time passed although the steady clock stood still.
      const asleep = sinceStart() - steady() - slept
      slept += asleep
      const setMs = change - asleep
      return Math.abs(setMs) < MIN_CHANGE_MS ? 0 : Math.round(setMs)
    },
  }
}
