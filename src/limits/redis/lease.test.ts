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
const ANSWER = { storeNow: NOW, bannedUntil: 0, banSeconds: 0, minute: MINUTE, day: DAY }

/** A caller whose state was requested at 990 and received at 1,000 by the local clock. */
function stateAfter(answer: Partial<lease.CallerAnswer> = {}): lease.LocalState {
  const local = { ...lease.newLocalState('key:1'), sentAt: 990, answeredAt: 1_000 }
  lease.applyAnswer(local, { ...ANSWER, ...answer }, { releases: 0 })
  return local
}

const caller = (banned: boolean) => ({ name: 'key:1', limits: LIMITS, ...(banned && { ban: BAN }) })

test('newLocalState returns a state without window and lease, which can be forgotten', () => {
  const local = lease.newLocalState('ip:192.0.2.1')

  assert.deepEqual(local, {
    name: 'ip:192.0.2.1',
    minute: NONE,
    day: NONE,
    bannedUntil: 0,
    banSeconds: 0,
    storeNow: 0,
    sentAt: 0,
    answeredAt: 0,
    releases: 0,
    inDoubt: false,
    requests: 0,
    batch: undefined,
    batches: new Set(),
    reconciling: undefined,
    recalling: undefined,
    noRecallUntil: 0,
  })
  assert.equal(lease.isExpired(local, 0, 600), true)
  assert.equal(lease.certainRefusal(local, caller(false), 0), undefined)
})

test('the store’s clock is between its earliest and its latest time', () => {
  const local = stateAfter()

  assert.equal(lease.earliestStoreTime(local, 1_500), NOW + 500)
  assert.equal(lease.latestStoreTime(local, 1_500), NOW + 510)
})

test('applyAnswer takes over the store’s clock and ban', () => {
  const { storeNow, bannedUntil, banSeconds } = stateAfter({ bannedUntil: NOW + 5_000, banSeconds: 900 })

  assert.deepEqual([storeNow, bannedUntil, banSeconds], [NOW, NOW + 5_000, 900])
})

test('applyAnswer for a new window sets served to what the store charged to this process', () => {
  const { minute, day, inDoubt } = stateAfter()

  assert.deepEqual(minute, { ...MINUTE, served: 2 })
  assert.deepEqual(day, { ...DAY, served: 20 })
  assert.equal(inDoubt, false)
})

test('applyAnswer for the same window adds the allowed requests to served', () => {
  const local = stateAfter()
  const incoming = {
    ...ANSWER,
    minute: { ...MINUTE, used: 5, charged: 3 },
    day: { ...DAY, used: 41, charged: 21 },
  }
  lease.applyAnswer(local, incoming, { releases: 0, allowed: 1 })
  assert.deepEqual(local.minute, { ...incoming.minute, served: 3 })
  assert.deepEqual(local.day, { ...incoming.day, served: 21 })

  lease.applyAnswer(local, incoming, { releases: 0 })
  assert.deepEqual([local.minute.served, local.day.served], [3, 21], 'a refusal serves nothing')
})

test('applyAnswer without a minute window resets the served requests of the minute only', () => {
  const local = stateAfter()
  lease.applyAnswer(local, { ...ANSWER, minute: { ...NONE, charged: 7 } }, { releases: 0 })

  assert.deepEqual(local.minute, { ...NONE, charged: 7 })
  assert.equal(local.day.served, 20)
})

test('applyAnswer to a request sent before a release grants no lease', () => {
  const local = stateAfter()
  local.releases = 1
  local.minute = { ...local.minute, cap: 2 }
  const next = { ...DAY, windowId: 'd2', charged: 3, cap: 50 }
  lease.applyAnswer(local, { ...ANSWER, minute: { ...MINUTE, cap: 9 }, day: next }, { releases: 0 })
  assert.equal(local.minute.cap, 2, 'the rest of the lease stays')
  assert.deepEqual([local.day.served, local.day.cap], [3, 3], 'no lease for another window')

  lease.applyAnswer(local, { ...ANSWER, minute: { ...MINUTE, cap: 9 }, day: next }, { releases: 1 })
  assert.deepEqual([local.minute.cap, local.day.cap], [9, 50])
})

test('applyAnswer to a report adds the requests that were served after the report was sent', () => {
  const local = stateAfter()
  const before = { minute: local.minute, day: local.day }
  local.minute = { ...local.minute, served: 5 }
  const next = { ...MINUTE, windowId: 'm2', charged: 4 }
  lease.applyAnswer(local, { ...ANSWER, minute: next }, { releases: 0, reported: before })

  assert.deepEqual([local.minute.served, local.minute.charged], [7, 4])
  assert.equal(local.inDoubt, true)
})

