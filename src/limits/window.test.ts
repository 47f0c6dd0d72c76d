import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { BanRule } from '../config.ts'
import type { Limits } from '../plans.ts'
import { judge, UNKNOWN } from './window.ts'

/**
 * The decided rule once more, as plainly as it can be put: a diary of what happened, read again from the
 * start for every request. Slow, and with nothing in common with the rule that it checks.
 */
function reference(limits: Limits, ban: BanRule) {
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
      const tightest = left.reduce((least, next) => (next.left < least.left ? next : least))
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

const anyLimits = fc.record({
  perMinute: fc.integer({ min: 1, max: 6 }),
  perDay: fc.integer({ min: 1, max: 40 }),
})
const anyBan = fc.record({
  afterRefusals: fc.integer({ min: 1, max: 5 }),
  windowSeconds: fc.constantFrom(1, 60),
  seconds: fc.constantFrom(30, 900),
  longestSeconds: fc.constantFrom(900, 3_600),
  memorySeconds: fc.constantFrom(0, 600, 86_400),
})
/** Mostly bursts; sometimes to the very edge of a window, or far. */
const anyPause = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(0, 1, 7) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(999, 1_000, 59_999, 60_000, 60_001, 900_000, 86_399_999, 86_400_000),
  },
)
const anyPauses = fc.array(anyPause, { minLength: 150, maxLength: 400 })

test('the rule gives the verdicts of the reference, in 100,000 random steps and more', () => {
  let steps = 0
  const seen = { allowed: 0, limited: 0, banned: 0 }
  const property = fc.property(anyLimits, anyBan, anyPauses, (limits, ban, pauses) => {
    const expected = reference(limits, ban)
    let state = UNKNOWN
    let now = 1_800_000_000_000
    for (const pause of pauses) {
      now += pause
      const judged = judge(state, limits, ban, now)
      const wanted = expected(now)
      const { outcome, remaining, reset, retryAfter } = judged.verdict
      assert.deepEqual({ outcome, remaining }, { outcome: wanted.outcome, remaining: wanted.remaining })
      if (outcome !== 'limited') assert.equal(reset, Math.ceil(wanted.until / 1_000))
      if (outcome !== 'allowed')
        assert.equal(retryAfter, Math.max(1, Math.ceil((wanted.until - now) / 1_000)))
      state = judged.state
      steps += 1
      seen[outcome] += 1
    }
  })
  fc.assert(property, { numRuns: 600 })
  assert.ok(steps >= 100_000, `${steps} steps`)
  assert.ok(Math.min(seen.allowed, seen.limited, seen.banned) > 5_000, JSON.stringify(seen))
})

const BAN: BanRule = {
  afterRefusals: 100,
  windowSeconds: 60,
  seconds: 900,
  longestSeconds: 86_400,
  memorySeconds: 86_400,
}
const FREE = { perMinute: 60, perDay: 1_000 }
const NOW = 1_800_000_000_250

/** Judges requests one after another at the same moment. */
function burst(state: typeof UNKNOWN, limits: Limits, now: number, count: number) {
  let judged = judge(state, limits, BAN, now)
  for (let sent = 1; sent < count; sent += 1) judged = judge(judged.state, limits, BAN, now)
  return judged
}

test('a refused request is charged to neither window', () => {
  const full = burst(UNKNOWN, FREE, NOW, 60)
  const refused = burst(full.state, FREE, NOW, 50)

  assert.equal(refused.verdict.outcome, 'limited')
  assert.equal(refused.state.day.used, 60)
  assert.equal(refused.state.minute.used, 60)
})

test('the headers describe the window with the fewest requests left, and the longer one at a tie', () => {
  assert.equal(judge(UNKNOWN, FREE, BAN, NOW).verdict.limit, 60)
  assert.equal(
    judge(UNKNOWN, { perMinute: 60, perDay: 60 }, BAN, NOW).verdict.reset,
    Math.ceil(NOW / 1_000) + 86_400,
  )
  assert.equal(judge(UNKNOWN, { perMinute: 60, perDay: 10 }, BAN, NOW).verdict.limit, 10)
})

test('Retry-After waits for every exhausted window, rounded up', () => {
  const both = { perMinute: 5, perDay: 5 }
  assert.equal(burst(UNKNOWN, both, NOW, 6).verdict.retryAfter, 86_400)

  const { state } = burst(UNKNOWN, FREE, NOW, 60)
  assert.equal(judge(state, FREE, BAN, NOW + 59_999).verdict.retryAfter, 1)
  assert.equal(judge(state, FREE, BAN, NOW + 60_000).verdict.outcome, 'allowed')
})

test('the 101st refusal inside 60 seconds bans for 15 minutes, and the next ones for twice as long', () => {
  const unlimitedDay = { perMinute: 60, perDay: 1e9 }
  const refused = burst(UNKNOWN, unlimitedDay, NOW, 160)
  assert.equal(refused.verdict.outcome, 'limited')
  let judged = judge(refused.state, unlimitedDay, BAN, NOW)
  assert.deepEqual([judged.verdict.outcome, judged.verdict.retryAfter], ['banned', 900])

  for (const seconds of [1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 86_400]) {
    judged = burst(judged.state, unlimitedDay, judged.state.bannedUntil, 161)
    assert.deepEqual([judged.verdict.outcome, judged.verdict.retryAfter], ['banned', seconds])
  }
})

test('a banned request does not prolong the ban', () => {
  const banned = burst(UNKNOWN, FREE, NOW, 161)
  const later = burst(banned.state, FREE, NOW + 600_000, 500)

  assert.equal(later.verdict.retryAfter, 300)
  assert.equal(later.verdict.reset, Math.ceil((NOW + 900_000) / 1_000))
})

test('a ban more than its memory after the last one is short again', () => {
  const banned = burst(UNKNOWN, FREE, NOW, 161)
  const again = burst(banned.state, FREE, banned.state.bannedUntil + 86_400_000, 161)

  assert.equal(again.state.banSeconds, 900)
})

test('a clock that jumps back gives nothing away and locks nobody out for longer than a window', () => {
  const full = burst(UNKNOWN, FREE, NOW, 61)
  const back = NOW - 400 * 86_400_000
  const refused = judge(full.state, FREE, BAN, back)

  assert.equal(refused.verdict.outcome, 'limited')
  assert.equal(refused.verdict.retryAfter, 60)
  assert.equal(judge(refused.state, FREE, BAN, back + 60_000).verdict.outcome, 'allowed')
  const banned = burst(UNKNOWN, FREE, NOW, 161)
  assert.equal(judge(banned.state, FREE, BAN, back).verdict.retryAfter, 900)
})

test('a plan that gets smaller in a window leaves nothing below zero', () => {
  const { state } = burst(UNKNOWN, FREE, NOW, 60)
  const { verdict } = judge(state, { perMinute: 10, perDay: 20 }, BAN, NOW)

  assert.deepEqual([verdict.outcome, verdict.remaining], ['limited', 0])
})
