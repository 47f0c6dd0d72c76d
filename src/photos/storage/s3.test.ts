import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../config.ts'
import { openS3 } from './s3.ts'

const nameOf = (number: number): string => `${number.toString(16).padStart(32, '0')}-600.webp`

test('a bucket key that is invalid in a header causes an error without the key', async () => {
  const store = await openS3('s3+http://bad%0Akey:hidden@127.0.0.1:1/photos')

  await assert.rejects(store.size(nameOf(1)), { message: '127.0.0.1:1: the key cannot be sent' })
})

test('readConfig with an invalid PHOTOS_URL throws an error without the key and the secret', () => {
  for (const url of [
    's3://key:hidden@host',
    's3://key@host/b',
    's3://key:hid%ZZden@host/b',
    's3://k:hid%FFden@h/b',
  ])
    assert.throws(
      () => readConfig({ PHOTOS_URL: url }),
      ({ message }: Error) => /^PHOTOS_URL must be/.test(message) && !/hid|key@|k:/.test(message),
      url,
    )
  for (const url of ['s3://k:a%2Fb@host:8443/b?region=r', 's3+http://k:s@[::1]:80/b'])
    assert.equal(readConfig({ PHOTOS_URL: url }).photosUrl, url)
})
