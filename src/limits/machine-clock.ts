import { uptime } from 'node:os'

/** Less than this is the coarseness of the clocks, and nobody who set one. */
const SET_MS = 500
/** Two looks further apart than this were interrupted, and cannot be compared. */
const INTERRUPTED_MS = 5

interface MachineClock {
  /** Unix time in whole milliseconds; it goes on steadily, until `moved` takes over what was done to it. */
  clock(): number
  /**
   * Takes over what somebody did to the clock of the machine since the last call.
   *
   * @returns by how many milliseconds it was set; nearly always 0
   */
  moved(): number
}

/** What a machine tells, each in milliseconds. */
interface Clocks {
  /** Unix time, which can be set. */
  timeOfDay: () => number
  /** Cannot be set, and stands still while the machine sleeps. */
  steady?: () => number
  /** Since the machine was started; goes on while it sleeps. */
  sinceStart?: () => number
}

/** The clock of this machine, which can be set, beside those that cannot. Decision 13. */
export function machineClock({
  timeOfDay,
  steady = () => performance.now(),
  sinceStart = () => uptime() * 1_000,
}: Clocks): MachineClock {
  let ahead = timeOfDay() - steady()
  let slept = sinceStart() - steady()
  return {
    clock: () => Math.floor(steady() + ahead),
    moved() {
      const before = steady()
      const change = timeOfDay() - before - ahead
      if (Math.abs(change) < SET_MS || steady() - before > INTERRUPTED_MS) return 0
      ahead += change
      // While the machine slept time did pass, though the steady clock stood still.
      const asleep = sinceStart() - steady() - slept
      slept += asleep
      const set = change - asleep
      return Math.abs(set) < SET_MS ? 0 : Math.round(set)
    },
  }
}
