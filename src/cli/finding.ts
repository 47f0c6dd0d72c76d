/** How long a check waits for another program to answer. */
export const ANSWER_MS = 3_000

/** The result of a check. */
export interface Finding {
  check: string
  /** A doubtful result works now, but may fail later or could work better. */
  state: 'good' | 'doubtful' | 'wrong'
  found: string
  /** How to fix the problem. */
  advice?: string
}

export function good(check: string, found: string): Finding {
  return { check, state: 'good', found }
}

export function doubtful(check: string, found: string, advice: string): Finding {
  return { check, state: 'doubtful', found, advice }
}

export function wrong(check: string, found: string, advice: string): Finding {
  return { check, state: 'wrong', found, advice }
}

/** Clock differences in seconds. From the first number, they are a warning, and from the second an error. */
const [NOTABLE_SECONDS, HARMFUL_SECONDS] = [2, 30]

/** @param offMs how far the clock of this machine is ahead, in milliseconds */
export function clockFinding(check: string, offMs: number): Finding {
  const seconds = Math.round(Math.abs(offMs) / 100) / 10
  const found = `the clock of this machine is ${seconds} s ${offMs < 0 ? 'behind' : 'ahead'}`
  const advice = 'synchronize both machines by NTP (timedatectl set-ntp true)'
  if (seconds >= HARMFUL_SECONDS) return wrong(check, found, advice)
  return seconds >= NOTABLE_SECONDS ? doubtful(check, found, advice) : good(check, found)
}
