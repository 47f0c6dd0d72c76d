import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import net from 'node:net'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { jobs } from '../jobs.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { makeKey, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'
import { ORPHANED_FILES_JOB } from './jobs.ts'
import { newWorkFile } from './storage/folder.ts'
import { fileName } from './storage/photo-files.ts'

const DAY_MS = 86_400_000

async function startWithAnimal(t: TestContext, settings: Record<string, string> = {}) {
  const key = { ...UNLIMITED, access: 'admin' } as const
  const app = await startApp(t, { key, settings })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
  await app.post('/v1/organizations', { name: 'Shelter' })
  const { store } = app.service.context.photos
  return { ...app, folder: join(store.workFolder, '..') }
}

type Photographed = Awaited<ReturnType<typeof startWithAnimal>>

const add = (app: TestApp, body: Buffer, path = '/v1/pets/1/photos', headers = {}) =>
  app.request(path, { method: 'POST', body, headers: { ...JPEG, ...headers } })

/** Downloads a file without a key. */
async function download(app: TestApp, address: string, headers: Record<string, string> = {}) {
  const answer = await fetch(address.replace('http://pets.example', `http://127.0.0.1:${app.port}`), {
    headers,
  })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

const filesIn = ({ folder }: Photographed): string[] => globSync('**/*.{webp,jpg}', { cwd: folder })

async function runJob({ service }: TestApp, name: keyof typeof jobs): Promise<void> {
  const job = jobs[name]
  if (await job.isDue(service.context)) await job.run(service.context, async () => true)
}

test('POST /v1/pets/{id}/photos: 201, and the animal shows the photo in four sizes and as JPEG', async (t) => {
  const app = await startWithAnimal(t)
  const sent = await picture({ width: 3_000, height: 2_000 })

  const { status, headers, body } = await add(app, sent, '/v1/pets/1/photos?alt=Rex%20asleep')

  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(
    { ...body, sizes: undefined },
    {
      ...{ id: 1, alt: 'Rex asleep', width: 2_400, height: 1_600, sizes: undefined },
    },
  )
  assert.equal(headers.location, 'http://pets.example/v1/pets/1/photos/1')
  assert.deepEqual((await app.get('/v1/pets/1/photos/1')).body, body)
  for (const path of ['/v1/pets/1/photos', '/v1/pets/1?fields=photos'])
    assert.deepEqual(
      [(await app.get(path)).body].flat().flatMap((one) => one.photos ?? one),
      [body],
    )
  assert.deepEqual((await app.get('/v1/pets')).body[0].photos, [body])
  for (const [size, width] of [
    ['small', 300],
    ['medium', 600],
    ['large', 1_200],
    ['full', 2_400],
  ] as const) {
    assert.match(body.sizes[size], new RegExp(`^http://pets\\.example/photos/[0-9a-f]{32}-${width}\\.webp$`))
    const file = await download(app, body.sizes[size])
    const { format, width: wide } = await sharp(file.bytes).metadata()
    assert.deepEqual(
      [file.status, file.headers.get('content-type'), format, wide],
      [200, 'image/webp', 'webp', width],
    )
  }
  const jpeg = await download(app, `${body.sizes.small}?format=jpeg`)
  const { format, width } = await sharp(jpeg.bytes).metadata()
  assert.deepEqual([jpeg.headers.get('content-type'), format, width], ['image/jpeg', 'jpeg', 1_200])
})

test('POST /v1/pets/{id}/photos turns the picture upright and removes all metadata', async (t) => {
  const app = await startWithAnimal(t)
  for (const type of ['jpeg', 'png', 'webp', 'avif'] as const) {
    const sent = await picture({ width: 400, height: 200, type, orientation: 6, metadata: 'The blue house' })
    assert.ok(type === 'png' || sent.includes('The blue house'), type)
    const { status, body } = await add(app, sent, undefined, { 'content-type': `image/${type}` })
    assert.deepEqual([status, body.width, body.height], [201, 200, 400], type)
    for (const address of [...Object.values<string>(body.sizes), `${body.sizes.full}?format=jpeg`]) {
      const { bytes } = await download(app, address)
      const { exif, icc, xmp, orientation } = await sharp(bytes).metadata()
      assert.deepEqual([exif, icc, xmp, orientation], [undefined, undefined, undefined, undefined], type)
      assert.ok(!/The blue house|Exif|ICC_PROFILE|xmpmeta/.test(bytes.toString('latin1')), type)
    }
    // The top of the picture is on the right now.
    const full = sharp((await download(app, body.sizes.full)).bytes)
    const { data } = await full
      .extract({ left: 190, top: 200, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.ok((data[0] ?? 0) > 200 && (data[2] ?? 255) < 60, `${type} ${[...data]}`)
  }
})

test('POST /v1/pets/{id}/photos with an unusable body: 413, 415 or 422 with advice, and no file remains', async (t) => {
  const app = await startWithAnimal(t)
  const whole = await picture({ width: 500, height: 500 })
  const cases: [body: Buffer, type: string, status: number, code: string, message: RegExp][] = [
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/png', 422, 'invalid_image', /picture/],
    [whole.subarray(0, whole.length / 2), 'image/jpeg', 422, 'invalid_image', /incomplete or not a picture/],
    [
      await picture({ width: 12_001, height: 1, type: 'png' }),
      'image/png',
      422,
      'invalid_image',
      /12000 pixels/,
    ],
    [
      await picture({ width: 6_000, height: 4_001, type: 'png' }),
      'image/png',
      422,
      'invalid_image',
      /24 million/,
    ],
    [Buffer.alloc(0), 'image/jpeg', 422, 'invalid_image', /empty/],
    [Buffer.alloc(15_000_001), 'image/jpeg', 413, 'payload_too_large', /15000000 bytes/],
    [whole, 'image/heic', 415, 'unsupported_media_type', /JPEG/],
    [whole, 'image/svg+xml', 415, 'unsupported_media_type', /PNG/],
    [whole, 'multipart/form-data; boundary=x', 415, 'unsupported_media_type', /not a form/],
    [whole, 'application/json', 415, 'unsupported_media_type', /image\/jpeg/],
  ]
  for (const [body, type, status, code, message] of cases) {
    const answer = await add(app, body, undefined, { 'content-type': type })
    assert.deepEqual([answer.status, answer.body.code], [status, code], `${type} ${message}`)
    assert.match(answer.body.message, message)
  }
  const long = `/v1/pets/1/photos?alt=${'x'.repeat(501)}`
  assert.equal((await add(app, whole, long)).body.details[0].parameter, 'alt')
  assert.equal((await add(app, whole, '/v1/pets/9/photos')).body.code, 'pet_not_found')
  assert.equal((await add(app, whole, '/v1/organizations/9/photos')).body.code, 'organization_not_found')

  assert.deepEqual((await app.get('/v1/pets/1/photos')).body, [])
  assert.deepEqual(
    globSync('**/*', { cwd: app.folder }).filter((name) => /[.-]/.test(name)),
    [],
  )
})

test('POST /v1/pets/{id}/photos with the same picture again: 200 with the existing photo', async (t) => {
  const app = await startWithAnimal(t)
  const sent = await picture()
  const first = await add(app, sent)

  const again = await add(app, sent)
  const once = { 'idempotency-key': 'a' }
  const other = await picture({ number: 1 })
  const [one, two] = [await add(app, other, undefined, once), await add(app, other, undefined, once)]
  const reused = await add(app, await picture({ number: 2 }), undefined, once)

  assert.deepEqual([first.status, again.status], [201, 200])
  assert.deepEqual(again.body, first.body)
  assert.deepEqual([one.status, two.status, two.body], [201, 201, one.body])
  assert.deepEqual([reused.status, reused.body.code], [422, 'idempotency_key_reused'])
  assert.equal((await app.get('/v1/pets/1/photos')).body.length, 2)
  assert.equal(
    (await add(app, sent, '/v1/organizations/1/photos')).status,
    201,
    'another owner has its own photo',
  )
})

test('POST /v1/pets/{id}/photos with one picture 8 times at once: one gets 201, the others get 200 with that photo', async (t) => {
  const app = await startWithAnimal(t)
  const sent = await picture()

  const answers = await Promise.all(Array.from({ length: 8 }, () => add(app, sent)))

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 201]))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  await runJob(app, 'photo-files')
  await runJob(app, 'removed-photos')
  assert.equal(filesIn(app).length, 5)
})

