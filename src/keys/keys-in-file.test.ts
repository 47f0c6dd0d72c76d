import assert from 'node:assert/strict'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { fileOf } from '../db/store-url.ts'
import { assertError } from '../testing/client.ts'
import { makeKey, startApp } from '../testing/start-app.ts'
import { generateKey, hashKey } from './key-format.ts'

// These tests are for SQLite only.

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Revokes the second key, as the command does. */
async function revoke(databaseUrl: string): Promise<boolean> {
  const store = await openForCommand(databaseUrl, changes)
  const revoked = await store.write(changes.revokeKey, 2, 1)
  await store.close()
  return revoked
}

test('the database files contain no key, only the SHA-256 of the key', async (t) => {
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

test('a key revoked while the service runs gets 401 from the next request on', async (t) => {
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
  assert.equal(await revoke(databaseUrl), false, 'already revoked')
})

test('a damaged store in which the key cannot be looked up: 503 with the rate-limit headers', async (t) => {
  const first = await startApp(t)
  // Makes sure that the store's own data is in the file, and not only in its WAL.
  await first.stop()
  const { databaseUrl, get } = await startApp(t, { databaseUrl: first.databaseUrl })
  const file = fileOf(databaseUrl)
  const content = readFileSync(file)
  // Revokes the key before the service has cached anything.
  truncateSync(file, 3_000)

  assertError(await get('/v1/pets'), 503, 'service_unavailable', 'GET /v1/pets')
  writeFileSync(file, content)
  assert.equal((await get('/v1/pets')).status, 200)
})
