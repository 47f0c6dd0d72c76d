import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import sharp, { type Metadata, type OutputInfo, type Sharp } from 'sharp'
import { FULL_SIDE, type Rendition, renditionOf } from '../storage/renditions.ts'
import { textBytes } from './png-text.ts'
import { type Answer, CHANNEL, OUT_OF_MEMORY, type Rendered, type RenderTask } from './render-channel.ts'

/*
 * The only place where bytes from outside are decoded: a process of its own, with nothing worth taking. It
 * watches its own memory, since a picture can make the library take as much as it likes.
 */

const MAX_MEMORY = 256 * 1_048_576
const LOOK_MS = 10

const MAX_SIDE = 12_000
const MAX_PIXELS = 50_000_000
/**
 * In millions, of formats that have to be held whole before a line of them is known: as many as fit into the
 * memory. Measured, a pixel takes 20 bytes of AVIF, 11 of an interlaced PNG, and of a progressive JPEG 4 with
 * halved colours, 8 with whole ones and 10 of CMYK.
 */
const MAX_HELD = { avif: 6, interlaced: 14, whole: 24, halved: 36, colours: 18, cmyk: 14 } as const
/** Of the texts of a PNG as they stand in the file: compressed they are a thousand times as much. */
const MAX_TEXT_BYTES = 262_144
const QUALITY = { full: 85, others: 80 }

sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: ['VipsForeignLoad'] })
// The name of each kind's loader of files; AVIF is in the one for HEIF.
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'].map((kind) => `VipsForeignLoad${kind}File`),
})

/** For a picture that is at fault; every other error is the service's own. */
class Refusal extends Error {}

async function render({ source, renditions }: RenderTask): Promise<Rendered> {
  const open = (): Sharp =>
    sharp(source, { failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true, pages: 1 })
  let pixels: { data: Buffer; info: OutputInfo }
  try {
    // Before the library looks at it: it would inflate all of that first.
    if (textBytes(source) > MAX_TEXT_BYTES) throw new Refusal('The PNG holds too much text.')
    check(await open().metadata())
    // Colours become sRGB and the picture is turned upright; whatever else the file told is left behind.
    pixels = await open()
      .autoOrient()
      .resize({ width: FULL_SIDE, height: FULL_SIDE, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('It cannot be read to its end as a picture.')
  }
  const { data, info } = pixels
  const { width, height, channels } = info
  for (const { rendition, file } of renditions) {
    await encode(sharp(data, { raw: { width, height, channels } }), rendition).toFile(file)
  }
  return { width, height }
}

/** By what the head of the file says, before anything of it is decoded. */
function check(metadata: Metadata): void {
  const { format, compression, width, height, isProgressive } = metadata
  if (format === 'heif' && compression !== 'av1') throw new Refusal('HEIC cannot be read here: send a JPEG.')
  if (width > MAX_SIDE || height > MAX_SIDE)
    throw new Refusal(`Each side must be at most ${MAX_SIDE} pixels.`)
  const most = mostPixels(metadata)
  const name = format === 'heif' ? 'AVIF' : format.toUpperCase()
  if (width * height > most * 1e6)
    throw new Refusal(
      `A ${isProgressive ? 'progressive ' : ''}${name} like this must have at most ${most} million pixels.`,
    )
}

/** In millions. */
function mostPixels({ format, isProgressive, channels, chromaSubsampling }: Metadata): number {
  if (format === 'heif') return MAX_HELD.avif
  if (format === 'png' && isProgressive) return MAX_HELD.interlaced
  if (format !== 'jpeg') return MAX_HELD.whole
  if (!isProgressive) return MAX_PIXELS / 1e6
  if (channels > 3) return MAX_HELD.cmyk
  return chromaSubsampling === '4:2:0' ? MAX_HELD.halved : MAX_HELD.colours
}

function encode(image: Sharp, rendition: Rendition): Sharp {
  const { width, type } = renditionOf(rendition)
  const sized = image.resize({ width, withoutEnlargement: true })
  if (type === 'image/jpeg')
    return sized.flatten({ background: 'white' }).jpeg({ quality: QUALITY.others, mozjpeg: true })
  return sized.webp({ quality: rendition === 'full' ? QUALITY.full : QUALITY.others })
}

/** The machine's other work goes first, and if memory runs out this process does. */
function stepBack(): void {
  setPriority(constants.priority.PRIORITY_LOW)
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Only Linux has it.
  }
}

stepBack()
setInterval(() => {
  if (process.memoryUsage.rss() > MAX_MEMORY) process.exit(OUT_OF_MEMORY)
}, LOOK_MS)
const channel = new Socket({ fd: CHANNEL, readable: true, writable: true })
// The service is gone.
channel.on('error', () => process.exit()).on('close', () => process.exit())
createInterface({ input: channel }).on('line', async (line) => {
  const answer = await render(JSON.parse(line)).then(
    (rendered): Answer => ({ rendered }),
    (error: Error) => (error instanceof Refusal ? { refusal: error.message } : { failure: error.message }),
  )
  // Pixels that nobody uses any more do not count against the next photo.
  globalThis.gc?.()
  channel.write(`${JSON.stringify({ ...answer, bytes: process.memoryUsage.rss() })}\n`)
})
