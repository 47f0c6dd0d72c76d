import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ApiError } from '../errors.ts'
import { MAX_PHOTOS } from './schema.ts'
import type { PhotoStore } from './storage/photo-files.ts'
import {
  MAX_PHOTO_BYTES,
  type ReceivedPhoto,
  receivePicture,
  requirePhotoType,
  tooLarge,
  tooSlow,
  type UploadRequest,
  watchPace,
} from './upload.ts'

/** A received picture of a form, or the reason why it was refused. */
export type FormPhoto = { received: ReceivedPhoto } | { error: ApiError }

/** A received form. */
export interface PhotoForm {
  photos: FormPhoto[]
  fields: URLSearchParams
}

/** Maximum size of the headers and fields around the pictures, in bytes. */
const MAX_OVERHEAD_BYTES = 262_144
const MAX_FIELDS = 100
const MAX_FORM_BYTES = MAX_PHOTOS * MAX_PHOTO_BYTES + MAX_OVERHEAD_BYTES
/** Timeout for a form, because twenty photos take long over a slow network. */
const MAX_FORM_MS = 1_800_000

/**
 * Receives an HTML form with pictures (RFC 7578), each picture into its own file. A refused picture does not
 * affect the other pictures.
 * @throws {ApiError} unsupported_media_type, payload_too_large, request_timeout, bad_request; the work files
 * are then removed
 */
export async function receivePhotoForm(
  { raw, headers }: UploadRequest,
  payload: Readable,
  store: PhotoStore,
): Promise<PhotoForm> {
  if (!/^multipart\/form-data\b/i.test(headers['content-type'] ?? ''))
    throw new ApiError('unsupported_media_type', { message: 'Send photos as multipart/form-data.' })
  if (Number(headers['content-length']) > MAX_FORM_BYTES) throw formTooLarge()
  raw.hasOwnTimeLimit = true
  const parts: Readable[] = []
  const pictures: Promise<FormPhoto>[] = []
  const fields = new URLSearchParams()
  try {
    await parse(headers, payload, fields, (part, type) => {
      parts.push(part.on('error', () => undefined))
      pictures.push(receivePart(part, type, store))
    })
    return { photos: await Promise.all(pictures), fields }
  } catch (error) {
    // The form ended early, so open parts get no more bytes.
    for (const part of parts) part.destroy(error as Error)
    await removeReceivedFiles(await Promise.all(pictures))
    throw error
  }
}

export async function removeReceivedFiles(photos: FormPhoto[]): Promise<void> {
  for (const photo of photos) if ('received' in photo) await rm(photo.received.file, { force: true })
}

async function receivePart(part: Readable, type: string, store: PhotoStore): Promise<FormPhoto> {
  try {
    requirePhotoType({ headers: { 'content-type': type } })
    return { received: await receivePicture(part, store) }
  } catch (error) {
    part.resume()
    if (error instanceof ApiError) return { error }
    return { error: new ApiError('bad_request', { cause: error }) }
  }
}

const TOO_SLOW = 'The photos arrived too slowly. Send at least 10 KB per second.'

/** Parses the form while it arrives, and adds its texts to `fields`. */
async function parse(
  headers: UploadRequest['headers'],
  payload: Readable,
  fields: URLSearchParams,
  onPicture: (part: Readable, type: string) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const parser = openParser(headers)
  let size = 0
  let fieldBytes = 0
  const stopWatching = watchPace(
    MAX_FORM_MS,
    () => size,
    () => reject(tooSlow(TOO_SLOW)),
  )
  function onChunk({ length }: Buffer): void {
    size += length
    if (size > MAX_FORM_BYTES) reject(formTooLarge())
  }
  parser.on('file', (_field, part, name, _coding, type) => {
    // The parser also reports a form that ends within a file.
    part.on('error', () => undefined)
    // A file field without a chosen file has no name.
    if (name) onPicture(part, type)
    else part.resume()
  })
  parser.on('field', (name, value) => {
    fieldBytes += name.length + Buffer.byteLength(value)
    if (fieldBytes > MAX_OVERHEAD_BYTES) reject(formTooLarge())
    else fields.append(name, value)
  })
  parser.on('filesLimit', () => reject(new ApiError('too_many_photos')))
  parser.on('fieldsLimit', () => reject(formTooLarge()))
  parser.on('partsLimit', () => reject(formTooLarge()))
  parser.on('error', (cause) => reject(malformed(cause)))
  parser.on('finish', resolve)
  payload.on('data', onChunk).once('error', reject).pipe(parser)
  try {
    await promise
  } finally {
    stopWatching()
    payload.off('data', onChunk).unpipe(parser).resume()
    // Ends a part that is still open.
    parser.destroy()
  }
}

function openParser(headers: UploadRequest['headers']): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': String(headers['content-type']) },
      limits: {
        ...{ files: MAX_PHOTOS, fields: MAX_FIELDS, parts: MAX_PHOTOS + MAX_FIELDS },
        // A longer field counts as too large.
        fieldSize: MAX_OVERHEAD_BYTES + 1,
        ...{ fieldNameSize: 100, headerPairs: 16, headerSize: 4_096 },
      },
    })
  } catch (cause) {
    throw malformed(cause)
  }
}

function malformed(cause: unknown): ApiError {
  return new ApiError('bad_request', { message: 'The form is damaged. Send it again.', cause })
}

function formTooLarge(): ApiError {
  return tooLarge(
    `The photos are too large. Send at most ${MAX_PHOTOS} photos of ${MAX_PHOTO_BYTES} bytes each.`,
  )
}
