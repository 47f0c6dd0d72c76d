import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { collectBody } from './json-body.ts'

const collect = (payload: Readable) =>
  new Promise<string>((resolve) => {
    collectBody(payload, Number.NaN, 1_000, (error, body) => resolve(error?.message ?? String(body)))
  })

test('collectBody returns a complete body, and an error when the client leaves before or during it', async () => {
  assert.equal(await collect(Readable.from([Buffer.from('a'), Buffer.from('b')])), 'ab')

  const gone = new Readable({ read: () => undefined }).destroy()
  await once(gone, 'close')
  assert.equal(await collect(gone), 'The body is incomplete. Send the request again.')

  const leaving = new Readable({ read: () => undefined })
  const reported = collect(leaving)
  leaving.destroy()
  assert.equal(await reported, 'The body is incomplete. Send the request again.')
})
