import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as lease from './lease.ts'
import { type OfflineTerms, serveOffline, startOver, unserved } from './offline.ts'

const NOW = 1_800_000_000_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const LIMITS = { perMinute: 10, perDay: 100 }
const BAN = { afterRefusals: 5, windowSeconds: 60, seconds: 900, longestSeconds: 3_600, memorySeconds: 600 }
const NONE = { windowId: '', startedAt: 0, used: 0, served: 0, charged: 0, cap: 0 }
const MINUTE = { windowId: 'm', startedAt: NOW - 20_000, used: 4, served: 0, charged: 2, cap: 6 }
const DAY = { windowId: 'd', startedAt: NOW - 20_000, used: 40, served: 0, charged: 20, cap: 60 }
const HEARD = { storeNow: NOW, bannedUntil: 0, banSeconds: 0, minute: MINUTE, day: DAY }

/** A caller of which the store told at 1,000 by our clock, when it was asked at 990. */
function heardOf(heard: Partial<lease.CallerAnswer> = {}): lease.LocalState {
  const local = { ...lease.unknown('key:1'), askedAt: 990, answeredAt: 1_000 }
  lease.applyAnswer(local, { ...HEARD, ...heard }, { turn: 0 })
  return local
}

const caller = (banned: boolean) => ({ name: 'key:1', limits: LIMITS, ...(banned && { ban: BAN }) })

test('of a caller that was never met nothing is known, nothing is leased, and nothing need be kept', () => {
  const local = lease.unknown('ip:192.0.2.1')

  assert.deepEqual(local, {
    name: 'ip:192.0.2.1',
    minute: NONE,
    day: NONE,
    bannedUntil: 0,
    banSeconds: 0,
    storeNow: 0,
    askedAt: 0,
    answeredAt: 0,
    turn: 0,
    inDoubt: false,
    asking: 0,
    batch: undefined,
    taking: new Set(),
    reconciling: undefined,
    recalling: undefined,
    noRecallUntil: 0,
  })
  assert.equal(lease.isOver(local, 0, 600), true)
  assert.equal(lease.certainRefusal(local, caller(false), 0), undefined)
})

test('the clock of the store lies between its answer when heard and its answer when asked', () => {
  const local = heardOf()

  assert.equal(lease.earliest(local, 1_500), NOW + 500)
  assert.equal(lease.latest(local, 1_500), NOW + 510)
})

test('what the store says of clock and ban is taken over', () => {
  const { storeNow, bannedUntil, banSeconds } = heardOf({ bannedUntil: NOW + 5_000, banSeconds: 900 })

  assert.deepEqual([storeNow, bannedUntil, banSeconds], [NOW, NOW + 5_000, 900])
})

test('of a window that is new here, this process is said to have served what the store charged to it', () => {
  const { minute, day, inDoubt } = heardOf()

  assert.deepEqual(minute, { ...MINUTE, served: 2 })
  assert.deepEqual(day, { ...DAY, served: 20 })
  assert.equal(inDoubt, false)
})

test('in the window that it knows, a process has served one more with each request that is allowed', () => {
  const local = heardOf()
  const news = {
    ...HEARD,
    minute: { ...MINUTE, used: 5, charged: 3 },
    day: { ...DAY, used: 41, charged: 21 },
  }
  lease.applyAnswer(local, news, { turn: 0, allowed: 1 })
  assert.deepEqual(local.minute, { ...news.minute, served: 3 })
  assert.deepEqual(local.day, { ...news.day, served: 21 })

  lease.applyAnswer(local, news, { turn: 0 })
  assert.deepEqual([local.minute.served, local.day.served], [3, 21], 'a refusal serves nothing')
})

test('where the store has no window any more, nothing was served', () => {
  const local = heardOf()
  lease.applyAnswer(local, { ...HEARD, minute: { ...NONE, charged: 7 } }, { turn: 0 })

  assert.deepEqual(local.minute, { ...NONE, charged: 7 })
  assert.equal(local.day.served, 20)
})

