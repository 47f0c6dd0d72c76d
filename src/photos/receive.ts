import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { ApiError, Overload } from '../errors.ts'
import { unavailable } from './files.ts'
import { workFile } from './storage/folder.ts'
import type { PhotoStore } from './storage/store.ts'

/** What may be sent. What the bytes really are, those say themselves. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif']

export const MOST_BYTES = 15_000_000
/** So many photos each process receives at once: each takes a connection, a file and up to 15 MB of disk. */
const MOST_AT_ONCE = 64
/** From so many pieces on, each has to hold something: one of a byte costs the same as one of thousands. */
const MOST_SMALL_PIECES = 2_048
const LEAST_PIECE_BYTES = 16

/** Over a slow network a photo takes longer than what else is sent; for hardly anything nobody waits. */
const LEAST_BYTES_A_SECOND = 10_000
const [FIRST_MS, MOST_MS] = [10_000, 300_000]
const LOOK_MS = 1_000

/** A picture as it was sent, in a file of its own. */
export interface Received {
  file: string
  /** SHA-256 of it, in hexadecimal. */
  digest: string
}

const WHAT_TO_DO: [RegExp, string][] = [
  [/^image\/hei[cf]/, 'Send a JPEG. On an iPhone, choose Settings, Camera, Formats, Most Compatible.'],
  [/^image\/svg/, 'A drawing is no photo: export it as PNG.'],
  [/^(image\/tiff|application\/pdf)/, 'Export it as JPEG.'],
  [/^multipart\//, 'Send the bytes of the picture alone as the body, not a form.'],
]

export type Receive = (request: Sender, payload: Readable) => Promise<Received>

/** Who sends a body. */
export type Sender = Pick<FastifyRequest, 'raw' | 'headers'>

/** @throws {ApiError} unsupported_media_type */
export function requirePhotoType({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const type = (headers['content-type'] ?? '').toLowerCase()
  const coding = headers['content-encoding'] ?? 'identity'
  if (PHOTO_TYPES.includes(type.split(';', 1)[0]?.trimEnd() ?? '') && coding.toLowerCase() === 'identity')
    return
  const [, advice = ''] = WHAT_TO_DO.find(([kind]) => kind.test(type)) ?? []
  const message = `Send the bytes of a picture, without a content coding, as ${PHOTO_TYPES.join(', ')}. ${advice}`
  throw new ApiError('unsupported_media_type', { message: message.trim() })
}

/**
 * What receives photos, as many at once as there may be.
 *
 * @param read reads what one client sends
 */
export function receiver<Result>(
  store: () => PhotoStore,
  read: (request: Sender, payload: Readable, store: PhotoStore) => Promise<Result>,
) {
  let underWay = 0
  return async (request: Sender, payload: Readable): Promise<Result> => {
    if (underWay >= MOST_AT_ONCE) {
      const cause = new Overload(`${MOST_AT_ONCE} photos are under way already`)
      // The rest of this one is not waited for.
      throw new ApiError('service_unavailable', { cause, headers: { connection: 'close' } })
    }
    underWay += 1
    try {
      return await read(request, payload, store())
    } finally {
      underWay -= 1
    }
  }
}

/**
 * Reads a picture into a file, at its sender's pace: it takes no memory but what is under way to the disk.
 *
 * @throws {ApiError} payload_too_large, request_timeout, service_unavailable; nothing is then left of it
 */
export function receive({ raw, headers }: Sender, payload: Readable, store: PhotoStore): Promise<Received> {
  if (Number(headers['content-length']) > MOST_BYTES) return Promise.reject(tooLarge())
  raw.atItsOwnPace = true
  return receivePicture(payload, store)
}

/** The same of one that is a part of what is sent. @throws {ApiError} as `receive` */
export async function receivePicture(payload: Readable, store: PhotoStore): Promise<Received> {
  const file = await workFile(store).catch(unavailable)
  try {
    return { file, digest: await write(payload, file) }
  } catch (error) {
    payload.on('error', () => undefined).resume()
    await rm(file, { force: true })
    throw error
  }
}

/** @returns the SHA-256 of what was written */
async function write(payload: Readable, file: string): Promise<string> {
  const digest = createHash('sha256')
  const output = createWriteStream(file, { mode: 0o600 })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const began = performance.now()
  let [size, pieces] = [0, 0]

  function onPiece(piece: Buffer): void {
    size += piece.length
    pieces += 1
    const isTiny = pieces > MOST_SMALL_PIECES && size < pieces * LEAST_PIECE_BYTES
    if (size > MOST_BYTES || isTiny) {
      reject(isTiny ? tooLarge(TOO_SMALL) : tooLarge())
      return
    }
    digest.update(piece)
    if (!output.write(piece)) payload.pause()
  }
  const looking = setInterval(() => {
    const ms = performance.now() - began
    const isSlow = ms > FIRST_MS && size < (ms / 1_000) * LEAST_BYTES_A_SECOND
    if (isSlow || ms > MOST_MS) reject(tooSlow())
  }, LOOK_MS)
  // It may have broken off while the file got its name.
  if (payload.destroyed) reject(payload.errored ?? new Error('the sender is gone'))
  payload.on('data', onPiece).once('end', resolve).once('error', reject)
  output
    .on('drain', () => payload.resume())
    .on('error', (cause) => reject(new ApiError('service_unavailable', { cause })))
  try {
    await promise
    if (size === 0) throw new ApiError('invalid_image', { message: EMPTY })
    output.end()
    await finished(output).catch(unavailable)
    return digest.digest('hex')
  } finally {
    clearInterval(looking)
    payload.off('data', onPiece).off('end', resolve).off('error', reject)
    output.destroy()
    // A file that is still being opened would come back after it was removed.
    if (!output.closed) await new Promise<void>((closed) => output.once('close', () => closed()))
  }
}

export const EMPTY = 'The body is empty: send the bytes of a picture.'
const TOO_SMALL = 'The picture comes in too many small pieces.'

function tooLarge(message = `The picture is larger than ${MOST_BYTES} bytes. Send a smaller one.`): ApiError {
  return new ApiError('payload_too_large', { message, headers: { connection: 'close' } })
}

function tooSlow(): ApiError {
  const message =
    'The picture came too slowly: send at least 10 KB a second, and all of it within 300 seconds.'
  return new ApiError('request_timeout', { message, headers: { connection: 'close' } })
}
