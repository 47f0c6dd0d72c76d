import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { BanRule } from '../config.ts'
import type { Limits } from '../plans.ts'
import { anyBan, anyLimits, anyPauses, reference } from '../testing/limit-reference.ts'
import { judge, moveState, UNKNOWN } from './window.ts'

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
      const { outcome, remaining, resetAtSeconds, retryAfterSeconds } = judged.verdict
      assert.deepEqual({ outcome, remaining }, { outcome: wanted.outcome, remaining: wanted.remaining })
      if (outcome !== 'limited') assert.equal(resetAtSeconds, Math.ceil(wanted.until / 1_000))
      if (outcome !== 'allowed')
        assert.equal(retryAfterSeconds, Math.max(1, Math.ceil((wanted.until - now) / 1_000)))
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
    judge(UNKNOWN, { perMinute: 60, perDay: 60 }, BAN, NOW).verdict.resetAtSeconds,
    Math.ceil(NOW / 1_000) + 86_400,
  )
  assert.equal(judge(UNKNOWN, { perMinute: 60, perDay: 10 }, BAN, NOW).verdict.limit, 10)
})

test('Retry-After waits for every exhausted window, rounded up', () => {
  const both = { perMinute: 5, perDay: 5 }
  assert.equal(burst(UNKNOWN, both, NOW, 6).verdict.retryAfterSeconds, 86_400)

  const { state } = burst(UNKNOWN, FREE, NOW, 60)
  assert.equal(judge(state, FREE, BAN, NOW + 59_999).verdict.retryAfterSeconds, 1)
  assert.equal(judge(state, FREE, BAN, NOW + 60_000).verdict.outcome, 'allowed')
})

test('the 101st refusal inside 60 seconds bans for 15 minutes, and the next ones for twice as long', () => {
  const unlimitedDay = { perMinute: 60, perDay: 1e9 }
  const refused = burst(UNKNOWN, unlimitedDay, NOW, 160)
  assert.equal(refused.verdict.outcome, 'limited')
  let judged = judge(refused.state, unlimitedDay, BAN, NOW)
  assert.deepEqual([judged.verdict.outcome, judged.verdict.retryAfterSeconds], ['banned', 900])

  for (const seconds of [1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 86_400]) {
    judged = burst(judged.state, unlimitedDay, judged.state.bannedUntil, 161)
    assert.deepEqual([judged.verdict.outcome, judged.verdict.retryAfterSeconds], ['banned', seconds])
  }
})

test('a banned request does not prolong the ban', () => {
  const banned = burst(UNKNOWN, FREE, NOW, 161)
  const later = burst(banned.state, FREE, NOW + 600_000, 500)

  assert.equal(later.verdict.retryAfterSeconds, 300)
  assert.equal(later.verdict.resetAtSeconds, Math.ceil((NOW + 900_000) / 1_000))
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
  assert.equal(refused.verdict.retryAfterSeconds, 60)
  assert.equal(judge(refused.state, FREE, BAN, back + 60_000).verdict.outcome, 'allowed')
  const banned = burst(UNKNOWN, FREE, NOW, 161)
  assert.equal(judge(banned.state, FREE, BAN, back).verdict.retryAfterSeconds, 900)
})

test('a plan that gets smaller in a window leaves nothing below zero', () => {
  const { state } = burst(UNKNOWN, FREE, NOW, 60)
  const { verdict } = judge(state, { perMinute: 10, perDay: 20 }, BAN, NOW)

  assert.deepEqual([verdict.outcome, verdict.remaining], ['limited', 0])
})

test('a window that is not open, or of which more was used than the limit, is described all the same', () => {
  const untouched = judge(UNKNOWN, { perMinute: 5, perDay: 0 }, BAN, NOW).verdict
  assert.deepEqual(untouched, {
    outcome: 'limited',
    limit: 0,
    remaining: 0,
    resetAtSeconds: Math.ceil((NOW + 86_400_000) / 1_000),
    retryAfterSeconds: 86_400,
  })
  const overfull = { ...UNKNOWN, minute: { startedAt: NOW, used: 9 }, day: { startedAt: NOW, used: 9 } }
  const refused = judge(overfull, { perMinute: 3, perDay: 5 }, BAN, NOW).verdict
  assert.deepEqual(
    [refused.limit, refused.resetAtSeconds],
    [5, Math.ceil((NOW + 86_400_000) / 1_000)],
    'a tie',
  )
})

const anyWindow = (lengthMs: number) =>
  fc.record({
    /** How long ago it began: also long over, or begun in what a clock that was set calls the future. */
    ago: fc.oneof(
      fc.integer({ min: -2_000, max: lengthMs + 2_000 }),
      fc.integer({ min: lengthMs - 50_000, max: lengthMs }),
      fc.constantFrom(0, lengthMs),
    ),
    used: fc.integer({ min: 0, max: 5 }),
    limit: fc.integer({ min: 1, max: 5 }),
    lengthMs: fc.constant(lengthMs),
  })

test('of any two windows, a request is charged to both or none, and the answer tells of the tightest', () => {
  const property = fc.property(anyWindow(86_400_000), anyWindow(60_000), (...windows) => {
    const [day, minute] = windows.map(({ ago, used }) => ({ startedAt: NOW - ago, used }))
    assert.ok(day && minute)
    const [{ limit: perDay }, { limit: perMinute }] = windows
    const { verdict, state } = judge({ ...UNKNOWN, day, minute }, { perDay, perMinute }, undefined, NOW)

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

test('the first ban is as long as any first ban, also by a clock that begins in 1970', () => {
  assert.equal(burst(UNKNOWN, FREE, 5_000, 161).verdict.retryAfterSeconds, 900)
})

test('a ban is over at the very millisecond at which it ends', () => {
  const { state } = burst(UNKNOWN, FREE, NOW, 161)

  assert.equal(judge(state, FREE, BAN, state.bannedUntil - 1).verdict.outcome, 'banned')
  assert.equal(judge(state, FREE, BAN, state.bannedUntil).verdict.outcome, 'allowed')
})

test('after the clock was set, moved states are judged as they would have been before', () => {
  for (const limits of [FREE, { perMinute: 60, perDay: 60 }]) {
    for (const count of [1, 120, 161]) {
      const before = burst(UNKNOWN, limits, NOW, count).state
      for (const byMs of [-5_000_000_000, 3_600_000]) {
        const after = moveState(before, byMs)
        for (const later of [0, 59_999, 60_000, 899_999, 900_000, 86_400_000]) {
          const wanted = burst(before, limits, NOW + later, 41).verdict
          const { verdict } = burst(after, limits, NOW + byMs + later, 41)
          assert.deepEqual(verdict, { ...wanted, resetAtSeconds: wanted.resetAtSeconds + byMs / 1_000 })
        }
      }
    }
  }
})

test('where there is nothing, setting the clock makes nothing', () => {
  assert.deepEqual(moveState(UNKNOWN, 3_600_000), UNKNOWN)
})