test('PATCH /v1/pets/{id}/photos/{id} changes position and alt text; the 21st photo gets 409 too_many_photos', async (t) => {
  const app = await startWithAnimal(t)
  for (let number = 1; number <= 20; number += 1)
    assert.equal((await add(app, await picture({ number, width: 8, height: 8 }))).status, 201)
  const idsNow = async () => (await app.get('/v1/pets/1')).body.photos.map(({ id }: { id: number }) => id)
  const full = await add(app, await picture({ number: 99 }))
  assert.deepEqual([full.status, full.body.code], [409, 'too_many_photos'])

  const moved = await app.patch('/v1/pets/1/photos/5', { position: 1, alt: 'The main one' })
  assert.deepEqual([moved.status, moved.body.alt], [200, 'The main one'])
  assert.deepEqual((await idsNow()).slice(0, 6), [5, 1, 2, 3, 4, 6])
  assert.equal((await app.patch('/v1/pets/1/photos/5', { alt: null })).body.alt, undefined)
  await app.patch('/v1/pets/1/photos/1', { position: 20 })
  assert.equal((await idsNow()).at(-1), 1)
  for (const [path, body, code] of [
    ['/v1/pets/1/photos/5', { position: 0 }, 'validation_failed'],
    ['/v1/pets/1/photos/5', { position: 21 }, 'validation_failed'],
    ['/v1/pets/1/photos/5', { alt: '' }, 'validation_failed'],
    ['/v1/pets/1/photos/99', { position: 1 }, 'photo_not_found'],
    ['/v1/pets/1/photos/x', { position: 1 }, 'photo_not_found'],
    ['/v1/organizations/1/photos/5', { position: 1 }, 'photo_not_found'],
  ] as const)
    assert.equal((await app.patch(path, body)).body.code, code, `${path} ${JSON.stringify(body)}`)
  assert.equal((await app.delete('/v1/pets/1/photos/5')).status, 204)
  assert.equal((await app.delete('/v1/pets/1/photos/5')).status, 404)
  assert.equal((await add(app, await picture({ number: 99 }))).status, 201)
})