test('applyAnswer to a report keeps a minute that was opened offline after the report, and reports it next', () => {
  const local = stateAfter()
  const before = { minute: { ...local.minute, served: 33 }, day: { ...local.day, served: 33 } }
  const own = { ...MINUTE, windowId: 'own', startedAt: NOW + 50_000, used: 1, served: 1, charged: 0 }
  local.minute = own
  local.day = { ...local.day, served: 34 }

  const charged = { minute: { ...MINUTE, windowId: 'others', charged: 0 }, day: { ...DAY, charged: 33 } }
  lease.applyAnswer(local, { ...ANSWER, ...charged }, { releases: 0, reported: before })
  assert.deepEqual([local.minute, local.day.served, local.inDoubt], [own, 34, true])
})

test('applyAnswer to a report sets inDoubt unless each window was charged exactly the requests that were served', () => {
  for (const [minuteCharged, dayCharged, inDoubt] of [
    [2, 20, false],
    [1, 20, true],
    [2, 19, true],
  ] as const) {
    const local = stateAfter()
    const before = { minute: local.minute, day: local.day }
    const incoming = { minute: { ...MINUTE, charged: minuteCharged }, day: { ...DAY, charged: dayCharged } }
    lease.applyAnswer(local, { ...ANSWER, ...incoming }, { releases: 0, reported: before })
    assert.equal(local.inDoubt, inDoubt)
  }
  const local = stateAfter()
  lease.applyAnswer(local, { ...ANSWER, minute: { ...MINUTE, charged: 9 } }, { releases: 0 })
  assert.equal(local.inDoubt, false, 'only reports put a caller in doubt')
})

test('certainRefusal refuses during a ban, until the ban may have ended by the store’s clock', () => {
  const local = stateAfter({ bannedUntil: NOW + 5_000, banSeconds: 900 })
  const refusal = lease.certainRefusal(local, caller(true), 1_000)

  assert.deepEqual([refusal?.outcome, refusal?.retryAfterSeconds], ['banned', 5])
  assert.equal(lease.certainRefusal(local, caller(true), 5_989)?.outcome, 'banned')
  assert.equal(lease.certainRefusal(local, caller(true), 5_990), undefined)
})

test('certainRefusal refuses a caller that cannot be banned while its window is used up', () => {
  const local = stateAfter({ minute: { ...MINUTE, used: 10 } })

  assert.equal(lease.certainRefusal(local, caller(false), 1_000)?.outcome, 'limited')
  assert.equal(lease.certainRefusal(local, caller(true), 1_000), undefined)
  assert.equal(lease.certainRefusal(local, caller(false), 40_990), undefined, 'the window has ended')
  assert.equal(lease.certainRefusal(stateAfter(), caller(false), 1_000), undefined)
})

test('verdictOf counts the request in the numbers that it returns', () => {
  const resetAtSeconds = Math.ceil((NOW + 40_000) / 1_000)
  assert.deepEqual(lease.verdictOf(stateAfter(), 'allowed', LIMITS), {
    ...{ outcome: 'allowed', limit: 10, remaining: 6, resetAtSeconds, retryAfterSeconds: 0 },
  })
  const full = stateAfter({ minute: { ...MINUTE, used: 10 } })
  assert.deepEqual(lease.verdictOf(full, 'limited', LIMITS), {
    ...{ outcome: 'limited', limit: 10, remaining: 0, resetAtSeconds, retryAfterSeconds: 40 },
  })
  assert.equal(lease.verdictOf(full, 'allowed', LIMITS).remaining, 0, 'the last request')
  const lastOfDay = stateAfter({ day: { ...DAY, used: 100 } })
  assert.deepEqual(lease.verdictOf(lastOfDay, 'allowed', LIMITS), {
    ...{ outcome: 'allowed', limit: 100, remaining: 0, retryAfterSeconds: 0 },
    resetAtSeconds: Math.ceil((NOW + DAY_MS - 20_000) / 1_000),
  })
  const banned = stateAfter({ bannedUntil: NOW + 5_000, banSeconds: 900 })
  assert.deepEqual(lease.verdictOf(banned, 'banned', LIMITS), {
    ...{ outcome: 'banned', limit: 10, remaining: 0, resetAtSeconds: NOW / 1_000 + 5, retryAfterSeconds: 5 },
  })
})

test('verdictOf for a refusal describes the tightest window, or the ban', () => {
  const left = stateAfter({ day: { ...DAY, used: 97 }, bannedUntil: NOW + 5_000, banSeconds: 900 })
  assert.equal(lease.verdictOf(left, 'banned', LIMITS).limit, 100)
  const nearlyOver = { ...DAY, startedAt: NOW - DAY_MS + 5_000, used: 100 }
  const limited = lease.verdictOf(stateAfter({ day: nearlyOver }), 'limited', LIMITS)
  assert.deepEqual([limited.limit, limited.retryAfterSeconds], [100, 5], 'the minute has requests left')
})

