import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageStarts } from './animal-pages.ts'

const KEPT = 50_000

test('a client that reads on keeps the last starts of its list, however many others are read', () => {
  const clock = { now: 0 }
  const { nearest, keep } = pageStarts(() => clock.now)
  for (let page = 1; page <= KEPT + 2; page += 1) {
    keep('mine', page * 20, [0, page])
    assert.equal(nearest('mine', page * 20).index, page * 20)
  }
  for (let other = 0; other < KEPT - 1; other += 1) keep(`other ${other}`, 20, [0, 1])
  assert.deepEqual(nearest('mine', (KEPT + 2) * 20), { index: (KEPT + 2) * 20, position: [0, KEPT + 2] })
  keep('one more', 20, [0, 1])
  assert.equal(nearest('mine', (KEPT + 2) * 20).index, 0)
})

test('a start is forgotten after ten minutes, also where the clock is set back', () => {
  const clock = { now: 0 }
  const { nearest, keep } = pageStarts(() => clock.now)
  for (const later of [599_999, -599_999]) {
    keep('mine', 20, [0, 1])
    clock.now += later
    assert.equal(nearest('mine', 30).index, 20)
    clock.now += Math.sign(later)
    assert.equal(nearest('mine', 30).index, 0)
  }
})
