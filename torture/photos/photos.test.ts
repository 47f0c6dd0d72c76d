import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { cleanup } from '../../src/testing/cleanup.ts'
import { picture } from '../../src/testing/pictures.ts'
import { waitFor } from '../lab/parallel.ts'
import { childrenOf, megabytesOf, NEEDS_PROC } from '../lab/proc.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { measure, NO_ANONYMOUS_LIMITS, PROBED, type Service, startService } from '../lab/service.ts'

/** Metadata in the files that must not appear in any rendition. */
const MARK = 'Behind the blue house 52.08N'

interface Specimen {
  name: string
  bytes: Buffer
  /** Content-Type; image/jpeg when absent. */
  type?: string
  /** Accepted statuses of the answer. */
  answers: number[]
}

const TYPES = ['jpeg', 'png', 'webp', 'avif', 'gif'] as const
const ACCEPTED = [200, 201]
const REFUSED = [422]
/** A damaged file may still have a complete image. */
const EITHER = [...ACCEPTED, ...REFUSED]

/** Images, and files that only look like one, as an attacker would send them. */
async function* corpus(random: Random, damaged: number): AsyncGenerator<Specimen> {
  yield* validFiles()
  yield* largeFiles()
  yield* otherFormats()
  for (const type of TYPES) {
    const original = await picture({ width: 320, height: 200, type, metadata: MARK })
    for (const at of boundaries(type, original).slice(0, damaged)) yield cut(type, original, at)
    for (let time = 0; time < damaged; time += 1) {
      yield cut(type, original, random.integer(1, original.length - 1))
      yield { name: `${type} with wrong bytes`, bytes: corruptBytes(random, original), answers: EITHER }
    }
  }
}

/** End marker and checksum of a format. Without them the file still has all pixels. */
const END_BYTES = 16

/** A truncated file, which the service rejects although other programs show a part of the image. */
function cut(type: string, original: Buffer, at: number): Specimen {
  const answers = at < original.length - END_BYTES ? REFUSED : EITHER
  return { name: `${type} cut at byte ${at} of ${original.length}`, bytes: original.subarray(0, at), answers }
}

async function* validFiles(): AsyncGenerator<Specimen> {
  for (const type of TYPES)
    yield {
      name: type,
      bytes: await picture({ type, metadata: MARK }),
      type: `image/${type}`,
      answers: ACCEPTED,
    }
  for (let orientation = 1; orientation <= 8; orientation += 1) {
    const bytes = await picture({ width: 90, height: 60, number: orientation, orientation, metadata: MARK })
    yield { name: `orientation ${orientation}`, bytes, answers: ACCEPTED }
  }
  const base = sharp(await picture({ width: 200, height: 100, number: 9 }))
  for (const [name, bytes] of [
    ['CMYK', await base.clone().toColourspace('cmyk').jpeg().toBuffer()],
    [
      'progressive 4:4:4',
      await base.clone().jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(),
    ],
    ['gray', await base.clone().grayscale().jpeg().toBuffer()],
    ['palette', await base.clone().png({ palette: true, colours: 4 }).toBuffer()],
    ['16 bits', await base.clone().toColourspace('rgb16').png().toBuffer()],
    ['see-through', await base.clone().ensureAlpha(0.5).webp().toBuffer()],
    ['1 × 1', await picture({ width: 1, height: 1, type: 'png' })],
    ['12,000 × 1', await picture({ width: 12_000, height: 1, type: 'png' })],
    ['animated GIF', await animated('gif')],
    ['animated WebP', await animated('webp')],
    ['as type jpeg a PNG', await picture({ type: 'png', number: 7 })],
  ] as const)
    yield { name, bytes, answers: ACCEPTED }
  const jpeg = await picture({ number: 11 })
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, MARK.length + 2]), Buffer.from(MARK)])
  yield {
    name: 'comment',
    bytes: Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]),
    answers: ACCEPTED,
  }
  const page = Buffer.from(`<!DOCTYPE html><script>${MARK}</script>`)
  yield {
    name: 'GIF and HTML',
    bytes: Buffer.concat([await picture({ type: 'gif' }), page]),
    answers: ACCEPTED,
  }
  const zip = Buffer.concat([jpeg, Buffer.from(`PK\x03\x04${MARK}`)])
  yield { name: 'JPEG and ZIP', bytes: zip, answers: EITHER }
}

