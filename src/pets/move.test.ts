import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import type { PetStatus } from './fields.ts'
import { checkMove } from './move.ts'

const STATUSES: PetStatus[] = ['available', 'pending', 'sold']

test('every status can follow every other, except pending after sold', () => {
  for (const from of [undefined, ...STATUSES]) {
    for (const to of STATUSES) {
      if (from === 'sold' && to === 'pending') continue
      assert.doesNotThrow(() => checkMove(from, to), `${from} to ${to}`)
    }
  }
  assert.throws(
    () => checkMove('sold', 'pending'),
    (error) => {
      assert.ok(error instanceof ApiError)
      assert.equal(error.code, 'invalid_status_transition')
      assert.equal(error.message, 'This animal is sold; from there it can become available, not pending.')
      return true
    },
  )
})
