import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Event } from '../events/schema.ts'
import { assertError } from '../testing/client.ts'
import { signIn } from '../testing/console.ts'
import { hasNames, isFollowing, namesOf, petsOf, REX, startPair } from '../testing/followed.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { runCli } from '../testing/process.ts'
import { until } from '../testing/redis.ts'
import { scratchFolder, type TestApp } from '../testing/start-app.ts'
import { startV2 } from '../testing/v2.ts'
import { listSources } from './store.ts'

async function addPhoto({ request }: TestApp, path: string, number = 1): Promise<void> {
  const body = await picture({ width: 800, height: 600, number })
  const { status } = await request(`${path}/photos?alt=Asleep`, { method: 'POST', body, headers: JPEG })
  assert.equal(status, 201)
}

test('a copy shows the photos of its source by their address, in the API, /v2, search and the gallery', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t, startV2)
  await source.post('/v1/pets', REX)
  await addPhoto(source, '/v1/pets/1')
  await addPhoto(source, '/v1/organizations/1', 2)
  await follow('add', gateway.url, '--key', key)
  await hasNames(directory, 'Rex')

  const [original] = await petsOf(source)
  const [copy] = await petsOf(directory)
  assert.deepEqual(copy.photos, original.photos)
  const { sizes } = original.photos[0]
  const { body: found } = await directory.get('/v1/pets?hasPhotos=true')
  assert.deepEqual(found[0].photos, original.photos)
  const { body: v2 } = await directory.read('/animals')
  assert.equal(v2.animals[0].photos[0].small, sizes.small)
  for (const path of ['/', '/animals/1-rex', '/favorites?id=1', '/organizations/F1-1']) {
    const page = await directory.get(path)
    assert.ok(page.text.includes(sizes.small), path)
    assert.match(
      String(page.headers['content-security-policy']),
      /img-src 'self' http:\/\/pets\.example data:/,
    )
  }
  const [organization] = (await source.get('/v1/organizations?limit=1')).body
  const shown = (await directory.get('/v1/organizations')).body[0]
  assert.deepEqual(shown.photos, organization.photos)

  await addPhoto(source, '/v1/pets/1', 3)
  await until(async () => (await petsOf(directory))[0].photos.length === 2)
  for (const { id } of (await petsOf(source))[0].photos) await source.delete(`/v1/pets/1/photos/${id}`)
  await until(async () => (await petsOf(directory))[0].photos === undefined)
  const { body: events } = await directory.get('/v1/events?type=photo.added&type=photo.removed')
  assert.deepEqual(
    events.flatMap(({ type, data }: Event) => (data.petId === undefined ? [] : type)),
    ['photo.added', 'photo.removed', 'photo.removed'],
  )
})

test('photos with an address that could change the policy of pages, and long bonds, are not copied', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  await source.post('/v1/pets', REX)
  await addPhoto(source, '/v1/pets/1')
  const [original] = await petsOf(source)
  const hostile = [
    "https://x;script-src'",
    'https://u:p@x.example',
    'ftp://x.example',
    'https://x.example/%0a',
  ]
  gateway.answer = (response, path) => {
    const photos = hostile.map((at) => {
      const text = JSON.stringify(original.photos[0]).replaceAll('http://pets.example/photos', at)
      return JSON.parse(text)
    })
    const isFirst = !path.includes('cursor')
    if (isFirst) response.setHeader('link', '<http://x/?after=0000000000000001&cursor=2>; rel="next"')
    const partners = [2, 3, 4, 5, 6, 7, 8].map((id) => ({ ...original, id, bondedWith: [1] }))
    const lists: Record<string, object[]> = {
      pets: isFirst ? [{ ...original, photos }] : partners,
      categories: [{ id: 1, name: 'Dogs' }],
    }
    const [, name = ''] = /^\/v1\/(\w+)/.exec(path) ?? []
    response.end(JSON.stringify(lists[name] ?? (name === 'events' ? [] : { ...REX, name: 'Riverside' })))
  }
  await follow('add', gateway.url, '--key', key)
  await hasNames(directory, ...new Array(8).fill('Rex'))
  const [first, second] = await petsOf(directory)
  assert.equal(first.photos, undefined)
  assert.deepEqual(first.bondedWith, [2, 3, 4, 5, 6])
  assert.deepEqual(second.bondedWith, [1])
})

