import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ruling } from '../limits/limiter.ts'
import { banMemory } from './metrics.ts'

const banned = (resetAtSeconds: number): Ruling => ({
  outcome: 'banned',
  limit: 60,
  remaining: 0,
  resetAtSeconds,
  retryAfterSeconds: 9,
})

test('a ban is new once, however often its key is refused, and the next one is new again', () => {
  const isNew = banMemory()
  assert.deepEqual([isNew('key:1', banned(900)), isNew('key:1', banned(901))], [true, false])
  assert.equal(isNew('key:1', { ...banned(960), outcome: 'allowed' }), false)
  assert.equal(isNew('key:1', banned(1_800)), true)
})

test('no more than so many keys are remembered, and those who were refused last are', () => {
  const isNew = banMemory(2)
  for (const name of ['key:1', 'key:2', 'key:1', 'key:3']) isNew(name, banned(900))

  assert.equal(isNew('key:1', banned(900)), false)
  assert.equal(isNew('key:3', banned(900)), false)
  assert.equal(isNew('key:2', banned(900)), true, 'forgotten')
})