test('verdictOf for the only counted request keeps the reset time of a window that was open before it', () => {
  const refunded = { ...MINUTE, used: 1, charged: 1 }
  const local = stateAfter({ minute: refunded, day: { ...refunded, windowId: 'd' } })

  assert.deepEqual(lease.verdictOf(local, 'allowed', LIMITS), {
    ...{ outcome: 'allowed', limit: 10, remaining: 9, retryAfterSeconds: 0 },
    resetAtSeconds: Math.ceil((NOW + 40_000) / 1_000),
  })
})

test('verdictOf limits a caller until the minute ends if the remaining requests are reserved for other processes', () => {
  const reserved = lease.verdictOf(stateAfter(), 'held', LIMITS)
  assert.deepEqual(reserved, {
    ...{ outcome: 'limited', limit: 10, remaining: 0, retryAfterSeconds: 40 },
    resetAtSeconds: Math.ceil((NOW + 40_000) / 1_000),
  })
  const none = lease.verdictOf(stateAfter({ minute: NONE }), 'held', LIMITS)
  assert.deepEqual([none.outcome, none.retryAfterSeconds], ['limited', 60], 'or of a new minute')
})

test('isExpired is true after the windows and the memory of the ban have ended', () => {
  const clockAt = (store: number): number => store - NOW + 1_000
  const gone = { ...NONE, startedAt: 0 }
  for (const [answer, end] of [
    [{ day: gone }, MINUTE.startedAt + MINUTE_MS],
    [{}, DAY.startedAt + DAY_MS],
    [{ bannedUntil: NOW + DAY_MS, banSeconds: 900 }, NOW + DAY_MS + 600_000],
    [{ day: gone, bannedUntil: NOW - 590_000, banSeconds: 900 }, MINUTE.startedAt + MINUTE_MS],
  ] as const) {
    const local = stateAfter(answer)
    assert.equal(lease.isExpired(local, clockAt(end) - 1, 600), false)
    assert.equal(lease.isExpired(local, clockAt(end), 600), true)
  }
})

test('isExpired becomes true for a caller without a ban, even when the clock starts in 1970', () => {
  const answer = { storeNow: 1_000, minute: NONE, day: { ...NONE, startedAt: 1_000 - DAY_MS } }

  assert.equal(lease.isExpired(stateAfter(answer), 60_000, 600), true)
})

test('isExpired is false during a request or report, and for a new state in doubt', () => {
  const long = 2 * DAY_MS
  assert.equal(lease.isExpired({ ...stateAfter(), requests: 1 }, long, 600), false)
  assert.equal(lease.isExpired({ ...stateAfter(), reconciling: Promise.resolve() }, long, 600), false)
  assert.equal(lease.isExpired({ ...lease.newLocalState('key:1'), inDoubt: true }, long, 600), false)
  assert.equal(lease.isExpired({ ...stateAfter(), inDoubt: true }, long, 600), true)
})

test('stateOf returns the windows and the ban', () => {
  assert.deepEqual(lease.stateOf(stateAfter({ bannedUntil: NOW + 1, banSeconds: 900 })), {
    minute: { startedAt: MINUTE.startedAt, used: 4 },
    day: { startedAt: DAY.startedAt, used: 40 },
    refusedAt: [],
    bannedUntil: NOW + 1,
    banSeconds: 900,
  })
})

// The store is lost. By the local clock, the minute may have ended at 40,990 and has ended at 41,000.
const ALONE: OfflineTerms = { cause: new Error('lost'), missedFrom: 4_000, fencedFrom: 1e6, part: 1 / 2 }
const ENDS = 41_000

function serve(local: lease.LocalState, clock: number, alone = ALONE) {
  const { storeError, outcome, limit, remaining } = serveOffline(local, caller(false), clock, alone)
  return storeError ? 'lost' : [outcome, limit, remaining]
}

/** A caller with unused leases of this size. */
function leased(minuteCap: number, dayCap: number): lease.LocalState {
  const unused = { used: 0, charged: 0 }
  return stateAfter({
    minute: { ...MINUTE, ...unused, cap: minuteCap },
    day: { ...DAY, ...unused, cap: dayCap },
  })
}

