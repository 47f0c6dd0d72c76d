import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAnswer, reportOf } from './messages.ts'

test('a report has the name, start, what was served here, the most that is known of, and the lease', () => {
  const share = { windowId: 'a', startedAt: 7, used: 30, served: 12, charged: 10, cap: 15 }

  assert.deepEqual(reportOf(share), ['a', 7, 12, 32, 15])
})

test('the total in a report is never below what was served here', () => {
  const alone = { windowId: 'alone-7', startedAt: 7, used: 0, served: 12, charged: 5, cap: 15 }

  assert.deepEqual(reportOf(alone), ['alone-7', 7, 12, 12, 15])
})

test('an answer of a script, in numbers or in their digits, is read into figures', () => {
  const heard = {
    storeNow: 1_000,
    bannedUntil: 2_000,
    banSeconds: 900,
    minute: { windowId: 'm', startedAt: 600, used: 4, served: 0, charged: 2, cap: 6 },
    day: { windowId: 'd', startedAt: 500, used: 40, served: 0, charged: 20, cap: 60 },
  }

  assert.deepEqual(readAnswer(['allowed', 1_000, 2_000, 900, 'm', 600, 4, 2, 6, 'd', 500, 40, 20, 60]), heard)
  const digits = ['1000', '2000', '900', 'm', '600', '4', '2', '6', 'd', '500', '40', '20', '60']
  assert.deepEqual(readAnswer(['allowed', ...digits]), heard)
})
