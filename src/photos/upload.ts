import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { findResult } from '../db/once.ts'
import { ApiError, Overload } from '../errors.ts'
import { actorOf, type Caller } from '../http/caller.ts'
import type { ReadBody } from '../http/face.ts'
import type { OnceKey } from '../http/idempotency.ts'
import { isGone, keepNew, unavailable } from './files.ts'
import { workFile } from './storage/folder.ts'
import { ALL_RENDITIONS, FIRST_RENDITIONS, fileName } from './storage/renditions.ts'
import type { PhotoStore } from './storage/store.ts'
import { type Added, findSame, list, type Owner, requireRoom } from './store.ts'

// How a photo gets in: its bytes are received into a file, the store is asked whether it is a new photo, its
// renditions are made, and the change `addPhoto` stores it.

// 1. Receive

/** What may be sent. What the bytes really are, the renderer finds out. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif']

export const MAX_BYTES = 15_000_000
/** Of a process, at the same time: each takes a connection, a file and up to 15 MB of disk. */
const MAX_UPLOADS = 64
/** After this many chunks, chunks must hold some bytes: one of a byte costs the same as one of thousands. */
const MAX_SMALL_CHUNKS = 2_048
const MIN_CHUNK_BYTES = 16

/** A photo may take longer than other bodies over a slow network, but it has to keep coming. */
const MIN_BYTES_A_SECOND = 10_000
const [FIRST_MS, MAX_MS] = [10_000, 300_000]
const CHECK_MS = 1_000

/** A picture as it was sent, in a file of its own. */
export interface Received {
  file: string
  /** SHA-256 of it, in hexadecimal. */
  digest: string
}

/** Who sends a body. */
export type Sender = Pick<FastifyRequest, 'raw' | 'headers'>

/**
 * The reader of bodies for routes that take photos.
 *
 * @param check refuses a request before its body is read: a client that may not add photos sends no 15 MB
 * @param receive reads what one client sends
 */
export function uploadReader<Result>(
  { photos }: Context,
  check: (request: FastifyRequest) => Promise<unknown>,
  receive: (request: FastifyRequest, payload: Readable, store: PhotoStore) => Promise<Result>,
): ReadBody {
  let underWay = 0
  async function read(request: FastifyRequest, payload: Readable): Promise<Result> {
    await check(request)
    photos.renderer.warm()
    if (underWay >= MAX_UPLOADS) {
      const cause = new Overload(`${MAX_UPLOADS} photos are under way already`)
      // The connection closes: nothing waits for the rest of this body.
      throw new ApiError('service_unavailable', { cause, headers: { connection: 'close' } })
    }
    underWay += 1
    try {
      return await receive(request, payload, photos.store)
    } finally {
      underWay -= 1
    }
  }
  return (request, payload, done) => {
    read(request, payload).then(
      (received) => done(null, received),
      (error) => {
        payload.resume()
        done(error)
      },
    )
  }
}

