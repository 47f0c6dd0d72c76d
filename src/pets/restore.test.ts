import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileOf } from '../db/store-url.ts'
import { assertError } from '../testing/client.ts'
import { startApp } from '../testing/start-app.ts'

test('after a restore, another change of an animal gives it a new ETag', async (t) => {
  const first = await startApp(t)
  const file = fileOf(first.databaseUrl)
  await first.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  await first.stop()
  copyFileSync(file, `${file}.copy`)

  const change = async (name: string, ifMatch?: string) => {
    const app = await startApp(t, { databaseUrl: first.databaseUrl })
    const headers = { 'content-type': 'application/json', ...(ifMatch && { 'if-match': ifMatch }) }
    const answer = await app.request('/v1/pets/1', { method: 'PATCH', headers, body: { name } })
    return { app, answer, etag: String(answer.headers.etag) }
  }
  const before = await change('Max')
  await before.app.stop()
  copyFileSync(`${file}.copy`, file)
  const after = await change('Moritz')

  assert.notEqual(after.etag, before.etag)
  const { get, stop } = after.app
  for (const path of ['/v1/pets/1', '/v1/pets?id=1', '/v1/pets']) {
    assert.equal((await get(path, { 'if-none-match': before.etag })).status, 200, path)
  }
  await stop()
  const { answer } = await change('Ben', before.etag)
  assertError(answer, 412, 'precondition_failed', 'the ETag from before the restore')
})
