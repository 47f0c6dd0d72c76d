/** What a check found. */
export interface Finding {
  check: string
  /** doubtful: it works, and may not for long, or not as well as it could. */
  state: 'good' | 'doubtful' | 'wrong'
  found: string
  /** What to do about it. */
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

/** How far a clock may differ from the store's before it matters, and before it does harm; in seconds. */
const [NOTABLE_SECONDS, HARMFUL_SECONDS] = [2, 30]

/** @param offMs by how much the clock of this machine is ahead */
export function clockFinding(check: string, offMs: number): Finding {
  const seconds = Math.round(Math.abs(offMs) / 100) / 10
  const found = `this machine's clock is ${seconds} s ${offMs < 0 ? 'behind' : 'ahead'}`
  const advice = 'let both machines follow NTP (timedatectl set-ntp true)'
  if (seconds >= HARMFUL_SECONDS) return wrong(check, found, advice)
  return seconds >= NOTABLE_SECONDS ? doubtful(check, found, advice) : good(check, found)
}
