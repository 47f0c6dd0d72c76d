import { closeSync, openSync, readSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import sharp, { type Metadata, type OutputInfo, type Sharp } from 'sharp'
import { FULL_SIDE, type Rendition, renditionOf } from '../storage/photo-files.ts'
import {
  CHANNEL,
  OUT_OF_MEMORY,
  OUT_OF_TIME,
  type RenderAnswer,
  type RenderedSize,
  type RenderTask,
} from './render-channel.ts'

// Only this process decodes pictures from outside. It is separate from the service and has no secret. It
// watches its own memory, because a picture can make the library allocate any amount.

const MAX_MEMORY = 256 * 1_048_576
/** The maximum processor time for a picture. A slow or busy machine takes longer by the clock. */
const MAX_CPU_MICROSECONDS = 10_000_000
const CHECK_MS = 10
/** On a busy core, the process gets about a quarter of the time. */
const NICENESS = 5

const MAX_SIDE = 12_000
const MAX_PIXELS = 50_000_000
/**
 * Millions of pixels that fit into the memory, for formats that the library decodes in one piece. The
 * measured bytes per pixel are 20 for AVIF, 11 for interlaced PNG, and for progressive JPEG 4 (4:2:0), 8
 * (other subsampling) or 10 (CMYK).
 */
const MAX_MEGAPIXELS = { avif: 6, interlaced: 14, whole: 24, halved: 36, colours: 18, cmyk: 14 } as const
/** Maximum size of the compressed text in a PNG file. Inflated text may be a thousand times as large. */
const MAX_TEXT_BYTES = 262_144
const QUALITY = { full: 85, others: 80 }

sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: ['VipsForeignLoad'] })
// Allows the file loader of each format. The HEIF loader reads AVIF.
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'].map((kind) => `VipsForeignLoad${kind}File`),
})

/** The picture is at fault. Every other error means that the service failed. */
class Refusal extends Error {}

async function render({ source, renditions }: RenderTask): Promise<RenderedSize> {
  const open = (): Sharp =>
    sharp(source, { failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true, pages: 1 })
  let pixels: { data: Buffer; info: OutputInfo }
  try {
    // Checks the text before the library opens the file, because the library would inflate all texts first.
    if (textBytes(source) > MAX_TEXT_BYTES)
      throw new Refusal('The PNG contains too much text. Save it without text.')
    checkHeader(await open().metadata())
    // Converts to sRGB and turns the picture upright. All metadata is dropped.
    pixels = await open()
      .autoOrient()
      .resize({ width: FULL_SIDE, height: FULL_SIDE, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('The file is incomplete or not a picture.')
  }
  const { data, info } = pixels
  const { width, height, channels } = info
  for (const { rendition, file } of renditions) {
    await encode(sharp(data, { raw: { width, height, channels } }), rendition).toFile(file)
  }
  return { width, height }
}

/** Checks the header of the file, before any pixel is decoded. */
function checkHeader(metadata: Metadata): void {
  const { format, compression, width, height, isProgressive } = metadata
  if (format === 'heif' && compression !== 'av1') throw new Refusal('HEIC is not supported. Send a JPEG.')
  if (width > MAX_SIDE || height > MAX_SIDE)
    throw new Refusal(`Each side may have at most ${MAX_SIDE} pixels.`)
  const max = maxMegapixels(metadata)
  const name = format === 'heif' ? 'AVIF' : format.toUpperCase()
  if (width * height > max * 1e6)
    throw new Refusal(
      `A ${isProgressive ? 'progressive ' : ''}${name} of this kind may have at most ${max} million pixels.`,
    )
}

/** @returns millions of pixels */
function maxMegapixels({ format, isProgressive, channels, chromaSubsampling }: Metadata): number {
  if (format === 'heif') return MAX_MEGAPIXELS.avif
  if (format === 'png' && isProgressive) return MAX_MEGAPIXELS.interlaced
  if (format !== 'jpeg') return MAX_MEGAPIXELS.whole
  if (!isProgressive) return MAX_PIXELS / 1e6
  if (channels > 3) return MAX_MEGAPIXELS.cmyk
  return chromaSubsampling === '4:2:0' ? MAX_MEGAPIXELS.halved : MAX_MEGAPIXELS.colours
}

function encode(image: Sharp, rendition: Rendition): Sharp {
  const { width, type } = renditionOf(rendition)
  const sized = image.resize({ width, withoutEnlargement: true })
  if (type === 'image/jpeg')
    return sized.flatten({ background: 'white' }).jpeg({ quality: QUALITY.others, mozjpeg: true })
  return sized.webp({ quality: rendition === 'full' ? QUALITY.full : QUALITY.others })
}

/**
 * Gives priority to other work on the machine. With an even lower priority, no photo would be finished while
 * the machine is busy. When memory runs out, Linux kills this process first.
 */
function lowerPriority(): void {
  setPriority(NICENESS)
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // The file exists only on Linux.
  }
}

lowerPriority()
let before = process.cpuUsage()
setInterval(() => {
  if (process.memoryUsage.rss() > MAX_MEMORY) process.exit(OUT_OF_MEMORY)
  const { user, system } = process.cpuUsage(before)
  if (user + system > MAX_CPU_MICROSECONDS) process.exit(OUT_OF_TIME)
}, CHECK_MS)
const channel = new Socket({ fd: CHANNEL, readable: true, writable: true })
// The channel closes when the service ends.
channel.on('error', () => process.exit()).on('close', () => process.exit())
createInterface({ input: channel }).on('line', async (line) => {
  before = process.cpuUsage()
  const answer = await render(JSON.parse(line)).then(
    (rendered): RenderAnswer => ({ rendered }),
    (error: Error) => (error instanceof Refusal ? { refusal: error.message } : { failure: error.message }),
  )
  // Frees the pixels of this photo before the next one.
  globalThis.gc?.()
  channel.write(`${JSON.stringify({ ...answer, bytes: process.memoryUsage.rss() })}\n`)
})

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Length and type of a chunk, which precede its data. A checksum of four bytes follows the data. */
const CHUNK_HEADER_BYTES = 8
const TEXT_CHUNKS = ['tEXt', 'zTXt', 'iTXt']
/** Reads up to this many chunks. Real pictures have hundreds. */
const MAX_CHUNKS = 20_000

/**
 * Adds up the sizes of the text chunks of a PNG by their headers (PNG specification, section 5.3), without
 * inflating them.
 * @returns bytes; 0 for other files, and Infinity beyond MAX_CHUNKS chunks
 */
function textBytes(path: string): number {
  const file = openSync(path, 'r')
  const head = Buffer.alloc(CHUNK_HEADER_BYTES)
  try {
    if (readSync(file, head, 0, CHUNK_HEADER_BYTES, 0) < CHUNK_HEADER_BYTES || !head.equals(SIGNATURE))
      return 0
    let [offset, sum] = [CHUNK_HEADER_BYTES, 0]
    for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
      if (readSync(file, head, 0, CHUNK_HEADER_BYTES, offset) < CHUNK_HEADER_BYTES) return sum
      const length = head.readUInt32BE(0)
      if (TEXT_CHUNKS.includes(head.toString('latin1', 4))) sum += length
      offset += CHUNK_HEADER_BYTES + length + 4
    }
    return Number.POSITIVE_INFINITY
  } finally {
    closeSync(file)
  }
}
