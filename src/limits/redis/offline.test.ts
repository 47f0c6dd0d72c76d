import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyAnswer, type Lease, type LocalState, unknown } from './lease.ts'
import { reportOf } from './messages.ts'
import { type OfflineTerms, serveOffline, startOver } from './offline.ts'

const NOW = 1_800_000_000_000
const CALLER = { name: 'key:1', limits: { perMinute: 80, perDay: 1_000 } }
const ALONE: OfflineTerms = { cause: new Error('lost'), missedFrom: 4_000, fencedFrom: 900_000, part: 1 / 8 }

/** CallerAnswer at 0 by the clock of the process, when a minute had run for some seconds. */
function heardOf(seconds: number): LocalState {
  const share = (ago: number, cap: number): Lease => {
    return { windowId: 'a', startedAt: NOW - ago * 1_000, used: 20, served: 0, charged: 0, cap }
  }
  const local = { ...unknown('key:1'), askedAt: 0, answeredAt: 0.001 }
  const heard = {
    storeNow: NOW,
    bannedUntil: 0,
    banSeconds: 0,
    minute: share(seconds, 3),
    day: share(seconds, 40),
  }
  applyAnswer(local, heard, { turn: 0 })
  return local
}

const served = (local: LocalState, clock: number, alone = ALONE): number =>
  Array.from({ length: 50 }, () => serveOffline(local, CALLER, clock, alone)).filter(({ lost }) => !lost)
    .length

test('offline, a process serves its lease for the minute and no more', () => {
  assert.equal(served(heardOf(10), 1_000), 3)
})

test('a minute that others still know of is followed by a part of the next', () => {
  const local = heardOf(10)

  assert.deepEqual(
    [1_000, 49_000, 51_000, 110_000, 112_000, 173_000].map((clock) => served(local, clock)),
    [3, 0, 10, 0, 10, 10],
  )
})

test('after a minute that ended before the others missed this process, theirs must have ended too', () => {
  const local = heardOf(58)

  assert.deepEqual(
    [1_000, 3_000, 60_000, 63_900, 64_001].map((clock) => served(local, clock)),
    [3, 0, 0, 0, 10],
  )
})

test('offline, a process serves no more of the day than was leased, and nothing once it is given up', () => {
  const local = heardOf(10)
  const minutes = [0, 1, 2, 3, 4, 5].map((minute) => served(local, 1_000 + minute * 61_000))

  assert.deepEqual(minutes, [3, 10, 10, 10, 7, 0])
  assert.equal(served(heardOf(10), 900_000), 0)
})

/** What the store will be told to have been served of the minute, and whether it has to be. */
function toldOf(local: LocalState): unknown[] {
  const [, , count] = reportOf(local.minute)
  return [count, local.inDoubt]
}

test('a process that was given up tells all that the store has not charged, and serves nothing more', () => {
  const local = heardOf(10)
  local.minute = { ...local.minute, served: 5, charged: 5, cap: 8 }
  assert.equal(served(local, 1_000), 3)

  startOver(local)
  assert.deepEqual(toldOf(local), [3, true])
  assert.equal(served(local, 1_000), 0)
})

test('a process that was given up tells again of the whole minute that it opened itself', () => {
  const local = heardOf(58)
  assert.deepEqual(
    [63_000, 64_001].map((clock) => served(local, clock)),
    [0, 10],
  )
  // The store was told of it once.
  local.minute = { ...local.minute, charged: 10 }
  local.inDoubt = false

  startOver(local)
  assert.deepEqual(toldOf(local), [10, true])
})

test('a process that was given up has nothing to tell of a caller that it served nothing', () => {
  const local = heardOf(10)

  startOver(local)
  assert.deepEqual(toldOf(local), [0, false])
  assert.equal(served(local, 1_000), 0)
})
