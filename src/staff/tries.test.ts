import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeTry, slotsOf, type Tries, takeBack } from './tries.ts'

const NOW = 1_800_000_000_000
const MINUTE_MS = 60_000
const NONE: Tries = { startedAt: 0, tries: 0, blockedUntil: 0, waitMs: 0 }

/** Tries at given times, in minutes; after each the minutes to wait for it. */
function tryAt(...minutes: number[]): number[] {
  let known = NONE
  return minutes.map((minute) => {
    const { tries, retryAfterMs } = judgeTry(known, NOW + minute * MINUTE_MS)
    known = tries
    return retryAfterMs / MINUTE_MS
  })
}

test('ten tries in 15 minutes are free, the eleventh waits a minute', () => {
  assert.deepEqual(tryAt(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 1), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0.5, 0])
  assert.deepEqual(tryAt(0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 15, 15), Array(12).fill(0), 'the window began anew')
})

test('each wait is twice as long as the one before, up to 15 minutes, and tries made meanwhile count nothing', () => {
  const waits: number[] = []
  let known = NONE
  let now = NOW
  for (let count = 1; count <= 10; count += 1) known = judgeTry(known, now).tries
  for (let count = 1; count <= 7; count += 1) {
    const { retryAfterMs } = judgeTry(known, now)
    assert.equal(judgeTry(judgeTry(known, now).tries, now).retryAfterMs, retryAfterMs)
    waits.push(retryAfterMs / MINUTE_MS)
    now += retryAfterMs
    const judged = judgeTry(known, now)
    assert.equal(judged.retryAfterMs, 0)
    known = judged.tries
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 15, 15, 15])
})

test('a day after the last wait ten tries are free again', () => {
  const ten = Array(10).fill(0)
  const dayLater = 1 + 24 * 60
  assert.deepEqual(tryAt(...ten, dayLater - 0.1, dayLater - 0.1), [...ten, 0, 2], 'not yet')
  assert.deepEqual(tryAt(...ten, ...Array(11).fill(dayLater)), [...ten, ...ten, 1])
})

test('a try that was right leaves an address as it was', () => {
  let known = NONE
  for (let count = 1; count <= 9; count += 1) known = judgeTry(known, NOW).tries
  assert.deepEqual(takeBack(judgeTry(known, NOW).tries, NOW), known)
  known = judgeTry(judgeTry(known, NOW).tries, NOW + MINUTE_MS).tries
  assert.equal(known.waitMs, 2 * MINUTE_MS)
  const now = NOW + 3 * MINUTE_MS
  const after = takeBack(judgeTry(known, now).tries, now)
  assert.deepEqual([after.waitMs, judgeTry(after, now).retryAfterMs], [known.waitMs, 0])
})

test('a clock that is set back prolongs no wait', () => {
  assert.deepEqual(tryAt(...Array(10).fill(0), -1_000), [...Array(10).fill(0), 1])
})

test('counters are found by a secret alone, and there are only so many of them', () => {
  const one = slotsOf('secret', 'ana@shelter.example', 'ip:192.0.2.1')
  assert.deepEqual(one, slotsOf('secret', 'ana@shelter.example', 'ip:192.0.2.1'))
  assert.notDeepEqual(one, slotsOf('another', 'ana@shelter.example', 'ip:192.0.2.1'))
  for (let index = 0; index < 1_000; index += 1) {
    const { account, address } = slotsOf('secret', `${index}`, `${index}`)
    assert.ok(account >= 0 && account < 65_536)
    assert.ok(address >= 65_536 && address < 131_072)
  }
})
