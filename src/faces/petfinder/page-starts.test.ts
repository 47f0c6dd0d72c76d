import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageStarts } from './page-starts.ts'

const MAX_STARTS = 50_000

test('pageStarts with many lists keeps the latest starts of a list that is still read', () => {
  const clock = { now: 0 }
  const { nearest, keep } = pageStarts(() => clock.now)
  for (let page = 1; page <= MAX_STARTS + 2; page += 1) {
    keep('mine', { index: page * 20, position: [0, page] })
    assert.equal(nearest('mine', page * 20).index, page * 20)
  }
  for (let other = 0; other < MAX_STARTS - 1; other += 1)
    keep(`other ${other}`, { index: 20, position: [0, 1] })
  const last = nearest('mine', (MAX_STARTS + 2) * 20)
  assert.deepEqual([last.index, last.position], [(MAX_STARTS + 2) * 20, [0, MAX_STARTS + 2]])
  keep('one more', { index: 20, position: [0, 1] })
  assert.equal(nearest('mine', (MAX_STARTS + 2) * 20).index, 0)
})

test('pageStarts forgets a start after ten minutes, even if the clock is set back', () => {
  const clock = { now: 0 }
  const { nearest, keep } = pageStarts(() => clock.now, 600_000)
  for (const later of [599_999, -599_999]) {
    keep('mine', { index: 20, position: [0, 1] })
    clock.now += later
    assert.equal(nearest('mine', 30).index, 20)
    clock.now += Math.sign(later)
    assert.equal(nearest('mine', 30).index, 0)
  }
})