async function animated(type: 'gif' | 'webp'): Promise<Buffer> {
  const frames = await Promise.all([1, 2, 3].map((number) => picture({ number, width: 40, height: 40 })))
  return sharp(frames, { join: { animated: true } })
    .toFormat(type)
    .toBuffer()
}

async function* largeFiles(): AsyncGenerator<Specimen> {
  yield { name: '50,000 × 1', bytes: png(50_000, 1), answers: REFUSED }
  yield { name: '12,001 × 1', bytes: png(12_001, 1), answers: REFUSED }
  yield { name: '7,000 × 7,000 of 16 bits, interlaced', bytes: png(7_000, 7_000, true), answers: REFUSED }
  yield { name: '4,000 × 3,490 of 16 bits, interlaced', bytes: png(4_000, 3_490, true), answers: ACCEPTED }
  yield { name: 'said to be 2,147,483,647 wide', bytes: withSize(2_147_483_647, 1), answers: REFUSED }
  yield { name: 'said to be 0 wide', bytes: withSize(0, 1), answers: REFUSED }
  const flat = sharp({ create: { width: 10_000, height: 5_000, channels: 3, background: 'gray' } })
  yield { name: '50 megapixels', bytes: await flat.clone().jpeg().toBuffer(), answers: ACCEPTED }
  const heavy = flat.clone().jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
  yield { name: '50 megapixels, progressive 4:4:4', bytes: await heavy.toBuffer(), answers: REFUSED }
  const light = sharp({ create: { width: 8_000, height: 4_500, channels: 3, background: 'gray' } })
  const bytes = await light.jpeg({ progressive: true }).toBuffer()
  yield { name: '36 megapixels, progressive', bytes, answers: ACCEPTED }
  const colours = sharp({ create: { width: 5_190, height: 3_460, channels: 3, background: 'gray' } })
  const original = colours.jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
  yield { name: '18 megapixels, progressive 4:4:4', bytes: await original.toBuffer(), answers: ACCEPTED }
  yield { name: 'texts of a gigabyte', bytes: manyTexts(), answers: REFUSED }
  const avif = sharp({ create: { width: 3_000, height: 2_000, channels: 3, background: 'gray' } })
  yield { name: '6 megapixels of AVIF', bytes: await avif.avif({ effort: 0 }).toBuffer(), answers: ACCEPTED }
  const full = Buffer.concat([await picture({ number: 12 }), Buffer.alloc(15_000_000)])
  yield { name: '15 MB', bytes: full.subarray(0, 15_000_000), answers: EITHER }
  yield { name: '15 MB and a byte', bytes: full.subarray(0, 15_000_001), answers: [413] }
}

async function* otherFormats(): AsyncGenerator<Specimen> {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>'
  const drawn = sharp(await picture())
  for (const [name, bytes] of [
    ['nothing', Buffer.alloc(0)],
    ['SVG', Buffer.from(svg)],
    ['SVG after a declaration', Buffer.from(`<?xml version="1.0"?>${svg}`)],
    ['PDF', Buffer.from('%PDF-1.7\n1 0 obj<<>>endobj\ntrailer<<>>')],
    ['TIFF', await drawn.clone().tiff().toBuffer()],
    ['raw pixels of libvips', Buffer.concat([Buffer.from([0x08, 0xf2, 0xa6, 0xb6]), Buffer.alloc(4_096)])],
    [
      'HEIC',
      Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), Buffer.alloc(2_000)]),
    ],
    ['PPM', Buffer.from('P6 2 2 255 123456789012')],
    ['words', Buffer.from('This is no picture. '.repeat(100))],
  ] as const)
    yield { name, bytes, answers: REFUSED }
  for (const type of ['image/svg+xml', 'image/heic', 'application/pdf', 'text/html', 'image/tiff'])
    yield { name: `sent as ${type}`, bytes: await picture(), type, answers: [415] }
}