test('an answer to a question from before a lease was released leases nothing anew', () => {
  const local = heardOf()
  local.turn = 1
  local.minute = { ...local.minute, cap: 2 }
  const next = { ...DAY, windowId: 'd2', charged: 3, cap: 50 }
  lease.applyAnswer(local, { ...HEARD, minute: { ...MINUTE, cap: 9 }, day: next }, { turn: 0 })
  assert.equal(local.minute.cap, 2, 'what is left of the lease stays')
  assert.deepEqual([local.day.served, local.day.cap], [3, 3], 'of another window there is none')

  lease.applyAnswer(local, { ...HEARD, minute: { ...MINUTE, cap: 9 }, day: next }, { turn: 1 })
  assert.deepEqual([local.minute.cap, local.day.cap], [9, 50])
})

test('what was served since a report was sent is added to what the store charged for it', () => {
  const local = heardOf()
  const before = { minute: local.minute, day: local.day }
  local.minute = { ...local.minute, served: 5 }
  const next = { ...MINUTE, windowId: 'm2', charged: 4 }
  lease.applyAnswer(local, { ...HEARD, minute: next }, { turn: 0, before })

  assert.deepEqual([local.minute.served, local.minute.charged], [7, 4])
  assert.equal(local.inDoubt, true)
})

test('a minute that was opened alone while a report was under way is kept, and told of next', () => {
  const local = heardOf()
  const before = { minute: { ...local.minute, served: 33 }, day: { ...local.day, served: 33 } }
  const own = { ...MINUTE, windowId: 'own', startedAt: NOW + 50_000, used: 1, served: 1, charged: 0 }
  local.minute = own
  local.day = { ...local.day, served: 34 }

  const charged = { minute: { ...MINUTE, windowId: 'others', charged: 0 }, day: { ...DAY, charged: 33 } }
  lease.applyAnswer(local, { ...HEARD, ...charged }, { turn: 0, before })
  assert.deepEqual([local.minute, local.day.served, local.inDoubt], [own, 34, true])
})

test('a caller is settled where a report charged exactly what was served, in both windows', () => {
  for (const [minuteCharged, dayCharged, inDoubt] of [
    [2, 20, false],
    [1, 20, true],
    [2, 19, true],
  ] as const) {
    const local = heardOf()
    const before = { minute: local.minute, day: local.day }
    const news = { minute: { ...MINUTE, charged: minuteCharged }, day: { ...DAY, charged: dayCharged } }
    lease.applyAnswer(local, { ...HEARD, ...news }, { turn: 0, before })
    assert.equal(local.inDoubt, inDoubt)
  }
  const asked = heardOf()
  lease.applyAnswer(asked, { ...HEARD, minute: { ...MINUTE, charged: 9 } }, { turn: 0 })
  assert.equal(asked.inDoubt, false, 'what was no report settles nothing')
})

test('a ban is certain for who can be banned, until it is over by the latest clock of the store', () => {
  const local = heardOf({ bannedUntil: NOW + 5_000, banSeconds: 900 })
  const refusal = lease.certainRefusal(local, caller(true), 1_000)

  assert.deepEqual([refusal?.outcome, refusal?.retryAfterSeconds], ['banned', 5])
  assert.equal(lease.certainRefusal(local, caller(true), 5_989)?.outcome, 'banned')
  assert.equal(lease.certainRefusal(local, caller(true), 5_990), undefined)
})

test('a window that is used up is certain for an address, and not for a key, whose refusals count', () => {
  const local = heardOf({ minute: { ...MINUTE, used: 10 } })

  assert.equal(lease.certainRefusal(local, caller(false), 1_000)?.outcome, 'limited')
  assert.equal(lease.certainRefusal(local, caller(true), 1_000), undefined)
  assert.equal(lease.certainRefusal(local, caller(false), 40_990), undefined, 'the window has ended')
  assert.equal(lease.certainRefusal(heardOf(), caller(false), 1_000), undefined)
})

