import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { signIn } from '../testing/console.ts'
import { runCli } from '../testing/process.ts'
import { makeKey, scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'

test('demo while a service runs: adds a shelter with photos; --remove removes all of it', async (t) => {
  const folder = join(scratchFolder(t), 'photos')
  const settings = { PHOTOS_URL: `file:${folder}` }
  const app = await startApp(t, { settings, key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const run = (...argv: string[]) => runCli(t, argv, { DATABASE_URL: app.databaseUrl, ...settings })

  const added = await run('demo')

  assert.equal(added.code, 0, added.stderr)
  assert.match(added.stdout, /^added a made-up shelter with 12 animals and 3 applications; see /)
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
  assert.match((await run('demo')).stdout, /^the demo already exists/)

  assert.equal((await app.get('/v1/applications')).body.length, 3)

  // Removing the demo also removes what visitors did with it.
  const adopter = { name: 'A', email: 'a@example.org' }
  const [{ id: petId }] = (await app.get(`/v1/pets?organizationId=${id}&status=available&hasPhotos=true`))
    .body
  assert.equal((await app.post('/v1/store/orders', { petId, adopter })).status, 201)
  const removed = await run('demo', '--remove')

  assert.deepEqual([removed.code, removed.stdout], [0, 'removed the demo\n'], removed.stderr)
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

test('demo --remove after a shelter added its own data to the demo: is refused without --force', async (t) => {
  const settings = { PHOTOS_URL: `file:${join(scratchFolder(t), 'photos')}` }
  const app = await startApp(t, { settings, key: { ...UNLIMITED, access: 'admin' } })
  const run = (...argv: string[]) => runCli(t, argv, { DATABASE_URL: app.databaseUrl, ...settings })
  assert.equal((await run('demo')).code, 0)
  const [{ id: organizationId }] = (await app.get('/v1/organizations?q=DEMO')).body
  const counts = async () => {
    const lists = ['pets?limit=100', 'applications', 'organizations'].map((path) => app.get(`/v1/${path}`))
    return (await Promise.all(lists)).map(({ body }) => body.length)
  }
  const refused = async (why: RegExp) => {
    const { code, stderr } = await run('demo', '--remove')
    assert.equal(code, 1)
    assert.match(stderr, why)
    assert.match(
      stderr,
      /Nothing was removed, because the demo shelter contains .+ run `adoptable demo --remove --force`/,
    )
  }

  const { body: pet } = await app.post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId })
  await refused(/\(animals of its own: 1\)/)
  assert.deepEqual(await counts(), [13, 3, 1])
  await app.delete(`/v1/pets/${pet.id}`)
  const ana = await signIn(app, { organizationId })
  const key = await makeKey(app.databaseUrl, { ...UNLIMITED, access: 'write', organizationId })
  await refused(/\(accounts: 1, API keys: 1\)/)
  assert.deepEqual(await counts(), [12, 3, 1])
  assert.equal((await ana.get('/console/')).status, 200)

  const removed = await run('demo', '--remove', '--force')

  assert.deepEqual([removed.code, removed.stdout], [0, 'removed the demo\n'], removed.stderr)
  assert.deepEqual(await counts(), [0, 0, 0])
  assert.equal((await ana.get('/console/')).status, 303)
  assert.equal((await app.get('/v1/pets', { authorization: `Bearer ${key}` })).status, 401)
})