/** Positions near the start of a format's segments. */
function boundaries(type: (typeof TYPES)[number], bytes: Buffer): number[] {
  const marks = { jpeg: /\xff[\xc0-\xfe]/g, png: /[A-Za-z]{4}/g, webp: /VP8.|ICCP|EXIF|XMP /g }
  const mark = marks[type as keyof typeof marks] ?? /meta|iloc|mdat|av1C|!\xf9|,/g
  return [...bytes.toString('latin1').matchAll(mark)].flatMap(({ index }) => [index, index + 2, index + 4])
}

function corruptBytes(random: Random, original: Buffer): Buffer {
  const bytes = Buffer.from(original)
  for (let time = random.integer(1, 8); time > 0; time -= 1)
    bytes[random.integer(4, bytes.length - 1)] = random.pick([0, 0xff, 0x7f, random.integer(0, 255)])
  return bytes
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(data.length, 0)
  numbers.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([numbers.subarray(0, 4), named, numbers.subarray(4)])
}

function head(width: number, height: number, heavy: boolean): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  // Bits per sample; gray, or colour with alpha; interlaced.
  data.set(heavy ? [16, 6, 0, 0, 1] : [8, 0, 0, 0, 0], 8)
  return chunk('IHDR', data)
}

/** A black image, which compresses to very few bytes. */
function png(width: number, height: number, heavy = false): Buffer {
  // Interlacing adds lines with a byte each. Too many zeros do no harm.
  const pixels = Buffer.alloc(heavy ? width * height * 8 + height * 16 : (width + 1) * height)
  const data = chunk('IDAT', deflateSync(pixels, { level: 1 }))
  return Buffer.concat([SIGNATURE, head(width, height, heavy), data, chunk('IEND', Buffer.alloc(0))])
}

/** Text chunks that inflate a thousand times. */
function manyTexts(): Buffer {
  const text = chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(50_000_000))]))
  const pixels = chunk('IDAT', deflateSync(Buffer.alloc(2)))
  return Buffer.concat([SIGNATURE, head(1, 1, false), ...Array.from({ length: 20 }, () => text), pixels])
}

const withSize = (width: number, height: number): Buffer =>
  Buffer.concat([SIGNATURE, head(width, height, false), chunk('IDAT', deflateSync(Buffer.alloc(9)))])

const DAMAGED = rounds(40)
/** The process that decodes photos checks its memory every 10 ms, so a decoder may briefly use more. */
const MAX_CHILD_MEGABYTES = 256 + 64
const MAX_GROWTH_MEGABYTES = 30
/** Growth of the heap after all photos and a garbage collection: far less than the size of the photos. */
const MAX_RETAINED_MEGABYTES = 10
const MB = 2 ** 20
const MAX_ANSWER_MS = 12_000
const MAX_LIVEZ_MS = 1_000
const FILES = ['-300.webp', '-600.webp', '-1200.webp', '-2400.webp', '-1200.jpg']
const TRACES = new RegExp(`${MARK}|Exif|ICC_PROFILE|xmpmeta|<script|PK\\x03\\x04`)

/** Watches the memory of the service's children, and how long other requests wait. */
function watch({ process, ask }: Service) {
  const most = { child: 0, livezMs: 0 }
  let asking = false
  const looking = setInterval(async () => {
    // A process that has just ended has no size.
    for (const pid of childrenOf(process.child.pid))
      most.child = Math.max(most.child, megabytesOf(pid, 'max') || 0)
    if (asking) return
    asking = true
    const since = performance.now()
    await ask('/livez').catch(() => undefined)
    most.livezMs = Math.max(most.livezMs, performance.now() - since)
    asking = false
  }, 50)
  return { most, stop: () => clearInterval(looking) }
}