test('the figures of an answer are those of the store after the request', () => {
  const resetAtSeconds = Math.ceil((NOW + 40_000) / 1_000)
  assert.deepEqual(lease.verdictOf(heardOf(), 'allowed', LIMITS), {
    ...{ outcome: 'allowed', limit: 10, remaining: 6, resetAtSeconds, retryAfterSeconds: 0 },
  })
  const full = heardOf({ minute: { ...MINUTE, used: 10 } })
  assert.deepEqual(lease.verdictOf(full, 'limited', LIMITS), {
    ...{ outcome: 'limited', limit: 10, remaining: 0, resetAtSeconds, retryAfterSeconds: 40 },
  })
  assert.equal(lease.verdictOf(full, 'allowed', LIMITS).remaining, 0, 'the last one')
  const lastOfDay = heardOf({ day: { ...DAY, used: 100 } })
  assert.deepEqual(lease.verdictOf(lastOfDay, 'allowed', LIMITS), {
    ...{ outcome: 'allowed', limit: 100, remaining: 0, retryAfterSeconds: 0 },
    resetAtSeconds: Math.ceil((NOW + DAY_MS - 20_000) / 1_000),
  })
  const banned = heardOf({ bannedUntil: NOW + 5_000, banSeconds: 900 })
  assert.deepEqual(lease.verdictOf(banned, 'banned', LIMITS), {
    ...{ outcome: 'banned', limit: 10, remaining: 0, resetAtSeconds: NOW / 1_000 + 5, retryAfterSeconds: 5 },
  })
})

test('a refusal of the store is described by the window that is tightest, or by the ban', () => {
  const left = heardOf({ day: { ...DAY, used: 97 }, bannedUntil: NOW + 5_000, banSeconds: 900 })
  assert.equal(lease.verdictOf(left, 'banned', LIMITS).limit, 100)
  const nearlyOver = { ...DAY, startedAt: NOW - DAY_MS + 5_000, used: 100 }
  const limited = lease.verdictOf(heardOf({ day: nearlyOver }), 'limited', LIMITS)
  assert.deepEqual([limited.limit, limited.retryAfterSeconds], [100, 5], 'the minute has requests left')
})

test('the only request of windows whose first was not served is told when these end', () => {
  const refunded = { ...MINUTE, used: 1, charged: 1 }
  const local = heardOf({ minute: refunded, day: { ...refunded, windowId: 'd' } })

  assert.deepEqual(lease.verdictOf(local, 'allowed', LIMITS), {
    ...{ outcome: 'allowed', limit: 10, remaining: 9, retryAfterSeconds: 0 },
    resetAtSeconds: Math.ceil((NOW + 40_000) / 1_000),
  })
})

test('where all that is left is kept for others, a request waits for the end of the minute', () => {
  const kept = lease.verdictOf(heardOf(), 'kept', LIMITS)
  assert.deepEqual(kept, {
    ...{ outcome: 'limited', limit: 10, remaining: 0, retryAfterSeconds: 40 },
    resetAtSeconds: Math.ceil((NOW + 40_000) / 1_000),
  })
  const none = lease.verdictOf(heardOf({ minute: NONE }), 'kept', LIMITS)
  assert.deepEqual([none.outcome, none.retryAfterSeconds], ['limited', 60], 'or for one that it would open')
})