test('adding or removing a photo changes the ETag and the history of the animal', async (t) => {
  const app = await startWithAnimal(t)
  const before = await app.get('/v1/pets?id=1')
  app.clock.now += 1_000
  await add(app, await picture(), '/v1/pets/1/photos?alt=A')
  const after = await app.get('/v1/pets?id=1')
  assert.notEqual(after.headers.etag, before.headers.etag)
  const patched = await app.patch('/v1/pets/1', { name: 'Max' }, { 'if-match': before.headers.etag })
  assert.equal(patched.status, 412)
  assert.deepEqual(
    (await app.patch('/v1/pets/1', { name: 'Max', photos: [] })).body.photos,
    after.body[0].photos,
  )

  app.clock.now += 1_000
  await app.delete('/v1/pets/1/photos/1')
  assert.equal((await app.get('/v1/pets/1')).body.photos, undefined)
  const changes = (await app.get('/v1/pets/1/history')).body.map((one: { changes: object }) => one.changes)
  assert.deepEqual(changes, [
    { photos: { from: [{ id: 1, alt: 'A' }] } },
    { name: { from: 'Rex', to: 'Max' } },
    { photos: { to: [{ id: 1, alt: 'A' }] } },
  ])
})

test('DELETE of a photo, animal or organization removes the files of its photos', async (t) => {
  const app = await startWithAnimal(t)
  const paths = ['/v1/pets/1/photos', '/v1/pets/1/photos', '/v1/organizations/1/photos']
  for (const [number, path] of paths.entries()) await add(app, await picture({ number }), path)
  await runJob(app, 'photo-files')
  assert.equal(filesIn(app).length, 15)

  for (const [path, left] of [
    ['/v1/pets/1/photos/1', 10],
    ['/v1/organizations/1', 5],
    ['/v1/pets/1', 0],
  ] as const) {
    assert.equal((await app.delete(path)).status, 204, path)
    await runJob(app, 'removed-photos')
    assert.equal(filesIn(app).length, left, path)
  }
})

