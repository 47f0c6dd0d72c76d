import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import http from 'node:http'
import { type TestContext, test } from 'node:test'
import { changes } from '../../../../db/change.ts'
import * as staff from '../../../../staff/store.ts'
import { formIn, type Person, signIn } from '../../../../testing/console.ts'
import { picture } from '../../../../testing/pictures.ts'
import { until } from '../../../../testing/redis.ts'
import { scratchFolder, startApp, type TestApp, UNLIMITED } from '../../../../testing/start-app.ts'

const PATH = '/console/animals/1/photos'

interface Part {
  bytes: Buffer | string
  type?: string
  name?: string
}

const BOUNDARY = 'the-boundary'
const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

function formOf(parts: Part[], fields: Record<string, string> = {}): Buffer {
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const pieces = parts.flatMap(({ bytes, type = 'image/jpeg', name = 'a.jpg' }) => [
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="photos"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`,
    bytes,
    '\r\n',
  ])
  return Buffer.concat([...texts, ...pieces, `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece)))
}

async function start(t: TestContext) {
  const folder = scratchFolder(t)
  const app = await startApp(t, { key: UNLIMITED, settings: { PHOTOS_URL: `file:${folder}` } })
  // Only the first renditions of each photo are created.
  for (const job of ['photo-files', 'removed-photos'] as const)
    await app.service.context.write(changes.takeJob, job, 'the test')
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const ana = await signIn(app)
  const photos = async () => (await app.get('/v1/pets/1/photos')).body as { id: number; alt?: string }[]
  return {
    app,
    ana,
    photos,
    files: () => globSync('??/*', { cwd: folder }),
    left: () => globSync('incoming/*', { cwd: folder }),
  }
}

function upload(
  app: TestApp,
  { token }: Person,
  body: Buffer | string,
  more: Record<string, string> = {},
  path = PATH,
) {
  const headers = { 'content-type': FORM_TYPE, 'sec-fetch-site': 'same-origin', ...more }
  return app.request(path, {
    ...{ method: 'POST', body },
    headers: { authorization: undefined, cookie: `__Host-session=${token}`, ...headers },
  })
}

test('several photos in one form are added in order; sent again, they are not added twice', async (t) => {
  const { app, ana, photos, left } = await start(t)
  const form = formOf(
    await Promise.all([1, 2, 3].map(async (number) => ({ bytes: await picture({ number }) }))),
  )
  for (let count = 0; count < 2; count += 1) {
    const { status, headers } = await upload(app, ana, form)
    assert.deepEqual([status, headers.location], [303, '/console/animals/1?done=photosAdded#photos'])
  }
  assert.equal((await photos()).length, 3)
  assert.deepEqual(left(), [])
  const { text } = await ana.get('/console/animals/1')
  assert.match(text, /<img src="\/photos\/[0-9a-f]{32}-300\.webp" alt="Photo 1 of Rex"/)
})

test('one invalid photo in a form: the others are added, and the problem names the number of the invalid photo', async (t) => {
  const { app, ana, photos, left } = await start(t)
  const parts = [
    { bytes: await picture({ number: 1 }) },
    { bytes: 'not a picture' },
    { bytes: '<svg/>', type: 'image/svg+xml', name: 'a.svg' },
    { bytes: Buffer.alloc(15_000_001) },
    { bytes: '' },
    { bytes: await picture({ number: 2, type: 'png' }), type: 'image/png', name: "'><script>.png" },
  ]

  const { status, text } = await upload(app, ana, formOf(parts))

  assert.equal(status, 422)
  for (const number of [2, 3, 4, 5]) assert.match(text, new RegExp(`<li>Photo ${number}: `))
  assert.doesNotMatch(text, /<li>Photo [16]:|<script>/)
  assert.equal((await photos()).length, 2)
  assert.deepEqual(left(), [])
  const refused = await upload(app, ana, formOf([{ bytes: 'none' }]), { accept: 'application/json' })
  assert.equal(refused.status, 422)
  assert.equal(refused.body.problems.length, 1)
})

