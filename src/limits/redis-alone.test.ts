import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alone, serveAlone, startOver } from './redis-alone.ts'
import { hear, type Known, type Share, unknown } from './redis-share.ts'
import { reportOf } from './redis-wire.ts'

const NOW = 1_800_000_000_000
const CALLER = { name: 'key:1', limits: { perMinute: 80, perDay: 1_000 } }
const ALONE: Alone = { cause: new Error('lost'), missedFrom: 4_000, fencedFrom: 900_000, part: 1 / 8 }

/** Heard at 0 by the clock of the process, when a minute had run for some seconds. */
function heardOf(seconds: number): Known {
  const share = (ago: number, cap: number): Share => {
    return { label: 'a', startedAt: NOW - ago * 1_000, used: 20, served: 0, charged: 0, cap }
  }
  const known = { ...unknown('key:1'), askedAt: 0, heardAt: 0.001 }
  const heard = {
    storeNow: NOW,
    bannedUntil: 0,
    banSeconds: 0,
    minute: share(seconds, 3),
    day: share(seconds, 40),
  }
  hear(known, heard, { turn: 0 })
  return known
}

const served = (known: Known, clock: number, alone = ALONE): number =>
  Array.from({ length: 50 }, () => serveAlone(known, CALLER, clock, alone)).filter(({ lost }) => !lost).length

test('alone, a process serves its promise for the minute and no more', () => {
  assert.equal(served(heardOf(10), 1_000), 3)
})

test('a minute that others still know of is followed by a part of the next', () => {
  const known = heardOf(10)

  assert.deepEqual(
    [1_000, 49_000, 51_000, 110_000, 112_000, 173_000].map((clock) => served(known, clock)),
    [3, 0, 10, 0, 10, 10],
  )
})

test('after a minute that ended before the others missed this process, theirs must have ended too', () => {
  const known = heardOf(58)

  assert.deepEqual(
    [1_000, 3_000, 60_000, 63_900, 64_001].map((clock) => served(known, clock)),
    [3, 0, 0, 0, 10],
  )
})

test('alone, a process serves no more of the day than was promised, and nothing once it is given up', () => {
  const known = heardOf(10)
  const minutes = [0, 1, 2, 3, 4, 5].map((minute) => served(known, 1_000 + minute * 61_000))

  assert.deepEqual(minutes, [3, 10, 10, 10, 7, 0])
  assert.equal(served(heardOf(10), 900_000), 0)
})

/** What the store will be told to have been served of the minute, and whether it has to be. */
function toldOf(known: Known): unknown[] {
  const [, , count] = reportOf(known.minute)
  return [count, known.unsettled]
}

test('a process that was given up tells all that the store has not charged, and serves nothing more', () => {
  const known = heardOf(10)
  known.minute = { ...known.minute, served: 5, charged: 5, cap: 8 }
  assert.equal(served(known, 1_000), 3)

  startOver(known)
  assert.deepEqual(toldOf(known), [3, true])
  assert.equal(served(known, 1_000), 0)
})

test('a process that was given up tells again of the whole minute that it opened itself', () => {
  const known = heardOf(58)
  assert.deepEqual(
    [63_000, 64_001].map((clock) => served(known, clock)),
    [0, 10],
  )
  // The store was told of it once.
  known.minute = { ...known.minute, charged: 10 }
  known.unsettled = false

  startOver(known)
  assert.deepEqual(toldOf(known), [10, true])
})

test('a process that was given up has nothing to tell of a caller that it served nothing', () => {
  const known = heardOf(10)

  startOver(known)
  assert.deepEqual(toldOf(known), [0, false])
  assert.equal(served(known, 1_000), 0)
})
