import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { checkPhotos } from '../../cli/doctor-photos.ts'
import { readConfig } from '../../config.ts'
import { cleanup } from '../../testing/cleanup.ts'
import { doJobs } from '../../testing/jobs.ts'
import { scratchFolder, startApp, type TestApp } from '../../testing/start-app.ts'
import { NEEDS_SWIFT, photosUrlOf, startSwift, type TestSwift } from '../../testing/swift.ts'
import type { PhotoStore } from './photo-files.ts'
import { DEFAULT_OPTIONS, openS3 } from './s3.ts'

const swift = NEEDS_SWIFT.skip ? undefined : await startSwift({ after })

/** Noise is large in every format, so the file is too large for a buffer and is streamed. */
const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
const PICTURE = await sharp({
  create: { width: 1_200, height: 900, channels: 3, background: 'teal', noise },
})
  .jpeg()
  .toBuffer()

/** How the server in front of the bucket treats responses of the bucket. */
type Mode = 'pass' | 'busy' | 'silent' | 'cut' | 'short' | 'stall'

/** Starts a server in front of the bucket, which passes on requests as they were signed. */
async function startFront(t: TestContext, { port: target }: TestSwift) {
  const front = { mode: 'pass' as Mode, requests: 0, port: 0, headers: {} as http.IncomingHttpHeaders }
  const server = http.createServer((request, response) => {
    front.requests += 1
    if (front.mode === 'silent') return request.resume()
    if (front.mode === 'busy') return request.resume().once('end', () => response.writeHead(503).end())
    const { method, url, headers } = request
    const passed = http.request({ port: target, method, path: url, headers }, (answer) => {
      front.headers = answer.headers
      void pass(front.mode, answer, response)
    })
    // Swift sends bytes after a response to HEAD, which belong to no response.
    passed.on('error', () => undefined)
    request.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  front.port = (server.address() as AddressInfo).port
  cleanup(t).defer(() => {
    server.close()
    server.closeAllConnections()
  })
  return front
}

async function pass(mode: Mode, answer: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { statusCode = 0, headers } = answer
  const bytes = await buffer(answer)
  const isFile = headers['content-type']?.startsWith('image/') && bytes.length > 0
  // A complete response without content-length.
  if (isFile && mode === 'short') delete headers['content-length']
  response.writeHead(statusCode, headers)
  if (!isFile || mode === 'pass') return void response.end(bytes)
  response.write(bytes.subarray(0, bytes.length / 2), () => {
    if (mode === 'cut') response.destroy()
    if (mode === 'short') response.end()
  })
}

const nameOf = (number: number): string => `${number.toString(16).padStart(32, '0')}-600.webp`

async function all(store: PhotoStore) {
  const found: { name: string; ageMs: number }[] = []
  for await (const one of store.list()) found.push(one)
  return found
}

async function upload(app: TestApp) {
  const { body: pet } = await app.post('/v1/pets', { name: 'Mia', categoryId: 1 })
  const path = `/v1/pets/${pet.id}/photos`
  const send = () =>
    app.request(path, { method: 'POST', body: PICTURE, headers: { 'content-type': 'image/jpeg' } })
  return { path, send, answer: await send() }
}

/** The address of a photo on this service. */
const addressOf = ({ port }: TestApp, photo: { sizes: { full: string } }): string =>
  `http://127.0.0.1:${port}${new URL(photo.sizes.full).pathname}`

/**
 * Starts the service with a server in front of its bucket. @param bounds shorter limits than those of the
 * service
 */
async function startWithFront(t: TestContext, bounds: Partial<typeof DEFAULT_OPTIONS> = {}) {
  const front = await startFront(t, swift as TestSwift)
  const photosUrl = photosUrlOf(swift as TestSwift, { port: front.port })
  const app = await startApp(t, { settings: { PHOTOS_URL: photosUrl } })
  // The jobs of the first start also send requests to the bucket.
  await doJobs(app.service.context)
  front.requests = 0
  const store = await openS3(photosUrl, { ...DEFAULT_OPTIONS, retryDelaysMs: [1, 1], ...bounds })
  app.service.context.photos.store = store
  return { front, app, store }
}

test('a bucket stores, reads, lists over pages and removes files', NEEDS_SWIFT, async (t) => {
  const front = await startFront(t, swift as TestSwift)
  const photosUrl = photosUrlOf(swift as TestSwift, { port: front.port })
  const store = await openS3(photosUrl, { ...DEFAULT_OPTIONS, pageSize: 4 })
  const file = join(scratchFolder(t), 'photo')
  const names = Array.from({ length: 10 }, (_, number) => nameOf(number))
  for (const name of names) {
    writeFileSync(file, `bytes of ${name}`)
    await store.put(name, file)
    assert.ok(!existsSync(file))
  }
  const [first = ''] = names
  const size = `bytes of ${first}`.length
  const read = async (...args: Parameters<typeof store.read>) => {
    const reading = await store.read(...args)
    return reading && { ...reading, bytes: (await buffer(reading.bytes)).toString() }
  }

  assert.equal(await store.size(first), size)
  // A CDN that reads the bucket gets these headers.
  assert.equal(front.headers['content-type'], 'image/webp')
  assert.equal(front.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.deepEqual(await read(first), { size, bytes: `bytes of ${first}` })
  assert.deepEqual(await read(first, { first: 6, last: 7 }), { size, bytes: 'of' })
  assert.deepEqual(await read(first, { first: size - 4, last: 9_999 }), { size, bytes: 'webp' })
  const listed = (await all(store)).filter(({ name }) => names.includes(name))
  assert.deepEqual(
    listed.map(({ name }) => name),
    names,
  )
  for (const { ageMs } of listed) assert.ok(Math.abs(ageMs) < 60_000, String(ageMs))
  assert.equal(statSync(store.workFolder).mode & 0o777, 0o700)
  assert.equal(store.workFolder, join(tmpdir(), `adoptable-photos-${process.getuid?.()}`))

  await store.remove([...names, nameOf(99)])
  assert.equal(await store.size(first), undefined)
  assert.equal(await store.read(first), undefined)
  const left = (await all(store)).filter(({ name }) => names.includes(name))
  assert.deepEqual(left, [])
})

test('a photo in a bucket is uploaded, served and removed', NEEDS_SWIFT, async (t) => {
  const app = await startApp(t, { settings: { PHOTOS_URL: photosUrlOf(swift as TestSwift) } })
  const { path, answer } = await upload(app)
  assert.equal(answer.status, 201)

  const given = await fetch(addressOf(app, answer.body))
  const bytes = Buffer.from(await given.arrayBuffer())
  const { width, height } = await sharp(bytes).metadata()
  assert.deepEqual([given.status, width, height], [200, 1_200, 900])
  const part = await fetch(addressOf(app, answer.body), { headers: { range: 'bytes=8-11' } })
  assert.deepEqual([part.status, await part.text()], [206, 'WEBP'])

  assert.equal((await app.delete(`${path}/${answer.body.id}`)).status, 204)
  await doJobs(app.service.context)
  // The service may remember for up to a minute that the photo exists.
  app.clock.now += 60_000
  assert.equal((await fetch(addressOf(app, answer.body))).status, 404)
  const hash = new URL(answer.body.sizes.full).pathname.split(/[/-]/)[2] ?? ''
  const { store } = app.service.context.photos
  const left = (await all(store)).filter(({ name }) => name.startsWith(hash))
  assert.deepEqual(left, [])
})

test(
  'an upload with a wrong bucket secret: 503, no photo, and no secret in the log',
  NEEDS_SWIFT,
  async (t) => {
    const { key, secret } = swift as TestSwift
    for (const wrong of ['wrong-secret', 'wrong\nsecret']) {
      const app = await startApp(t, {
        settings: { PHOTOS_URL: photosUrlOf(swift as TestSwift, { secret: wrong }) },
      })
      const { path, answer } = await upload(app)

      assert.deepEqual([answer.status, answer.body.code], [503, 'service_unavailable'])
      assert.deepEqual((await app.get(path)).body, [])
      const log = app.log.join('')
      assert.match(log, /127\.0\.0\.1:\d+ answered PUT with 403 SignatureDoesNotMatch/)
      for (const hidden of [key, secret, 'wrong', encodeURIComponent(key), 'Signature=', 'StringToSign'])
        assert.ok(!log.includes(hidden), hidden)
    }
  },
)

test('an upload to a busy bucket: 503 after two retries, and 201 later', NEEDS_SWIFT, async (t) => {
  const { front, app } = await startWithFront(t)
  front.mode = 'busy'
  const { path, send, answer } = await upload(app)

  assert.equal(answer.status, 503)
  assert.equal(front.requests, 3)
  assert.deepEqual((await app.get(path)).body, [])
  front.mode = 'pass'
  assert.equal((await send()).status, 201)
})

test('an upload to a bucket that never responds: 503 within the timeout', NEEDS_SWIFT, async (t) => {
  const { front, app } = await startWithFront(t, { responseMs: 200 })
  front.mode = 'silent'
  const { path, answer } = await upload(app)

  assert.equal(answer.status, 503)
  assert.equal(front.requests, 1)
  assert.match(app.log.join(''), /did not answer PUT within 200 ms/)
  assert.deepEqual((await app.get(path)).body, [])
})

test('a bucket that breaks off within a file: the download fails', NEEDS_SWIFT, async (t) => {
  const { front, app, store } = await startWithFront(t, { silenceMs: 100 })
  const { answer } = await upload(app)
  const address = addressOf(app, answer.body)
  const size = (await (await fetch(address)).arrayBuffer()).byteLength
  assert.ok(size > 131_072, `${size} bytes may fit into a buffer`)

  for (const mode of ['cut', 'stall', 'short'] as const) {
    front.mode = mode
    // Without a size the service cannot check the length, so it refuses the response.
    const expected = mode === 'short' ? 503 : 200
    const whole = await fetch(address)
    assert.equal(whole.status, expected, mode)
    if (mode !== 'short') await assert.rejects(whole.arrayBuffer(), mode)
    const part = await fetch(address, { headers: { range: 'bytes=0-149999' } })
    assert.equal(part.status, 206, mode)
    await assert.rejects(part.arrayBuffer(), mode)
  }
  front.mode = 'short'
  const name = address.split('/').at(-1) ?? ''
  const { bytes } = (await store.read(name, { first: 0, last: 149_999 })) as { bytes: Readable }
  await assert.rejects(buffer(bytes), /another number of bytes/)
  front.mode = 'pass'
  assert.equal((await (await fetch(address)).arrayBuffer()).byteLength, size)
})

test('doctor checks a bucket without revealing its secret', NEEDS_SWIFT, async () => {
  const url = photosUrlOf(swift as TestSwift)
  const look = (settings: Record<string, string>) => checkPhotos(readConfig(settings))

  const [, store] = await look({ PHOTOS_URL: url })
  assert.deepEqual([store?.state, store?.found], ['good', 'wrote, read and removed a file'])

  const [, refused] = await look({ PHOTOS_URL: url.replace(/:[^:@/]+@/, ':another-secret@') })
  assert.equal(refused?.state, 'wrong')
  assert.match(refused?.found ?? '', /403/)
  assert.doesNotMatch(JSON.stringify(refused), /another-secret/)
})
