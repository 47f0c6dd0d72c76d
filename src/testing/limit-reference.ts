import fc from 'fast-check'
import type { BanRule } from '../config.ts'
import type { Limits } from '../plans.ts'

/**
 * A simple reference model of rate limits and bans. It keeps all events and reads all of them for every
 * request. The model is slow, and shares no code with the implementation that it checks.
 */
export function referenceLimiter(limits: Limits, ban: BanRule) {
  const charged: number[] = []
  let refused: number[] = []
  let banned = { until: 0, seconds: 0 }
  const openWindow = (length: number, now: number) => {
    let opened = Number.NEGATIVE_INFINITY
    for (const time of charged) if (time >= opened + length) opened = time
    if (now >= opened + length) return { end: now + length, used: 0 }
    return { end: opened + length, used: charged.filter((time) => time >= opened).length }
  }
  return (now: number) => {
    if (now < banned.until) return { outcome: 'banned', remaining: 0, until: banned.until }
    const windows = [
      { limit: limits.perDay, ...openWindow(86_400_000, now) },
      { limit: limits.perMinute, ...openWindow(60_000, now) },
    ]
    const exhausted = windows.filter(({ limit, used }) => used >= limit)
    if (exhausted.length === 0) {
      charged.push(now)
      const left = windows.map(({ limit, used, end }) => ({ left: limit - used - 1, end }))
      const tightest = left.reduce((min, next) => (next.left < min.left ? next : min))
      return { outcome: 'allowed', remaining: tightest.left, until: tightest.end }
    }
    refused.push(now)
    if (refused.filter((time) => time > now - ban.windowSeconds * 1_000).length > ban.afterRefusals) {
      const again = banned.until > 0 && now < banned.until + ban.memorySeconds * 1_000
      const seconds = Math.min(again ? banned.seconds * 2 : ban.seconds, ban.longestSeconds)
      banned = { until: now + seconds * 1_000, seconds }
      refused = []
      return { outcome: 'banned', remaining: 0, until: banned.until }
    }
    return { outcome: 'limited', remaining: 0, until: Math.max(...exhausted.map(({ end }) => end)) }
  }
}

export const anyLimits = fc.record({
  perMinute: fc.integer({ min: 1, max: 6 }),
  perDay: fc.integer({ min: 1, max: 40 }),
})
export const anyBan = fc.record({
  afterRefusals: fc.integer({ min: 1, max: 5 }),
  windowSeconds: fc.constantFrom(1, 60),
  seconds: fc.constantFrom(30, 900),
  longestSeconds: fc.constantFrom(900, 3_600),
  memorySeconds: fc.constantFrom(0, 600, 86_400),
})
/** Pauses between requests. Most are zero; some are exactly the length of a window or longer. */
const anyPause = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(0, 1, 7) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(999, 1_000, 59_999, 60_000, 60_001, 900_000, 86_399_999, 86_400_000),
  },
)
export const anyPauses = fc.array(anyPause, { minLength: 150, maxLength: 400 })