const ADVICE: [RegExp, string][] = [
  [/^image\/hei[cf]/, 'Send a JPEG. On an iPhone, choose Settings, Camera, Formats, Most Compatible.'],
  [/^image\/svg/, 'A drawing is no photo: export it as PNG.'],
  [/^(image\/tiff|application\/pdf)/, 'Export it as JPEG.'],
  [/^multipart\//, 'Send the bytes of the picture alone as the body, not a form.'],
]

/** @throws {ApiError} unsupported_media_type */
export function requirePhotoType({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const type = (headers['content-type'] ?? '').toLowerCase()
  const coding = headers['content-encoding'] ?? 'identity'
  if (PHOTO_TYPES.includes(type.split(';', 1)[0]?.trimEnd() ?? '') && coding.toLowerCase() === 'identity')
    return
  const [, advice = ''] = ADVICE.find(([kind]) => kind.test(type)) ?? []
  const message = `Send the bytes of a picture, without a content coding, as ${PHOTO_TYPES.join(', ')}. ${advice}`
  throw new ApiError('unsupported_media_type', { message: message.trim() })
}

/**
 * Reads a picture into a file, at the pace of its sender: only bytes on their way to the disk take memory.
 *
 * @throws {ApiError} payload_too_large, request_timeout, service_unavailable; nothing is then left of it
 */
export function receive({ raw, headers }: Sender, payload: Readable, store: PhotoStore): Promise<Received> {
  if (Number(headers['content-length']) > MAX_BYTES) return Promise.reject(tooLarge())
  raw.atItsOwnPace = true
  return receivePicture(payload, store)
}

/** As `receive`, for a picture that is a part of a body. @throws {ApiError} as `receive` */
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
  let [size, chunks] = [0, 0]

  function onChunk(chunk: Buffer): void {
    size += chunk.length
    chunks += 1
    const isTiny = chunks > MAX_SMALL_CHUNKS && size < chunks * MIN_CHUNK_BYTES
    if (size > MAX_BYTES || isTiny) {
      reject(isTiny ? tooLarge(TOO_SMALL) : tooLarge())
      return
    }
    digest.update(chunk)
    if (!output.write(chunk)) payload.pause()
  }
  const stopWatching = watchPace(
    MAX_MS,
    () => size,
    () => reject(tooSlow(TOO_SLOW)),
  )
  // The sender may have gone while the file got its name.
  if (payload.destroyed) reject(payload.errored ?? new Error('the sender is gone'))
  payload.on('data', onChunk).once('end', resolve).once('error', reject)
  output
    .on('drain', () => payload.resume())
    .on('error', (cause) => reject(new ApiError('service_unavailable', { cause })))
  try {
    await promise
    if (size === 0) throw emptyBody()
    output.end()
    await finished(output).catch(unavailable)
    return digest.digest('hex')
  } finally {
    stopWatching()
    payload.off('data', onChunk).off('end', resolve).off('error', reject)
    output.destroy()
    // A file that is still being opened would come back after it was removed.
    if (!output.closed) await new Promise<void>((closed) => output.once('close', () => closed()))
  }
}

/**
 * Watches how fast a body comes, and calls `onSlow` when it comes too slowly or takes too long.
 *
 * @returns a function that ends the watch
 */
export function watchPace(maxMs: number, receivedBytes: () => number, onSlow: () => void): () => void {
  const began = performance.now()
  const interval = setInterval(() => {
    const ms = performance.now() - began
    const isSlow = ms > FIRST_MS && receivedBytes() < (ms / 1_000) * MIN_BYTES_A_SECOND
    if (isSlow || ms > maxMs) onSlow()
  }, CHECK_MS)
  return () => clearInterval(interval)
}

const TOO_SMALL = 'The picture comes in too many small pieces.'
const TOO_SLOW =
  'The picture came too slowly: send at least 10 KB a second, and all of it within 300 seconds.'

export function emptyBody(): ApiError {
  return new ApiError('invalid_image', { message: 'The body is empty: send the bytes of a picture.' })
}

export function tooLarge(
  message = `The picture is larger than ${MAX_BYTES} bytes. Send a smaller one.`,
): ApiError {
  return new ApiError('payload_too_large', { message, headers: { connection: 'close' } })
}

export function tooSlow(message: string): ApiError {
  return new ApiError('request_timeout', { message, headers: { connection: 'close' } })
}

/** A photo whose bytes were received, and who adds it. */
interface Upload extends Pick<FastifyRequest, 'raw'> {
  caller: Caller
  /** Absent without an Idempotency-Key. */
  key?: OnceKey | undefined
  received: Received
  alt?: string | undefined
}

/**
 * Adds a received photo to an animal or organization.
 *
 * @returns the new photo, or the one of the same bytes that is there already
 * @throws {ApiError} invalid_image, service_unavailable, idempotency_key_reused; also as `addPhoto`
 */
export async function upload(context: Context, upload: Upload, owner: Owner): Promise<Added> {
  const { config, db, photos, clock, writeOnce } = context
  const { caller, raw, key, alt } = upload
  const { file, digest } = upload.received

  // 2. Decide, before the renditions take seconds of a processor.
  const earlier = key && (await findResult<Added>(db, { ...key, now: clock() }))
  if (earlier) {
    key.onReplay?.()
    return earlier.result
  }
  const before = await list(db, owner)
  const same = await findSame(db, owner, before, digest)
  if (same) {
    const found = { photo: same, isNew: false }
    return key ? writeOnce(key, changes.keepFoundPhoto, found) : found
  }
  requireRoom(before)

  // 3. Render. A web server that serves the files itself needs all of them; else the others are made later.
  const renditions = config.photosPublicUrl ? ALL_RENDITIONS : FIRST_RENDITIONS
  const { organizationId, name } = caller
  // Keys of one organization share their turns.
  const turnOf = organizationId === undefined ? name : `organization:${organizationId}`
  const asking = { caller: turnOf, isUpload: true, isGone: () => isGone(raw) }
  const made = await keepNew(photos, file, renditions, asking)

  // 4. Store. The change decides again, now for good: others may have changed the photos meanwhile.
  const removeFiles = (): Promise<void> =>
    // The daily job removes what cannot be removed now.
    photos.store.remove(renditions.map((rendition) => fileName(made.hash, rendition))).catch(() => undefined)
  try {
    const photo = { digest, ...made, ...(alt !== undefined && { alt }) }
    const added = await writeOnce(key, changes.addPhoto, owner, photo, actorOf(caller), clock())
    if (added.photo.hash !== made.hash) await removeFiles()
    return added
  } catch (error) {
    // After another error it is unknown whether the store has the photo.
    if (error instanceof ApiError && error.status < 500) await removeFiles()
    throw error
  }
}
