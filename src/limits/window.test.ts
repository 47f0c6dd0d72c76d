import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { BanRule } from '../config.ts'
import type { Limits } from '../plans.ts'
import { anyBan, anyLimits, anyPauses, referenceLimiter } from '../testing/limit-reference.ts'
import { evaluate, INITIAL_STATE, shiftState } from './window.ts'

test('the rate limit agrees with a reference model in 100,000 random steps', () => {
  let steps = 0
  const seen = { allowed: 0, limited: 0, banned: 0 }
  const property = fc.property(anyLimits, anyBan, anyPauses, (limits, ban, pauses) => {
    const expected = referenceLimiter(limits, ban)
    let state = INITIAL_STATE
    let now = 1_800_000_000_000
    for (const pause of pauses) {
      now += pause
      const result = evaluate(state, limits, ban, now)
      const expectedVerdict = expected(now)
      const { outcome, remaining, resetAtSeconds, retryAfterSeconds } = result.verdict
      assert.deepEqual(
        { outcome, remaining },
        { outcome: expectedVerdict.outcome, remaining: expectedVerdict.remaining },
      )
      if (outcome !== 'limited') assert.equal(resetAtSeconds, Math.ceil(expectedVerdict.until / 1_000))
      if (outcome !== 'allowed')
        assert.equal(retryAfterSeconds, Math.max(1, Math.ceil((expectedVerdict.until - now) / 1_000)))
      state = result.state
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

/** Evaluates requests one after another at the same time. */
function burst(state: typeof INITIAL_STATE, limits: Limits, now: number, count: number) {
  let result = evaluate(state, limits, BAN, now)
  for (let sent = 1; sent < count; sent += 1) result = evaluate(result.state, limits, BAN, now)
  return result
}

test('a refused request is charged to neither window', () => {
  const full = burst(INITIAL_STATE, FREE, NOW, 60)
  const refused = burst(full.state, FREE, NOW, 50)

  assert.equal(refused.verdict.outcome, 'limited')
  assert.equal(refused.state.day.used, 60)
  assert.equal(refused.state.minute.used, 60)
})

test('the headers describe the window with the fewest requests left, or the day if both have equally many', () => {
  assert.equal(evaluate(INITIAL_STATE, FREE, BAN, NOW).verdict.limit, 60)
  assert.equal(
    evaluate(INITIAL_STATE, { perMinute: 60, perDay: 60 }, BAN, NOW).verdict.resetAtSeconds,
    Math.ceil(NOW / 1_000) + 86_400,
  )
  assert.equal(evaluate(INITIAL_STATE, { perMinute: 60, perDay: 10 }, BAN, NOW).verdict.limit, 10)
})

test('Retry-After waits for every exhausted window, rounded up', () => {
  const both = { perMinute: 5, perDay: 5 }
  assert.equal(burst(INITIAL_STATE, both, NOW, 6).verdict.retryAfterSeconds, 86_400)

  const { state } = burst(INITIAL_STATE, FREE, NOW, 60)
  assert.equal(evaluate(state, FREE, BAN, NOW + 59_999).verdict.retryAfterSeconds, 1)
  assert.equal(evaluate(state, FREE, BAN, NOW + 60_000).verdict.outcome, 'allowed')
})

test('the 101st refusal within 60 seconds causes a ban of 15 minutes, then of twice as long each time', () => {
  const unlimitedDay = { perMinute: 60, perDay: 1e9 }
  const refused = burst(INITIAL_STATE, unlimitedDay, NOW, 160)
  assert.equal(refused.verdict.outcome, 'limited')
  let result = evaluate(refused.state, unlimitedDay, BAN, NOW)
  assert.deepEqual([result.verdict.outcome, result.verdict.retryAfterSeconds], ['banned', 900])

  for (const seconds of [1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 86_400]) {
    result = burst(result.state, unlimitedDay, result.state.bannedUntil, 161)
    assert.deepEqual([result.verdict.outcome, result.verdict.retryAfterSeconds], ['banned', seconds])
  }
})

test('requests during a ban do not prolong it', () => {
  const banned = burst(INITIAL_STATE, FREE, NOW, 161)
  const later = burst(banned.state, FREE, NOW + 600_000, 500)

  assert.equal(later.verdict.retryAfterSeconds, 300)
  assert.equal(later.verdict.resetAtSeconds, Math.ceil((NOW + 900_000) / 1_000))
})

test('a ban that starts after the last one was forgotten is short again', () => {
  const banned = burst(INITIAL_STATE, FREE, NOW, 161)
  const again = burst(banned.state, FREE, banned.state.bannedUntil + 86_400_000, 161)

  assert.equal(again.state.banSeconds, 900)
})

test('a clock that jumps back allows no extra requests, and no window lasts longer than its length', () => {
  const full = burst(INITIAL_STATE, FREE, NOW, 61)
  const back = NOW - 400 * 86_400_000
  const refused = evaluate(full.state, FREE, BAN, back)

  assert.equal(refused.verdict.outcome, 'limited')
  assert.equal(refused.verdict.retryAfterSeconds, 60)
  assert.equal(evaluate(refused.state, FREE, BAN, back + 60_000).verdict.outcome, 'allowed')
  const banned = burst(INITIAL_STATE, FREE, NOW, 161)
  assert.equal(evaluate(banned.state, FREE, BAN, back).verdict.retryAfterSeconds, 900)
})

test('a smaller plan within a window makes remaining 0, not negative', () => {
  const { state } = burst(INITIAL_STATE, FREE, NOW, 60)
  const { verdict } = evaluate(state, { perMinute: 10, perDay: 20 }, BAN, NOW)

  assert.deepEqual([verdict.outcome, verdict.remaining], ['limited', 0])
})

test('a window that is closed or overdrawn still gives valid headers', () => {
  const untouched = evaluate(INITIAL_STATE, { perMinute: 5, perDay: 0 }, BAN, NOW).verdict
  assert.deepEqual(untouched, {
    outcome: 'limited',
    limit: 0,
    remaining: 0,
    resetAtSeconds: Math.ceil((NOW + 86_400_000) / 1_000),
    retryAfterSeconds: 86_400,
  })
  const overfull = { ...INITIAL_STATE, minute: { startedAt: NOW, used: 9 }, day: { startedAt: NOW, used: 9 } }
  const refused = evaluate(overfull, { perMinute: 3, perDay: 5 }, BAN, NOW).verdict
  assert.deepEqual(
    [refused.limit, refused.resetAtSeconds],
    [5, Math.ceil((NOW + 86_400_000) / 1_000)],
    'a tie',
  )
})

const anyWindow = (lengthMs: number) =>
  fc.record({
    /** Age of the window. It may have ended, or begin in the future after a clock change. */
    ago: fc.oneof(
      fc.integer({ min: -2_000, max: lengthMs + 2_000 }),
      fc.integer({ min: lengthMs - 50_000, max: lengthMs }),
      fc.constantFrom(0, lengthMs),
    ),
    used: fc.integer({ min: 0, max: 5 }),
    limit: fc.integer({ min: 1, max: 5 }),
    lengthMs: fc.constant(lengthMs),
  })

test('a request is charged to both windows or to neither; the headers show the tighter window', () => {
  const property = fc.property(anyWindow(86_400_000), anyWindow(60_000), (...windows) => {
    const [day, minute] = windows.map(({ ago, used }) => ({ startedAt: NOW - ago, used }))
    assert.ok(day && minute)
    const [{ limit: perDay }, { limit: perMinute }] = windows
    const { verdict, state } = evaluate(
      { ...INITIAL_STATE, day, minute },
      { perDay, perMinute },
      undefined,
      NOW,
    )

    const open = windows.map(({ ago, used, limit, lengthMs }) => {
      const isOpen = used > 0 && ago < lengthMs
      return { used: isOpen ? used : 0, limit, end: NOW + lengthMs - (isOpen ? Math.max(0, ago) : 0) }
    })
    const exhausted = open.filter(({ used, limit }) => used >= limit)
    const charged = exhausted.length === 0 ? 1 : 0
    assert.deepEqual(
      [state.day.used, state.minute.used],
      open.map(({ used }) => used + charged),
    )
    const left = open.map(({ used, limit, end }) => ({
      limit,
      end,
      left: Math.max(0, limit - used - charged),
    }))
    const [first, second] = left
    assert.ok(first && second)
    const tightest = second.left < first.left ? second : first
    const wait = Math.max(...exhausted.map(({ end }) => end)) - NOW
    assert.deepEqual(verdict, {
      outcome: charged ? 'allowed' : 'limited',
      limit: tightest.limit,
      remaining: tightest.left,
      resetAtSeconds: Math.ceil(tightest.end / 1_000),
      retryAfterSeconds: charged ? 0 : Math.max(1, Math.ceil(wait / 1_000)),
    })
  })
  fc.assert(property, { numRuns: 2_000 })
})

test('the first ban has the normal length, even when the clock starts in 1970', () => {
  assert.equal(burst(INITIAL_STATE, FREE, 5_000, 161).verdict.retryAfterSeconds, 900)
})

test('a ban ends exactly at bannedUntil', () => {
  const { state } = burst(INITIAL_STATE, FREE, NOW, 161)

  assert.equal(evaluate(state, FREE, BAN, state.bannedUntil - 1).verdict.outcome, 'banned')
  assert.equal(evaluate(state, FREE, BAN, state.bannedUntil).verdict.outcome, 'allowed')
})

test('shifted states give the same verdicts as the states before the clock was set', () => {
  for (const limits of [FREE, { perMinute: 60, perDay: 60 }]) {
    for (const count of [1, 120, 161]) {
      const before = burst(INITIAL_STATE, limits, NOW, count).state
      for (const byMs of [-5_000_000_000, 3_600_000]) {
        const after = shiftState(before, byMs)
        for (const later of [0, 59_999, 60_000, 899_999, 900_000, 86_400_000]) {
          const expectedVerdict = burst(before, limits, NOW + later, 41).verdict
          const { verdict } = burst(after, limits, NOW + byMs + later, 41)
          assert.deepEqual(verdict, {
            ...expectedVerdict,
            resetAtSeconds: expectedVerdict.resetAtSeconds + byMs / 1_000,
          })
        }
      }
    }
  }
})

test('shifting an initial state changes nothing', () => {
  assert.deepEqual(shiftState(INITIAL_STATE, 3_600_000), INITIAL_STATE)
})