test('a caller is forgotten when its windows have ended, and the memory of its ban', () => {
  const clockAt = (store: number): number => store - NOW + 1_000
  const gone = { ...NONE, startedAt: 0 }
  for (const [heard, end] of [
    [{ day: gone }, MINUTE.startedAt + MINUTE_MS],
    [{}, DAY.startedAt + DAY_MS],
    [{ bannedUntil: NOW + DAY_MS, banSeconds: 900 }, NOW + DAY_MS + 600_000],
    [{ day: gone, bannedUntil: NOW - 590_000, banSeconds: 900 }, MINUTE.startedAt + MINUTE_MS],
  ] as const) {
    const local = heardOf(heard)
    assert.equal(lease.isOver(local, clockAt(end) - 1, 600), false)
    assert.equal(lease.isOver(local, clockAt(end), 600), true)
  }
})

test('a ban that never was is remembered for no time, also by a clock that begins in 1970', () => {
  const heard = { storeNow: 1_000, minute: NONE, day: { ...NONE, startedAt: 1_000 - DAY_MS } }

  assert.equal(lease.isOver(heardOf(heard), 60_000, 600), true)
})

test('a caller is kept while a request or a report of it is under way, or what it used is in doubt', () => {
  const long = 2 * DAY_MS
  assert.equal(lease.isOver({ ...heardOf(), asking: 1 }, long, 600), false)
  assert.equal(lease.isOver({ ...heardOf(), reconciling: Promise.resolve() }, long, 600), false)
  assert.equal(lease.isOver({ ...lease.unknown('key:1'), inDoubt: true }, long, 600), false)
  assert.equal(lease.isOver({ ...heardOf(), inDoubt: true }, long, 600), true)
})

test('the rule sees of a caller its windows and its ban', () => {
  assert.deepEqual(lease.stateOf(heardOf({ bannedUntil: NOW + 1, banSeconds: 900 })), {
    minute: { startedAt: MINUTE.startedAt, used: 4 },
    day: { startedAt: DAY.startedAt, used: 40 },
    refusedAt: [],
    bannedUntil: NOW + 1,
    banSeconds: 900,
  })
})

// Without the store. By our clock the minute may have ended at 40,990, and has ended at 41,000.
const ALONE: OfflineTerms = { cause: new Error('lost'), missedFrom: 4_000, fencedFrom: 1e6, part: 1 / 2 }
const ENDS = 41_000

function serve(local: lease.LocalState, clock: number, alone = ALONE) {
  const { lost, outcome, limit, remaining } = serveOffline(local, caller(false), clock, alone)
  return lost ? 'lost' : [outcome, limit, remaining]
}

/** As one that leased so much of a minute and of a day, and of which nothing was served. */
function leased(minuteCap: number, dayCap: number): lease.LocalState {
  const unused = { used: 0, charged: 0 }
  return heardOf({
    minute: { ...MINUTE, ...unused, cap: minuteCap },
    day: { ...DAY, ...unused, cap: dayCap },
  })
}

test('offline, what is left of the lease looks like all that is left', () => {
  const local = leased(3, 60)
  const served = [1_000, 1_000, 1_000, 1_000].map((clock) => serve(local, clock))
  assert.deepEqual(served, [['allowed', 10, 2], ['allowed', 10, 1], ['allowed', 10, 0], 'lost'])
  assert.deepEqual([local.minute.served, local.day.served, local.inDoubt], [3, 3, true])

  const ofDay = leased(3, 2)
  assert.deepEqual(
    [1_000, 1_000, 1_000].map((clock) => serve(ofDay, clock)),
    [['allowed', 100, 1], ['allowed', 100, 0], 'lost'],
  )
})

test('offline, what is leased counts until its window may have ended by the clock of the store', () => {
  assert.deepEqual(serve(leased(3, 60), ENDS - 11), ['allowed', 10, 2])
  assert.equal(serve(leased(3, 60), ENDS - 10), 'lost')
  assert.equal(serve(leased(3, 60), DAY.startedAt + DAY_MS - NOW + 1_000 - 10), 'lost')
})

