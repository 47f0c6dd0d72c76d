import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import { Refused } from './animal.ts'
import { asOfServer } from './download.ts'

test("of somebody else's server it is told what it did, not what to send", () => {
  for (const [code, expected] of [
    [
      'request_timeout',
      /^The server sent it too slowly: it needs 10 KB a second, and 300 seconds at most\.$/,
    ],
    ['payload_too_large', /^The picture is larger than 15000000 bytes, or comes in too many small pieces\.$/],
    ['invalid_image', /^The answer was empty\.$/],
  ] as const) {
    const told = asOfServer(new ApiError(code, { message: 'Send another.' }))
    assert.ok(told instanceof Refused)
    assert.match(told.message, expected)
  }
  const full = new ApiError('service_unavailable', { cause: new Error('the disk is full') })
  assert.equal(asOfServer(full), full, 'what is wrong here ends the import')
  assert.equal(asOfServer(new Error('aborted')).message, 'The answer broke off.')
})
