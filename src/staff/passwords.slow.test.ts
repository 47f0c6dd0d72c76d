import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiError } from '../errors.ts'
import { verifyPassword } from './passwords.ts'

test('more than can wait are refused with 503, and the others all get their answer', async () => {
  const tried = await Promise.allSettled(Array.from({ length: 40 }, () => verifyPassword('x', undefined)))
  const refused = tried.filter((one) => one.status === 'rejected')
  assert.equal(refused.length, 40 - 2 - 32)
  for (const { reason } of refused) assert.equal((reason as ApiError).code, 'service_unavailable')
  assert.equal(await verifyPassword('x', undefined), false, 'and the next one gets its turn')
})