test('bonds and external ids are copied, also when they change, swap or end', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  await source.post('/v1/pets', { ...REX, externalId: 'A' })
  await follow('add', gateway.url, '--key', key)
  await isFollowing(directory)
  const shape = async () =>
    (await petsOf(directory)).map(
      ({ name, externalId, bondedWith = [] }: Record<string, unknown>) =>
        `${name} ${externalId} ${(bondedWith as number[]).join('+')}`,
    )
  const has = (...expected: string[]) => until(async () => (await shape()).join() === expected.join())
  // The ids differ here: 1 is an animal of the directory itself.
  await source.post('/v1/pets', { ...REX, name: 'Hidden', status: undefined })
  await source.post('/v1/pets', { ...REX, name: 'Mia', externalId: 'B', bondedWith: [1] })
  await has('Rex A 2', 'Mia B 1')
  await source.post('/v1/pets', { ...REX, name: 'Ben', bondedWith: [1, 3] })
  await has('Rex A 2+3', 'Mia B 1+3', 'Ben undefined 1+2')
  await source.patch('/v1/pets/1', { externalId: null })
  await source.patch('/v1/pets/3', { externalId: 'A' })
  await source.patch('/v1/pets/1', { externalId: 'B' })
  await has('Rex B 2+3', 'Mia A 1+3', 'Ben undefined 1+2')
  await source.delete('/v1/pets/3')
  await has('Rex B 3', 'Ben undefined 1')
  await source.patch('/v1/pets/1', { bondedWith: null })
  await has('Rex B ', 'Ben undefined ')
})

test('nothing about people is copied: contacts, questions and staff-only members stay at the source', async (t) => {
  const { source, directory, gateway, follow } = await startPair(t)
  const questions = [{ id: 'q1', text: 'Garden?', kind: 'yesNo', required: false }]
  await source.patch('/v1/organizations/1', { applicationQuestions: questions, phone: '1', mission: 'Help' })
  const contact = { name: 'Ada Secret', email: 'ada@example.org' }
  await source.post('/v1/pets', { ...REX, contact, staff: { notes: 'Secret' } })
  await source.post('/v1/applications', { petId: 1, applicant: contact })
  await follow('add', gateway.url, '--key', source.key)
  await hasNames(directory, 'Rex')
  const { body } = await directory.get('/v1/organizations')
  assert.deepEqual([body[0].applicationQuestions, body[0].mission], [undefined, 'Help'])
  await source.patch('/v1/organizations/1', { mission: null, name: 'Riverbank' })
  await until(async () => (await directory.get('/v1/organizations')).body[0].name === 'Riverbank')
  const { body: later } = await directory.get('/v1/organizations')
  assert.equal(later[0].mission, undefined)
  const dump = [await petsOf(directory), later, (await directory.get('/v1/pets/1/history')).body]
  assert.doesNotMatch(JSON.stringify(dump), /Secret|ada@example/)
})

