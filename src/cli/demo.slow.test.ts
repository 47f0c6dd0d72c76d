import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'

test('demo beside a service adds a shelter with photos, and takes all of it away again', async (t) => {
  const folder = join(scratchFolder(t), 'photos')
  const settings = { PHOTOS_URL: `file:${folder}` }
  const app = await startApp(t, { settings, key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const run = (...argv: string[]) => runCli(t, argv, { DATABASE_URL: app.databaseUrl, ...settings })

  const added = await run('demo')

  assert.equal(added.code, 0, added.stderr)
  assert.match(added.stdout, /^added a made-up shelter with 12 animals and 3 applications: /)
  const [{ id, name }] = (await app.get('/v1/organizations?q=DEMO')).body
  assert.equal(name, 'Demo Shelter')
  const { body: animals } = await app.get(`/v1/pets?organizationId=${id}&limit=100`)
  assert.equal(animals.length, 12)
  for (const { photos, place } of animals) {
    assert.equal((await app.get(new URL(photos[0].sizes.small).pathname)).status, 200)
    assert.ok(place.latitude)
  }
  const bonded = animals.filter(({ bondedWith = [] }) => bondedWith.length > 0)
  assert.equal(bonded.length, 2)
  assert.match((await run('demo')).stdout, /^the demo is there already/)

  assert.equal((await app.get('/v1/applications')).body.length, 3)

  // What visitors do with it goes too.
  const adopter = { name: 'A', email: 'a@example.org' }
  const [{ id: petId }] = (await app.get(`/v1/pets?organizationId=${id}&status=available&hasPhotos=true`))
    .body
  assert.equal((await app.post('/v1/store/orders', { petId, adopter })).status, 201)
  const removed = await run('demo', '--remove')

  assert.deepEqual([removed.code, removed.stdout], [0, 'the demo is gone\n'], removed.stderr)
  assert.deepEqual((await app.get('/v1/organizations')).body, [])
  assert.deepEqual(
    (await app.get('/v1/pets')).body.map((pet: { name: string }) => pet.name),
    ['Rex'],
  )
  assert.deepEqual((await app.get('/v1/store/orders')).body, [])
  assert.deepEqual((await app.get('/v1/applications')).body, [])
  assert.equal((await run('demo', '--remove')).code, 0)
  assert.ok(existsSync(folder) && readdirSync(folder).length > 0)
})
