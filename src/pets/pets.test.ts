import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../testing/start-app.ts'

test('GET /v1/pets on an empty store answers 200 with an empty array', async (t) => {
  const { get } = await startApp(t)

  const answer = await get('/v1/pets')

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body, [])
})