test('a photo form that is missing, too large, broken or has too many files stores nothing', async (t) => {
  const { app, ana, photos, files, left } = await start(t)
  const one = await picture()
  const sent: [body: Buffer | string, status: number, headers?: Record<string, string>][] = [
    ['a=b', 415, { 'content-type': 'application/x-www-form-urlencoded' }],
    ['x', 400, { 'content-type': 'multipart/form-data' }],
    ['--nothing', 400],
    [formOf([{ bytes: one }]).subarray(0, 300), 400],
    // The body ends inside an empty file field.
    [formOf([{ bytes: one, name: '' }]).subarray(0, 300), 400],
    [formOf(Array.from({ length: 21 }, () => ({ bytes: one }))), 409],
    [formOf([]), 422],
    [formOf([{ bytes: '', name: '' }]), 422],
  ]
  for (const [body, status, headers] of sent) {
    const answer = await upload(app, ana, body, headers)
    assert.equal(answer.status, status, answer.text.slice(0, 2_000))
  }
  assert.equal(
    (await upload(app, ana, formOf([{ bytes: one }]), { 'sec-fetch-site': 'cross-site' })).status,
    403,
  )
  const vic = await signIn(app, { role: 'viewer' })
  assert.equal((await upload(app, vic, formOf([{ bytes: one }]))).status, 403)
  assert.deepEqual([await photos(), files(), left()], [[], [], []])
})

test('a photo form that arrives after its sender was signed out, removed or given another role stores nothing', async (t) => {
  const { app, photos, files, left } = await start(t)
  const { context } = app.service
  const form = formOf([{ bytes: await picture() }])
  const endings: ((person: Person) => Promise<unknown>)[] = [
    (person) => person.send('/console/sign-out', {}),
    async () => context.write(changes.removeStaff, await newest(), undefined, app.clock.now),
    async () => context.write(changes.updateStaff, await newest(), { role: 'viewer' }, undefined),
  ]
  const newest = async () => Math.max(...(await staff.list(context.db)).map(({ id }) => id))

  for (const end of endings) {
    const person = await signIn(app)
    const headers = { cookie: `__Host-session=${person.token}`, 'content-type': FORM_TYPE }
    const request = http.request({
      ...{ port: app.port, path: PATH, method: 'POST', agent: false },
      headers: { ...headers, 'sec-fetch-site': 'same-origin', 'content-length': form.length },
    })
    const answered = once(request, 'response')
    request.write(form.subarray(0, 300))
    await until(() => left().length === 1)
    await end(person)
    request.end(form.subarray(300))
    const [response] = await answered
    assert.equal(response.resume().statusCode, 403)
    assert.deepEqual([await photos(), files(), left()], [[], [], []])
  }
})