test('a copied organization is read-only: changes, photos, animals and imports get a 409 that names the source', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  await source.post('/v1/pets', REX)
  await addPhoto(source, '/v1/organizations/1')
  await directory.post('/v1/pets', { ...REX, name: 'Own', organizationId: undefined })
  await follow('add', gateway.url, '--key', key)
  await hasNames(directory, 'Own', 'Rex')
  const page = `${gateway.url}/organizations/R1`
  assert.equal((await directory.get('/v1/organizations/1')).body.source, page)
  const { patch, post, request } = directory
  const body = await picture({ width: 80, height: 60, number: 9 })
  const photos = '/v1/organizations/1/photos'
  for (const answer of [
    await patch('/v1/organizations/1', { name: 'Mine' }),
    await request('/v1/organizations/1', { method: 'DELETE' }),
    await request(photos, { method: 'POST', body, headers: JPEG }),
    await patch(`${photos}/1`, { alt: 'Asleep' }),
    await request(`${photos}/1`, { method: 'DELETE' }),
    await post('/v1/pets', { ...REX, name: 'Ben' }),
    await patch('/v1/pets/1', { organizationId: 1 }),
  ]) {
    assertError(answer, 409, 'followed_organization', 'a change of a copied organization')
    assert.ok(answer.body.message.includes(page), answer.text)
  }
  for (const [name, method] of [
    ['1', 'PATCH'],
    ['1', 'DELETE'],
  ] as const) {
    const answer = await request(`/v1/pets/2/photos/${name}`, {
      method,
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    assertError(answer, 409, 'followed_animal', `${method} of a photo of a copy`)
  }
  const file = join(scratchFolder(t), 'animals.csv')
  const categories = await directory.get('/v1/categories')
  assert.equal(categories.status, 200, categories.text)
  const [{ name: kind }] = categories.body
  writeFileSync(file, `id,name,category\n7,Ben,${kind}\n`)
  const { stdout, stderr } = await runCli(t, ['import', file, '--organization', 'F1-1'], {
    DATABASE_URL: directory.databaseUrl,
  })
  assert.ok(`${stdout}${stderr}`.includes(page), stdout + stderr)
  assert.deepEqual(await namesOf(directory), ['Own', 'Rex'])

  await source.delete(`/v1/pets/1`)
  await hasNames(directory, 'Own')
  await source.delete('/v1/organizations/1')
  await until(async () => (await directory.get('/v1/organizations')).body.length === 0)
})

test('the console names the source of copies, and has no buttons and forms to change them', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  await source.post('/v1/pets', REX)
  await addPhoto(source, '/v1/pets/1')
  await follow('add', gateway.url, '--key', key)
  await hasNames(directory, 'Rex')
  const person = await signIn(directory, { role: 'admin' })
  const list = await person.get('/console/animals')
  assert.match(list.text, /From 127\.0\.0\.1/)
  assert.doesNotMatch(list.text, /type="checkbox"[^>]*name="id"|<img[^>]*pets\.example/)
  for (const [path, page] of [
    ['/console/animals/1', '/animals/1'],
    ['/console/organizations/1', '/organizations/R1'],
  ] as const) {
    const { text } = await person.get(path)
    assert.ok(text.includes(`href="${gateway.url}${page}"`), text)
    assert.doesNotMatch(text.slice(text.indexOf('<main')), /<button|type="file"|\/delete"|\/questions"/)
    const { status } = await person.send(path, { marks: '', name: 'Mine' })
    assert.equal(status, 409, path)
  }
  for (const [path, fields] of Object.entries({
    'animals/1/status': { status: 'pending' },
    'animals/1/delete': {},
    'animals/selected': { id: '1', action: 'tag', tag: 'shy', to: '/console/animals' },
    'organizations/1/questions': { do: 'save', marks: '' },
  }))
    assert.equal((await person.send(`/console/${path}`, fields)).status, 409, path)
  const [{ name, status, tags }] = await petsOf(directory)
  assert.deepEqual([name, status, tags], ['Rex', 'available', undefined])
})

test('an installation that is followed under a second address is not copied again', async (t) => {
  const { source, directory, gateway, follow, key } = await startPair(t)
  await source.post('/v1/pets', REX)
  await follow('add', gateway.url, '--key', key)
  await isFollowing(directory)
  await source.post('/v1/pets', { ...REX, name: 'Mia' })
  await hasNames(directory, 'Rex', 'Mia')
  await follow('add', `http://127.0.0.1:${source.port}/v1/`, '--key', key)
  const { db, clock } = directory.service.context
  const readSecond = async () => (await listSources(db, clock())).at(-1)
  await until(async () => /^(?:failing|following)$/.test((await readSecond())?.state ?? ''))

  assert.match((await readSecond())?.lastError ?? '', new RegExp(`already followed as ${gateway.url}\\.`))
  assert.deepEqual(await namesOf(directory), ['Rex', 'Mia'])
  await follow('remove', gateway.url)
  await hasNames(directory, 'Rex', 'Mia')
})
