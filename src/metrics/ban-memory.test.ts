import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LimiterVerdict } from '../limits/limiter.ts'
import { openBanMemory } from './metrics.ts'

const banned = (resetAtSeconds: number): LimiterVerdict => ({
  outcome: 'banned',
  limit: 60,
  remaining: 0,
  resetAtSeconds,
  retryAfterSeconds: 9,
})

test('banMemory reports a ban as new once, and the next ban as new again', () => {
  const isNew = openBanMemory()
  assert.deepEqual([isNew('key:1', banned(900)), isNew('key:1', banned(901))], [true, false])
  assert.equal(isNew('key:1', { ...banned(960), outcome: 'allowed' }), false)
  assert.equal(isNew('key:1', banned(1_800)), true)
})

test('banMemory evicts the keys whose last refusal is oldest', () => {
  const isNew = openBanMemory(2)
  for (const name of ['key:1', 'key:2', 'key:1', 'key:3']) isNew(name, banned(900))

  assert.equal(isNew('key:1', banned(900)), false)
  assert.equal(isNew('key:3', banned(900)), false)
  assert.equal(isNew('key:2', banned(900)), true, 'evicted')
})