test('orphaned-photo-files removes files without a photo after a day, and no other files', async (t) => {
  const app = await startWithAnimal(t)
  const { store } = app.service.context.photos
  await add(app, await picture())
  const orphan = fileName('a'.repeat(32), 'full')
  const [left, moved] = [await newWorkFile(store), await newWorkFile(store)]
  for (const file of [left, moved]) writeFileSync(file, 'half')
  await store.put(orphan, moved)
  const files = filesIn(app).length

  const runNextDay = (): Promise<void> => {
    app.clock.now += DAY_MS
    return runJob(app, ORPHANED_FILES_JOB)
  }
  await runNextDay()
  assert.equal(filesIn(app).length, files, 'the file may belong to an upload that is not finished')
  // Ages are measured by the clock of the machine.
  const seconds = (Date.now() - 2 * DAY_MS) / 1_000
  for (const file of [...filesIn(app).map((name) => join(app.folder, name)), left])
    utimesSync(file, seconds, seconds)
  await runNextDay()

  assert.equal(filesIn(app).length, files - 1)
  assert.equal(await store.size(orphan), undefined)
  assert.ok(
    (await readdir(store.workFolder)).includes(basename(left)),
    'the job leaves the work folder alone',
  )
})

test('CONNECT after a photo download on the same connection gets 405 after the complete photo', {
  timeout: 20_000,
}, async (t) => {
  const app = await startWithAnimal(t)
  const { store } = app.service.context.photos
  const name = basename((await add(app, await picture())).body.sizes.full)
  const file = await newWorkFile(store)
  writeFileSync(file, Buffer.alloc(1_000_000))
  await store.put(name, file)
  const socket = net.connect(app.port, '127.0.0.1')
  socket.write(`GET /photos/${name} HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`)

  const text = Buffer.concat(await socket.toArray()).toString('latin1')

  assert.deepEqual(text.match(/HTTP\/1\.1 \d{3}/g), ['HTTP/1.1 200', 'HTTP/1.1 405'])
  assert.ok(text.length > 1_000_000)
})

test('a slow request after an upload on the same connection gets 408', {
  timeout: 20_000,
}, async (t) => {
  const app = await startWithAnimal(t, { HEADERS_TIMEOUT_SECONDS: '1', REQUEST_TIMEOUT_SECONDS: '1' })
  const sent = await picture()
  const socket = net.connect(app.port, '127.0.0.1')
  const head = ['POST /v1/pets/1/photos HTTP/1.1', 'Host: a', `Authorization: Bearer ${app.key}`]
  socket.write(
    `${[...head, 'Content-Type: image/jpeg', `Content-Length: ${sent.length}`].join('\r\n')}\r\n\r\n`,
  )
  socket.write(sent)
  await once(socket, 'data')
  socket.write('GET /livez HTTP/1.1\r\nHost:')

  const text = Buffer.concat(await socket.toArray()).toString('latin1')

  assert.match(text, /HTTP\/1\.1 408 /)
})

