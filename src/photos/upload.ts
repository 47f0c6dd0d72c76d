import { createHash } from 'node:crypto'
import { on } from 'node:events'
import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { findStoredResult } from '../db/once.ts'
import { ApiError, isRefusal } from '../errors.ts'
import { actorOf, type Caller } from '../http/caller.ts'
import type { ReadBody } from '../http/face.ts'
import type { IdempotencyKey } from '../http/idempotency.ts'
import { MAX_SMALL_CHUNKS, MIN_CHUNK_BYTES } from '../http/json-body.ts'
import { partyOf } from '../limits/shares.ts'
import { isClientGone, renderNewPhoto, throwUnavailable } from './files.ts'
import { newWorkFile } from './storage/folder.ts'
import { ALL_RENDITIONS, FIRST_RENDITIONS, fileName, type PhotoStore } from './storage/photo-files.ts'
import { type AddPhotoResult, findByDigest, listToChange, type Owner, requireRoom } from './store.ts'

// An upload in four steps: receive the bytes into a file, check whether the photo is new, make its
// renditions, and store it with the change `addPhoto`.

// 1. Receive

/** The accepted types. The renderer checks whether the bytes match. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif']

export const MAX_PHOTO_BYTES = 15_000_000

/** A photo may take longer than other bodies over a slow network, but it must arrive at this speed. */
const MIN_BYTES_PER_SECOND = 10_000
const [GRACE_MS, MAX_MS] = [10_000, 300_000]
const CHECK_MS = 1_000

/** An uploaded picture in a work file. */
export interface ReceivedPhoto {
  file: string
  /** SHA-256 of the bytes, in hexadecimal. */
  digest: string
}

/** The request that sends a body. */
export type UploadRequest = Pick<FastifyRequest, 'raw' | 'headers'>

/**
 * Makes the body reader of routes that receive photos.
 * @param check refuses a request before its body is read, so a client without permission need not send 15 MB
 * @param receive reads the body
 */
