import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyAnswer, type Lease, type LocalState, newLocalState, reportOf } from './lease.ts'
import { type OfflineTerms, serveOffline, startOver } from './offline.ts'

const NOW = 1_800_000_000_000
const CALLER = { name: 'key:1', limits: { perMinute: 80, perDay: 1_000 } }
const ALONE: OfflineTerms = { cause: new Error('lost'), missedFrom: 4_000, fencedFrom: 900_000, part: 1 / 8 }

/**
 * A caller whose state the store reported some seconds after the start of a minute. The process's clock was
 * then at 0.
 */
function stateAfter(seconds: number): LocalState {
  const share = (ago: number, cap: number): Lease => {
    return { windowId: 'a', startedAt: NOW - ago * 1_000, used: 20, served: 0, charged: 0, cap }
  }
  const local = { ...newLocalState('key:1'), sentAt: 0, answeredAt: 0.001 }
  const answer = {
    storeNow: NOW,
    bannedUntil: 0,
    banSeconds: 0,
    minute: share(seconds, 3),
    day: share(seconds, 40),
  }
  applyAnswer(local, answer, { releases: 0 })
  return local
}

const served = (local: LocalState, clock: number, alone = ALONE): number =>
  Array.from({ length: 50 }, () => serveOffline(local, CALLER, clock, alone)).filter(
    ({ storeError }) => !storeError,
  ).length

test('an offline process serves its lease of the minute and no more', () => {
  assert.equal(served(stateAfter(10), 1_000), 3)
})

test('offline, after a minute that other processes knew, a process opens a minute with its part of the limit', () => {
  const local = stateAfter(10)

  assert.deepEqual(
    [1_000, 49_000, 51_000, 110_000, 112_000, 173_000].map((clock) => served(local, clock)),
    [3, 0, 10, 0, 10, 10],
  )
})

test('offline, if a minute ends before other processes notice the absence of this one, their minute must end first', () => {
  const local = stateAfter(58)

  assert.deepEqual(
    [1_000, 3_000, 60_000, 63_900, 64_001].map((clock) => served(local, clock)),
    [3, 0, 0, 0, 10],
  )
})

test('an offline process serves no more than its lease of the day, and nothing after 15 minutes', () => {
  const local = stateAfter(10)
  const minutes = [0, 1, 2, 3, 4, 5].map((minute) => served(local, 1_000 + minute * 61_000))

  assert.deepEqual(minutes, [3, 10, 10, 10, 7, 0])
  assert.equal(served(stateAfter(10), 900_000), 0)
})

/** The requests that a report will name as served in the minute, and whether a report is due. */
function reportedBy(local: LocalState): unknown[] {
  const [, , count] = reportOf(local.minute)
  return [count, local.inDoubt]
}

test('startOver reports everything that was not charged, and serves nothing more', () => {
  const local = stateAfter(10)
  local.minute = { ...local.minute, served: 5, charged: 5, cap: 8 }
  assert.equal(served(local, 1_000), 3)

  startOver(local)
  assert.deepEqual(reportedBy(local), [3, true])
  assert.equal(served(local, 1_000), 0)
})

test('startOver reports all requests of a minute that the process opened itself', () => {
  const local = stateAfter(58)
  assert.deepEqual(
    [63_000, 64_001].map((clock) => served(local, clock)),
    [0, 10],
  )
  // Pretends that a report was sent.
  local.minute = { ...local.minute, charged: 10 }
  local.inDoubt = false

  startOver(local)
  assert.deepEqual(reportedBy(local), [10, true])
})

test('startOver reports nothing for a caller without served requests', () => {
  const local = stateAfter(10)

  startOver(local)
  assert.deepEqual(reportedBy(local), [0, false])
  assert.equal(served(local, 1_000), 0)
})