test('offline, the verdict shows the requests that remain in the lease', () => {
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

test('offline, a lease counts until its window may have ended by the store’s clock', () => {
  assert.deepEqual(serve(leased(3, 60), ENDS - 11), ['allowed', 10, 2])
  assert.equal(serve(leased(3, 60), ENDS - 10), 'lost')
  assert.equal(serve(leased(3, 60), DAY.startedAt + DAY_MS - NOW + 1_000 - 10), 'lost')
})

test('offline, a ban gives the verdict banned, and a used-up window gives limited', () => {
  const banned = stateAfter({ bannedUntil: NOW + 5_000, banSeconds: 900 })
  assert.deepEqual(serve(banned, 1_000), ['banned', 10, 0])
  assert.deepEqual(serve(stateAfter({ minute: { ...MINUTE, used: 10 } }), 1_000), ['limited', 10, 0])
})

test('offline, the next minute starts when the last minute has ended for every process', () => {
  assert.equal(serve(leased(3, 60), ENDS - 1), 'lost')
  assert.deepEqual(serve(leased(3, 60), ENDS), ['allowed', 10, 4])
  assert.deepEqual(serve(leased(3, 60), ENDS, { ...ALONE, missedFrom: ENDS }), ['allowed', 10, 4])
  const later = { ...ALONE, missedFrom: ENDS + 1 }
  assert.equal(serve(leased(3, 60), ENDS + MINUTE_MS, later), 'lost')
  assert.deepEqual(serve(leased(3, 60), ENDS + 1 + MINUTE_MS, later), ['allowed', 10, 4])
})

test('an offline process without a minute opens one after the minutes of all other processes must have ended', () => {
  const local = leased(3, 60)
  local.minute = NONE
  assert.equal(serve(local, 63_999), 'lost')
  assert.deepEqual(serve(local, 64_000), ['allowed', 10, 4])
})

test('offline, requests carry over to the next minute opened here if one minute of the store may contain both', () => {
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

test('offline, carried requests do not carry over again', () => {
  const local = leased(3, 60)
  for (const minute of [0, 1, 2]) serve(local, ENDS + minute * (MINUTE_MS + 10))

  assert.deepEqual([local.minute.served, local.minute.charged, local.minute.cap], [2, 1, 6])
})

test('offline, requests in a minute that the store opened do not carry over', () => {
  const local = leased(3, 60)
  serve(local, 1_000)
  serve(local, ENDS)

  assert.deepEqual([local.minute.served, local.minute.charged], [1, 0])
})

test('a request that cannot be served gets the end of its minute as Retry-After', () => {
  const cause = new Error('lost')
  const verdict = unserved(stateAfter(), LIMITS, NOW, cause)
  assert.deepEqual(verdict, {
    ...{
      outcome: 'limited',
      limit: 10,
      remaining: 0,
      resetAtSeconds: NOW / 1_000 + 40,
      retryAfterSeconds: 40,
      storeError: cause,
    },
  })
  assert.equal(unserved(lease.newLocalState('key:1'), LIMITS, NOW, cause).retryAfterSeconds, 60)
})

test('startOver reports served requests again because they are in doubt, and late answers grant no lease', () => {
  const local = stateAfter()
  local.minute = { ...local.minute, served: 5 }
  local.day = { ...local.day, served: 19 }
  startOver(local)

  assert.deepEqual(local.minute, { ...MINUTE, served: 3, charged: 0, cap: 3 })
  assert.deepEqual(local.day, { ...DAY, served: 0, charged: 0, cap: 0 })
  assert.deepEqual([local.inDoubt, local.releases], [true, 1])
  const certain = stateAfter()
  startOver(certain)
  assert.equal(certain.inDoubt, false, 'no doubt when everything was charged')
})

test('reportOf returns the id and start of the window, the requests served here, the minimum total of all processes, and the cap', () => {
  const share = { windowId: 'a', startedAt: 7, used: 30, served: 12, charged: 10, cap: 15 }

  assert.deepEqual(lease.reportOf(share), ['a', 7, 12, 32, 15])
})

test('reportOf returns a total of at least the number of requests served here', () => {
  const alone = { windowId: 'alone-7', startedAt: 7, used: 0, served: 12, charged: 5, cap: 15 }

  assert.deepEqual(lease.reportOf(alone), ['alone-7', 7, 12, 12, 15])
})

test('readAnswer accepts numbers and strings of digits', () => {
  const answer = {
    storeNow: 1_000,
    bannedUntil: 2_000,
    banSeconds: 900,
    minute: { windowId: 'm', startedAt: 600, used: 4, served: 0, charged: 2, cap: 6 },
    day: { windowId: 'd', startedAt: 500, used: 40, served: 0, charged: 20, cap: 60 },
  }

  assert.deepEqual(
    lease.readAnswer(['allowed', 1_000, 2_000, 900, 'm', 600, 4, 2, 6, 'd', 500, 40, 20, 60]),
    answer,
  )
  const digits = ['1000', '2000', '900', 'm', '600', '4', '2', '6', 'd', '500', '40', '20', '60']
  assert.deepEqual(lease.readAnswer(['allowed', ...digits]), answer)
})