test('GET /photos/{file} is immutable, and supports ranges, If-None-Match, If-Range and HEAD', async (t) => {
  const app = await startWithAnimal(t)
  const { body } = await add(app, await picture({ width: 900, height: 900 }))
  const { small, full } = body.sizes
  for (const address of [small, full, small]) {
    const whole = await download(app, address)
    const etag = whole.headers.get('etag') ?? ''
    const length = whole.bytes.length
    const names = ['cache-control', 'x-content-type-options', 'content-security-policy', 'accept-ranges']
    assert.deepEqual(
      names.map((name) => whole.headers.get(name)),
      ['public, max-age=31536000, immutable', 'nosniff', "default-src 'none'; sandbox", 'bytes'],
    )
    assert.equal(whole.headers.get('x-ratelimit-limit'), null)
    const unchanged = await download(app, address, { 'if-none-match': `W/${etag}` })
    assert.deepEqual(
      [unchanged.status, unchanged.bytes.length, unchanged.headers.get('etag')],
      [304, 0, etag],
    )
    for (const [range, status, first, last] of [
      ['bytes=0-9', 206, 0, 9],
      ['bytes=10-', 206, 10, length - 1],
      ['bytes=-5', 206, length - 5, length - 1],
      [`bytes=0-${length + 5}`, 206, 0, length - 1],
      ['bytes=0-1,3-4', 200, 0, length - 1],
      ['bytes=5-2', 200, 0, length - 1],
      ['lines=1-2', 200, 0, length - 1],
    ] as const) {
      const part = await download(app, address, { range })
      assert.equal(part.status, status, range)
      assert.deepEqual(part.bytes, whole.bytes.subarray(first, last + 1), range)
      const contentRange = status === 206 ? `bytes ${first}-${last}/${length}` : null
      assert.equal(part.headers.get('content-range'), contentRange)
    }
    const beyond = await download(app, address, { range: `bytes=${length}-` })
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${length}`])
    assert.deepEqual(
      ['etag', 'accept-ranges', 'access-control-allow-origin'].map((name) => beyond.headers.get(name)),
      [null, null, null],
    )
    assert.match(beyond.headers.get('content-type') ?? '', /json/)
    assert.equal((await download(app, address, { range: 'bytes=0-1', 'if-range': '"x"' })).status, 200)
    const head = await app.request(new URL(address).pathname, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers['content-length'], head.text], [200, String(length), ''])
  }
})

test('GET /photos/{file} with an invalid or unknown name gets 404, and the unknown name is charged', async (t) => {
  const app = await startWithAnimal(t, { ANONYMOUS_PER_MINUTE: '3' })
  await add(app, await picture())
  for (const path of [
    'x',
    '..%2fadoptable.db',
    `${'a'.repeat(32)}-301.webp`,
    `${'a'.repeat(32)}-300.png`,
    '%00',
  ]) {
    const { status, body } = await app.get(`/photos/${path}`, { authorization: undefined })
    assert.deepEqual([status, body.code], [404, 'photo_not_found'], path)
  }
  const statuses = []
  for (let count = 0; count < 5; count += 1)
    statuses.push((await download(app, `http://pets.example/photos/${'b'.repeat(32)}-300.webp`)).status)
  assert.deepEqual(statuses, [404, 404, 404, 429, 429])
})

test('GET /photos/{file} for sizes that are not made yet is not charged to the rate limit', async (t) => {
  const app = await startWithAnimal(t, { ANONYMOUS_PER_MINUTE: '1' })
  const { sizes } = (await add(app, await picture())).body

  const statuses = []
  for (const address of [sizes.medium, sizes.large, `${sizes.full}?format=jpeg`])
    statuses.push((await download(app, address)).status)

  assert.deepEqual(statuses, [200, 200, 200])
  const missing = `http://pets.example/photos/${'b'.repeat(32)}-300.webp`
  assert.deepEqual([(await download(app, missing)).status, (await download(app, missing)).status], [404, 429])
})

test('POST /v1/pets/{id}/photos without permission: 401 or 403, and no file is stored', async (t) => {
  const app = await startWithAnimal(t)
  const keyOf = async (access: 'read' | 'write', organizationId?: number) => ({
    authorization: `Bearer ${await makeKey(app.databaseUrl, { ...UNLIMITED, access, organizationId })}`,
  })
  const sent = await picture()
  for (const [headers, status, code] of [
    [await keyOf('read'), 403, 'insufficient_access'],
    [await keyOf('write', 1), 403, 'other_organization'],
    [{ authorization: 'Bearer x' }, 401, 'invalid_api_key'],
  ] as const) {
    const answer = await add(app, sent, undefined, headers)
    assert.deepEqual([answer.status, answer.body.code], [status, code])
  }
  assert.deepEqual(filesIn(app), [])
})

test('POST /v1/pets/{id}/photos with PHOTOS_PUBLIC_URL returns addresses below that URL and creates all five files before the response', async (t) => {
  const app = await startWithAnimal(t, { PHOTOS_PUBLIC_URL: 'https://cdn.example.org/p' })
  const { body } = await add(app, await picture())
  assert.match(body.sizes.small, /^https:\/\/cdn\.example\.org\/p\/[0-9a-f]{32}-300\.webp$/)
  assert.equal(filesIn(app).length, 5)
})
