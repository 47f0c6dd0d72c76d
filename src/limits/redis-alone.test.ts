import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alone, serveAlone } from './redis-alone.ts'
import { hear, type Known, type Share, unknown } from './redis-share.ts'

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
