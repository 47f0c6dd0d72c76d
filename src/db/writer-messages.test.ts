import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import { packError, unpackError } from './writer-messages.ts'

/** As it arrives in another thread. */
const sent = (error: unknown): Error => unpackError(structuredClone(packError(error)))

test('an error that crosses threads keeps all that a client or the log gets of it', () => {
  const disk = Object.assign(new Error('disk I/O error'), { errcode: 10 })
  const details = [{ pointer: '/name', code: 'missing' as const, message: 'This is missing.' }]
  const headers = { 'retry-after': '7' }
  const error = new ApiError('service_unavailable', { message: 'Not now.', details, headers, cause: disk })

  const arrived = sent(error)

  assert.ok(arrived instanceof ApiError)
  assert.deepEqual([arrived.code, arrived.message], ['service_unavailable', 'Not now.'])
  assert.deepEqual([arrived.details, arrived.headers], [details, headers])
  const { message, errcode, stack } = arrived.cause as typeof disk
  assert.deepEqual([message, errcode, stack], [disk.message, 10, disk.stack])
})

test('an error without details and cause has none on the other side', () => {
  const arrived = sent(new ApiError('pet_not_found')) as ApiError
  assert.deepEqual(
    { ...arrived, cause: arrived.cause },
    { ...new ApiError('pet_not_found'), cause: undefined },
  )
})
