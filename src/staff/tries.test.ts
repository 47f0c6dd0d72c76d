import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyTry, chooseSlots, type TryCounter, undoTry } from './tries.ts'

const NOW = 1_800_000_000_000
const MINUTE_MS = 60_000
const NONE: TryCounter = { startedAt: 0, tries: 0, blockedUntil: 0, waitMs: 0 }

/** Tries at the given minutes. @returns the minutes that each try has to wait */
function tryAt(...minutes: number[]): number[] {
  let counter = NONE
  return minutes.map((minute) => {
    const { tries, retryAfterMs } = applyTry(counter, NOW + minute * MINUTE_MS)
    counter = tries
    return retryAfterMs / MINUTE_MS
  })
}

test('ten tries in 15 minutes are free, the eleventh has to wait a minute', () => {
  assert.deepEqual(tryAt(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 1), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0.5, 0])
  assert.deepEqual(tryAt(0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 15, 15), Array(12).fill(0), 'a new window begins')
})

test('the wait doubles, up to 15 minutes, and attempts during a wait are not counted', () => {
  const waits: number[] = []
  let counter = NONE
  let now = NOW
  for (let count = 1; count <= 10; count += 1) counter = applyTry(counter, now).tries
  for (let count = 1; count <= 7; count += 1) {
    const { retryAfterMs } = applyTry(counter, now)
    assert.equal(applyTry(applyTry(counter, now).tries, now).retryAfterMs, retryAfterMs)
    waits.push(retryAfterMs / MINUTE_MS)
    now += retryAfterMs
    const result = applyTry(counter, now)
    assert.equal(result.retryAfterMs, 0)
    counter = result.tries
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 15, 15, 15])
})

test('a day after the last wait, ten passwords can be tried without waiting', () => {
  const ten = Array(10).fill(0)
  const dayLater = 1 + 24 * 60
  assert.deepEqual(tryAt(...ten, dayLater - 0.1, dayLater - 0.1), [...ten, 0, 2], 'not yet')
  assert.deepEqual(tryAt(...ten, ...Array(11).fill(dayLater)), [...ten, ...ten, 1])
})

test('undoTry after a correct password restores the counter of the address', () => {
  let counter = NONE
  for (let count = 1; count <= 9; count += 1) counter = applyTry(counter, NOW).tries
  assert.deepEqual(undoTry(applyTry(counter, NOW).tries, NOW), counter)
  counter = applyTry(applyTry(counter, NOW).tries, NOW + MINUTE_MS).tries
  assert.equal(counter.waitMs, 2 * MINUTE_MS)
  const now = NOW + 3 * MINUTE_MS
  const after = undoTry(applyTry(counter, now).tries, now)
  assert.deepEqual([after.waitMs, applyTry(after, now).retryAfterMs], [counter.waitMs, 0])
})

test('a clock that is set back does not make a wait longer', () => {
  assert.deepEqual(tryAt(...Array(10).fill(0), -1_000), [...Array(10).fill(0), 1])
})

test('chooseSlots depends on the secret and stays within 65,536 slots of each kind', () => {
  const one = chooseSlots('secret', 'ana@shelter.example', 'ip:192.0.2.1')
  assert.deepEqual(one, chooseSlots('secret', 'ana@shelter.example', 'ip:192.0.2.1'))
  assert.notDeepEqual(one, chooseSlots('another', 'ana@shelter.example', 'ip:192.0.2.1'))
  for (let index = 0; index < 1_000; index += 1) {
    const { account, address = 0 } = chooseSlots('secret', `${index}`, `${index}`)
    assert.ok(account >= 0 && account < 65_536)
    assert.ok(address >= 65_536 && address < 131_072)
    const trusted = chooseSlots('secret', `${index}`, `${index}`, 'trusted browser')
    assert.ok(trusted.account >= 131_072 && trusted.account < 196_608 && trusted.address === undefined)
  }
})
