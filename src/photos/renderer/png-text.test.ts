import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { picture } from '../../testing/pictures.ts'
import { startApp, UNLIMITED } from '../../testing/start-app.ts'

/** The signature and the first chunk of a PNG. */
const HEAD_BYTES = 33

function part(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const made = Buffer.alloc(8 + named.length)
  made.writeUInt32BE(data.length, 0)
  named.copy(made, 4)
  made.writeUInt32BE(crc32(named), 4 + named.length)
  return made
}

test('POST of a PNG with more than 256 KB of text, compressed or not, or too many chunks gets 422', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const whole = await picture({ type: 'png' })
  const add = (...parts: Buffer[]) => {
    const body = Buffer.concat([whole.subarray(0, HEAD_BYTES), ...parts, whole.subarray(HEAD_BYTES)])
    const headers = { 'content-type': 'image/png' }
    return app.request('/v1/pets/1/photos', { method: 'POST', body, headers })
  }
  // Inflates to 50 MB.
  const inflating = part('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(50_000_000))]))
  const plain = part('tEXt', Buffer.from(`a\0${'x'.repeat(90_000)}`))
  for (const parts of [
    Array.from({ length: 6 }, () => inflating),
    [plain, plain, plain],
    [part('iTXt', Buffer.from(`a\0\0\0\0\0${'x'.repeat(300_000)}`))],
    Array.from({ length: 20_001 }, () => part('tEXt', Buffer.from('a\0'))),
  ]) {
    const { status, body } = await add(...parts)
    assert.deepEqual([status, body.code], [422, 'invalid_image'])
    assert.match(body.message, /The PNG contains too much text/)
  }
  assert.equal((await add(plain, plain)).status, 201)
})