async function upload({ ask }: Service, petId: number, { bytes, type = 'image/jpeg' }: Specimen) {
  const headers = { 'content-type': type }
  return ask(`/v1/pets/${petId}/photos`, { method: 'POST', body: bytes, headers })
}

/** Asserts that every file of a photo is an image without metadata. */
async function assertClean({ address }: Service, full: string, name: string): Promise<void> {
  const begin = address + new URL(full).pathname.slice(0, -'-2400.webp'.length)
  for (const file of FILES) {
    const answer = await fetch(begin + file)
    const bytes = Buffer.from(await answer.arrayBuffer())
    assert.equal(answer.status, 200, `${name}: ${begin}${file}`)
    assert.match(String(answer.headers.get('content-type')), /^image\/(webp|jpeg)$/)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    await sharp(bytes, { failOn: 'warning' }).raw().toBuffer()
    assert.doesNotMatch(bytes.toString('latin1'), TRACES, `${name}: ${file}`)
  }
}

test(
  'any file as a photo: shown without metadata or rejected, and no other client waits',
  NEEDS_PROC,
  async (t) => {
    const service = await startService(t, { settings: { ...NO_ANONYMOUS_LIMITS, ...PROBED } })
    const { ask } = service
    const folder = join(dirname(service.settings.DATABASE_URL.slice('sqlite:'.length)), 'photos')
    const random = randomOf()
    // All files are made before the timing starts, because some block this process for a second.
    const specimens: Specimen[] = []
    for await (const specimen of corpus(random, DAMAGED)) specimens.push(specimen)
    // Resets the measurement, which includes the start.
    await measure(service.process)
    await ask('/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
    const baseline = await measure(service.process)
    const watched = watch(service)
    cleanup(t).defer(watched.stop)
    const counts = { shown: 0, refused: 0 }
    let longest = 0
    let petId = 0
    for (const specimen of specimens) {
      // An animal may have 20 photos.
      if (counts.shown % 15 === 0)
        petId = (await ask('/v1/pets', { body: { name: 'Rex', categoryId: 1 } })).body.id
      const since = performance.now()
      const { status, body, text } = await upload(service, petId, specimen)
      longest = Math.max(longest, performance.now() - since)
      assert.ok(specimen.answers.includes(status), `${specimen.name}: ${status} ${text}`)
      counts[status < 300 ? 'shown' : 'refused'] += 1
      if (status === 422) assert.equal(body.code, 'invalid_image', specimen.name)
      if (status === 201) await assertClean(service, body.sizes.full, specimen.name)
    }
    watched.stop()

    const after = await measure(service.process)
    const grown = Math.round((after.maxBytes - baseline.maxBytes) / MB)
    const retained = Math.round((after.retainedBytes - baseline.retainedBytes) / MB)
    // Renditions that are made after the response may not be done.
    await waitFor(t, () => globSync('incoming/*', { cwd: folder }).length === 0)
    assert.equal(globSync('??/*', { cwd: folder }).length % FILES.length, 0)
    const { child, livezMs } = watched.most
    assert.ok(longest < MAX_ANSWER_MS, `an answer took ${longest} ms`)
    assert.ok(child <= MAX_CHILD_MEGABYTES, `a photo took ${child} MB`)
    assert.ok(livezMs < MAX_LIVEZ_MS, `/livez took ${livezMs} ms`)
    assert.ok(grown <= MAX_GROWTH_MEGABYTES, `the service grew by ${grown} MB`)
    assert.ok(retained <= MAX_RETAINED_MEGABYTES, `the service kept ${retained} MB`)
    const counted = `${counts.shown} shown, ${counts.refused} refused, ${Math.round(longest)} ms at most`
    reportFigure(
      t,
      `${counted}; ${child} MB for a photo, ${grown} MB more for the service, ${retained} MB kept, /livez ${Math.round(livezMs)} ms`,
    )
  },
)