test('offline, a ban and a window that is used up are told as such', () => {
  const banned = heardOf({ bannedUntil: NOW + 5_000, banSeconds: 900 })
  assert.deepEqual(serve(banned, 1_000), ['banned', 10, 0])
  assert.deepEqual(serve(heardOf({ minute: { ...MINUTE, used: 10 } }), 1_000), ['limited', 10, 0])
})

test('offline, the next minute begins as soon as the last one has ended for everybody', () => {
  assert.equal(serve(leased(3, 60), ENDS - 1), 'lost')
  assert.deepEqual(serve(leased(3, 60), ENDS), ['allowed', 10, 4])
  assert.deepEqual(serve(leased(3, 60), ENDS, { ...ALONE, missedFrom: ENDS }), ['allowed', 10, 4])
  const later = { ...ALONE, missedFrom: ENDS + 1 }
  assert.equal(serve(leased(3, 60), ENDS + MINUTE_MS, later), 'lost')
  assert.deepEqual(serve(leased(3, 60), ENDS + 1 + MINUTE_MS, later), ['allowed', 10, 4])
})

test('offline, a caller without a minute has one as soon as one that others opened has ended', () => {
  const local = leased(3, 60)
  local.minute = NONE
  assert.equal(serve(local, 63_999), 'lost')
  assert.deepEqual(serve(local, 64_000), ['allowed', 10, 4])
})

test('what a minute of its own served is carried into the next, if a minute of the store may hold both', () => {
  const start = NOW + 40_010
  for (const [pause, carried] of [
    [0, 1],
    [MINUTE_MS - 11, 1],
    [MINUTE_MS - 10, 0],
  ] as const) {
    const local = leased(3, 60)
    serve(local, ENDS)
    assert.deepEqual(local.minute, {
      ...{ windowId: `alone-${start}`, startedAt: start, used: 0, served: 1, charged: 0, cap: 5 },
    })
    const next = start + MINUTE_MS + pause + 10
    serve(local, ENDS + MINUTE_MS + pause + 10)
    assert.deepEqual(local.minute, {
      ...{ windowId: `alone-${next}`, startedAt: next, used: 0 },
      ...{ served: carried + 1, charged: carried, cap: carried + 5 },
    })
  }
})

test('of what is carried into a minute of its own, nothing is carried again', () => {
  const local = leased(3, 60)
  for (const minute of [0, 1, 2]) serve(local, ENDS + minute * (MINUTE_MS + 10))

  assert.deepEqual([local.minute.served, local.minute.charged, local.minute.cap], [2, 1, 6])
})

test('a minute of the store carries nothing into one of its own', () => {
  const local = leased(3, 60)
  serve(local, 1_000)
  serve(local, ENDS)

  assert.deepEqual([local.minute.served, local.minute.charged], [1, 0])
})

test('a request that cannot be served is told when the minute ends that it waits for', () => {
  const cause = new Error('lost')
  const ruling = unserved(heardOf(), LIMITS, NOW, cause)
  assert.deepEqual(ruling, {
    ...{
      outcome: 'limited',
      limit: 10,
      remaining: 0,
      resetAtSeconds: NOW / 1_000 + 40,
      retryAfterSeconds: 40,
      lost: cause,
    },
  })
  assert.equal(unserved(lease.unknown('key:1'), LIMITS, NOW, cause).retryAfterSeconds, 60)
})

test('what the store has forgotten is in doubt, told again, and leases nothing, also not by late answers', () => {
  const local = heardOf()
  local.minute = { ...local.minute, served: 5 }
  local.day = { ...local.day, served: 19 }
  startOver(local)

  assert.deepEqual(local.minute, { ...MINUTE, served: 3, charged: 0, cap: 3 })
  assert.deepEqual(local.day, { ...DAY, served: 0, charged: 0, cap: 0 })
  assert.deepEqual([local.inDoubt, local.turn], [true, 1])
  const settled = heardOf()
  startOver(settled)
  assert.equal(settled.inDoubt, false, 'where all was charged there is no doubt')
})
