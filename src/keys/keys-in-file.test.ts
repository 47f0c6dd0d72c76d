import assert from 'node:assert/strict'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { fileOf } from '../db/store-url.ts'
import { assertError } from '../testing/client.ts'
import { makeKey, startApp } from '../testing/start-app.ts'
import { generateKey, hashKey } from './key-format.ts'

// What only the embedded database promises.

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Revokes the second key, as its command does. */
async function revoke(databaseUrl: string): Promise<boolean> {
  const store = await openForCommand(databaseUrl, changes)
  const revoked = await store.write(changes.revokeKey, 2, 1)
  await store.close()
  return revoked
}

test('the store and its files hold no key, only its SHA-256', async (t) => {
  const { databaseUrl, key, post, stop } = await startApp(t)
  const file = fileOf(databaseUrl)
  await post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const wal = readFileSync(`${file}-wal`)
  await stop()

  for (const bytes of [wal, readFileSync(file)]) {
    assert.ok(!bytes.includes(key))
    assert.ok(!bytes.includes(key.slice(11, 23)))
  }
  assert.ok(readFileSync(file).includes(hashKey(key)))
})

test('a key revoked beside the running service is refused from the next request, like an unknown one', async (t) => {
  const { databaseUrl, get } = await startApp(t)
  const key = await makeKey(databaseUrl)
  for (let round = 0; round < 3; round += 1) assert.equal((await get('/v1/pets', bearer(key))).status, 200)

  assert.equal(await revoke(databaseUrl), true)
  const revoked = await get('/v1/pets', bearer(key))
  const unknown = await get('/v1/pets', bearer(generateKey('production')))

  assert.equal(revoked.status, 401)
  assert.equal(revoked.text, unknown.text)
  assert.equal(revoked.headers['www-authenticate'], 'Bearer realm="adoptable", error="invalid_token"')
  assert.equal(unknown.headers['www-authenticate'], revoked.headers['www-authenticate'])
  assert.equal(await revoke(databaseUrl), false, 'it was revoked before')
})

test('while the store is damaged nobody can tell whose key it is: a 503, with the headers of the limit', async (t) => {
  const first = await startApp(t)
  // What a first start writes of the store itself is in the file then, and not in its log.
  await first.stop()
  const { databaseUrl, get } = await startApp(t, { databaseUrl: first.databaseUrl })
  const file = fileOf(databaseUrl)
  const whole = readFileSync(file)
  // Before anything of it was read, of which the service would still know.
  truncateSync(file, 3_000)

  assertError(await get('/v1/pets'), 503, 'service_unavailable', 'GET /v1/pets')
  writeFileSync(file, whole)
  assert.equal((await get('/v1/pets')).status, 200)
})