export function uploadReader<Result>(
  { photos, shares }: Context,
  check: (request: FastifyRequest) => Promise<unknown>,
  receive: (request: FastifyRequest, payload: Readable, store: PhotoStore) => Promise<Result>,
): ReadBody {
  async function read(request: FastifyRequest, payload: Readable): Promise<Result> {
    await check(request)
    photos.renderer.warm()
    using _slot = shares.photoUploads.take(partyOf(request))
    return await receive(request, payload, photos.store)
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
  [/^image\/svg/, 'SVG is not supported. Export the picture as PNG.'],
  [/^(image\/tiff|application\/pdf)/, 'Export the picture as JPEG.'],
  [/^multipart\//, 'Send only the bytes of the picture as the body, not a form.'],
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
 * Receives a picture into a work file, which the caller removes. Keeps only chunks in memory that are not on
 * the disk yet.
 * @throws {ApiError} payload_too_large, request_timeout, invalid_image for an empty body,
 * service_unavailable; the work file is then removed
 */
export function receivePhoto(
  { raw, headers }: UploadRequest,
  payload: Readable,
  store: PhotoStore,
): Promise<ReceivedPhoto> {
  if (Number(headers['content-length']) > MAX_PHOTO_BYTES) return Promise.reject(tooLarge())
  raw.hasOwnTimeLimit = true
  return receivePicture(payload, store)
}

/** Like `receivePhoto`, for a picture that is a part of a body. @throws {ApiError} as `receivePhoto` */
export async function receivePicture(payload: Readable, store: PhotoStore): Promise<ReceivedPhoto> {
  const file = await newWorkFile(store).catch(throwUnavailable)
  try {
    return { file, digest: await write(payload, file) }
  } catch (error) {
    payload.on('error', () => undefined).resume()
    await rm(file, { force: true })
    throw error
  }
}

/** @returns the SHA-256 of the bytes, in hexadecimal */
async function write(payload: Readable, file: string): Promise<string> {
  const digest = createHash('sha256')
  const output = await open(file, 'w', 0o600).catch(throwUnavailable)
  const slow = new AbortController()
  let [size, chunks] = [0, 0]
  const stopWatching = watchPace(
    MAX_MS,
    () => size,
    () => slow.abort(tooSlow(TOO_SLOW)),
  )
  try {
    // The client may have disconnected while the file was opened.
    if (payload.destroyed) throw payload.errored ?? new Error('the client has disconnected')
    // Pauses the body while the disk is slower. An iterator of the stream itself would close the connection
    // after an error, and the client could not read the answer.
    const arriving = on(payload, 'data', { signal: slow.signal, close: ['end'], highWaterMark: 1 })
    for await (const [chunk] of arriving as AsyncIterable<[Buffer]>) {
      size += chunk.length
      chunks += 1
      if (size > MAX_PHOTO_BYTES) throw tooLarge()
      if (chunks > MAX_SMALL_CHUNKS && size < chunks * MIN_CHUNK_BYTES) throw tooLarge(CHUNKS_TOO_SMALL)
      digest.update(chunk)
      await output.writeFile(chunk).catch(throwUnavailable)
    }
    if (size === 0) throw emptyBody()
    return digest.digest('hex')
  } catch (error) {
    throw slow.signal.reason ?? error
  } finally {
    stopWatching()
    await output.close()
  }
}

/**
 * Calls `onSlow` when a body arrives too slowly or takes longer than `maxMs`.
 * @returns a function that stops watching
 */
export function watchPace(maxMs: number, receivedBytes: () => number, onSlow: () => void): () => void {
  const startedAt = performance.now()
  const interval = setInterval(() => {
    const ms = performance.now() - startedAt
    const isSlow = ms > GRACE_MS && receivedBytes() < (ms / 1_000) * MIN_BYTES_PER_SECOND
    if (isSlow || ms > maxMs) onSlow()
  }, CHECK_MS)
  return () => clearInterval(interval)
}

const CHUNKS_TOO_SMALL = 'The picture arrives in too many small chunks. Send larger ones.'
const TOO_SLOW =
  'The picture arrived too slowly. Send at least 10 KB per second, and all of it within 300 seconds.'

export function emptyBody(): ApiError {
  return new ApiError('invalid_image', { message: 'The body is empty. Send the bytes of a picture.' })
}

export function tooLarge(
  message = `The picture is larger than ${MAX_PHOTO_BYTES} bytes. Send a smaller one.`,
): ApiError {
  return new ApiError('payload_too_large', { message, headers: { connection: 'close' } })
}

export function tooSlow(message: string): ApiError {
  return new ApiError('request_timeout', { message, headers: { connection: 'close' } })
}

/** A received photo, and the client that adds it. */
interface Upload extends Pick<FastifyRequest, 'raw' | 'ip'> {
  caller: Caller
  /** Absent without an Idempotency-Key. */
  key?: IdempotencyKey | undefined
  received: ReceivedPhoto
  alt?: string | undefined
}

/**
 * Adds a received photo to an animal or organization.
 * @returns the new photo, or the existing one from the same bytes
 * @throws {ApiError} invalid_image, service_unavailable, idempotency_key_reused; also as `addPhoto`
 */
export async function upload(context: Context, sent: Upload, owner: Owner): Promise<AddPhotoResult> {
  const { config, db, photos, clock, writeOnce } = context
  const { caller, raw, key, alt } = sent
  const { file, digest } = sent.received

  // 2. Check before the renditions, because making them takes seconds.
  const replayed = key && (await findStoredResult<AddPhotoResult>(db, { ...key, now: clock() }))
  if (replayed) {
    key.onReplay?.()
    return replayed.result
  }
  const before = await listToChange(db, owner, actorOf(caller))
  const existing = await findByDigest(db, owner, before, digest)
  if (existing) {
    const found = { photo: existing, isNew: false }
    return key ? writeOnce(key, changes.recordExistingPhoto, found) : found
  }
  requireRoom(before)

  // 3. Render. A web server that serves the files needs all renditions. Otherwise some renditions are made
  // later.
  const renditions = config.photosPublicUrl ? ALL_RENDITIONS : FIRST_RENDITIONS
  const client = { party: partyOf(sent), isUpload: true, isGone: () => isClientGone(raw) }
  const rendered = await renderNewPhoto(photos, file, renditions, client)

  // 4. Store. The change checks the photos again, because other requests may have changed them.
  const removeFiles = (): Promise<void> =>
    // The daily job removes files that cannot be removed now.
    photos.store
      .remove(renditions.map((rendition) => fileName(rendered.hash, rendition)))
      .catch(() => undefined)
  try {
    const photo = { digest, ...rendered, ...(alt !== undefined && { alt }) }
    const added = await writeOnce(key, changes.addPhoto, owner, photo, actorOf(caller), clock())
    if (added.photo.hash !== rendered.hash) await removeFiles()
    return added
  } catch (error) {
    // After any other error the photo may have been stored, so its files stay.
    if (isRefusal(error)) await removeFiles()
    throw error
  }
}