test('POST /console/animals/new with photos stores the animal with its photos, once', async (t) => {
  const { app, ana, left } = await start(t)
  const path = '/console/animals/new'
  const add = (parts: Part[], fields: Record<string, string>) =>
    upload(app, ana, formOf(parts, { categoryId: '1', ...fields }), {}, path)
  const photos = async (id: number) =>
    (await app.get(`/v1/pets/${id}/photos`)).body as { sizes: { large: string } }[]
  const parts = await Promise.all([1, 2].map(async (number) => ({ bytes: await picture({ number }) })))
  const { once = '' } = formIn((await ana.get(path)).text, path)
  const fields = { name: 'Zoë', description: 'é'.repeat(5_000), once }
  for (let count = 0; count < 2; count += 1)
    assert.equal((await add(parts, fields)).headers.location, '/console/animals/2?done=addedWithPhotos')
  assert.equal((await photos(2)).length, 2)
  assert.deepEqual((await app.get('/v1/pets/2')).body.description, fields.description)
  const [first] = await photos(2)
  assert.ok(
    (await ana.get('/console/animals/2')).text.includes(
      `<a href="${new URL(first?.sizes.large ?? '').pathname}">`,
    ),
  )

  // A refused photo: the animal and the other photo are stored.
  const partly = await add([{ bytes: 'not a picture' }, ...parts.slice(0, 1)], { name: 'Pip' })
  assert.equal(partly.status, 422)
  assert.match(partly.text, /<h1>Pip<.*<li>The animal was added without these photos:<\/li><li>Photo 1: /s)
  assert.equal((await photos(3)).length, 1)
  const wrong = await add(parts, { name: '', description: 'Typed text' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /Name is required.*Typed text.*choose the photos again/s)
  assert.equal((await add([], { name: 'x', description: 'y'.repeat(300_000) })).status, 413)
  const viewer = await signIn(app, { role: 'viewer' })
  assert.equal((await upload(app, viewer, formOf(parts, { name: 'No' }), {}, path)).status, 403)
  assert.equal((await app.get('/v1/pets/4')).status, 404)
  assert.deepEqual(left(), [])
})

test('buttons move, describe and remove photos', async (t) => {
  const { app, ana, photos } = await start(t)
  const form = formOf(
    await Promise.all([1, 2, 3].map(async (number) => ({ bytes: await picture({ number }) }))),
  )
  await upload(app, ana, form)
  const [one, two, three] = (await photos()).map(({ id }) => id)
  const ids = async () => (await photos()).map(({ id }) => id)
  const press = (id: number | undefined, fields: Record<string, string>) => ana.send(`${PATH}/${id}`, fields)

  await press(three, { do: 'up' })
  assert.deepEqual(await ids(), [one, three, two])
  await press(one, { do: 'down', alt: 'Rex at the lake' })
  assert.deepEqual(await ids(), [three, one, two])
  assert.equal((await photos())[1]?.alt, 'Rex at the lake')
  assert.match(
    (await ana.get(PATH.replace(/\/photos$/, ''))).text,
    /value="first" aria-label="Make first: photo 3"/,
  )
  await press(two, { do: 'first' })
  assert.deepEqual(await ids(), [two, three, one])
  await press(one, { do: 'move', position: '2' })
  await press(three, { do: 'move', position: '2' })
  assert.deepEqual(await ids(), [two, three, one])
  for (const position of ['0', '-3', '99', 'x', '1e9', ''])
    assert.equal((await press(one, { do: 'move', position })).status, 303)
  assert.equal((await press(one, { do: 'alt', alt: 'x'.repeat(501) })).status, 400)
  assert.equal((await press(one, { do: 'alt', alt: '' })).status, 303)
  assert.deepEqual(
    (await photos()).filter(({ alt }) => alt !== undefined),
    [],
  )
  for (let count = 0; count < 2; count += 1)
    assert.equal(
      (await press(one, { do: 'remove' })).headers.location,
      '/console/animals/1?done=photoRemoved#photos',
    )
  assert.equal((await photos()).length, 2)
  assert.equal((await press(99, { do: 'up' })).status, 404)
})

test('the history describes photo changes in sentences', async (t) => {
  const { app, ana } = await start(t)
  for (const number of [1, 2, 3]) await upload(app, ana, formOf([{ bytes: await picture({ number }) }]))
  for (const change of [{ position: 1 }, { alt: 'Asleep' }, { alt: 'Awake', position: 2 }])
    assert.equal((await app.patch('/v1/pets/1/photos/3', change)).status, 200)
  assert.equal((await app.delete('/v1/pets/1/photos/1')).status, 204)
  const sentencesIn = async (path: string, language: string, of: RegExp) => {
    const { text } = await ana.get(path, { 'accept-language': language })
    return [...text.matchAll(of)].map(([, sentence]) => sentence)
  }
  const inHistory = /<li>([^<]*(?:photo|foto)[^<]*)<\/li>/g
  const english = [
    'Removed a photo.',
    'Changed the order of the photos. Changed the description of a photo.',
    'Changed the description of a photo.',
    'Changed the order of the photos.',
    ...Array(3).fill('Added a photo.'),
  ]
  assert.deepEqual(await sentencesIn('/console/animals/1', 'en', inHistory), english)
  assert.deepEqual((await sentencesIn('/console/animals/1', 'es', inHistory)).slice(0, 2), [
    'Se eliminó una foto.',
    'Se cambió el orden de las fotos. Se cambió la descripción de una foto.',
  ])
  assert.deepEqual(
    await sentencesIn('/console/', 'en', /<p>((?:Added|Changed|Removed) [^<]*)<\/p>/g),
    english,
  )
})
