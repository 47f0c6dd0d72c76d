import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithFront } from './testing/front.ts'
import { startClient } from './testing/start-client.ts'

test('the message of a 400 names each invalid member', async (t) => {
  const { client } = await startClient(t)

  const body = await client.createPet({ name: '', categoryId: 99 }).catch((error) => error)
  for (const { pointer, message } of body.details) assert.ok(body.message.includes(`${pointer}: ${message}`))
  assert.match(body.message, /\/name: .*\/categoryId: |\/categoryId: .*\/name: /)
  const query = await client.listPets({ limit: 0 }).catch((error) => error)
  assert.match(query.message, /limit: ./)
})

test('a failed cross-origin request in a browser: the error names CORS and CORS_ORIGINS', async (t) => {
  const { front, client } = await startWithFront(t, { retries: 0 })
  const failed = async (origin?: string) => {
    // Browsers have `location`, Node does not; fetch fails with the same TypeError in both.
    if (origin) Object.assign(globalThis, { location: { origin } })
    front.replies.push({ status: 307, headers: { location: '/' } })
    try {
      return await client.listPets().catch(({ code, message }) => `${code}: ${message}`)
    } finally {
      Reflect.deleteProperty(globalThis, 'location')
    }
  }

  const { origin } = new URL(front.baseUrl)
  assert.equal(
    await failed('https://shop.example'),
    `connection_failed: ${origin} did not answer, or does not let pages of https://shop.example call it (CORS): ` +
      'its operator lists their origin in the setting CORS_ORIGINS.',
  )
  assert.equal(await failed(), `connection_failed: ${origin} did not answer.`)
  assert.equal(await failed(origin), `connection_failed: ${origin} did not answer.`)
})
