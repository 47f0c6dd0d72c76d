import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ApiError } from '../errors.ts'
import { MAX_PHOTOS } from './schema.ts'
import type { PhotoStore } from './storage/store.ts'
import {
  MAX_BYTES,
  type Received,
  receivePicture,
  requirePhotoType,
  type Sender,
  tooLarge,
  tooSlow,
  watchPace,
} from './upload.ts'

/** A picture of a form, or why it is none. */
export type FormPhoto = { received: Received } | { error: ApiError }

/** For the headers and fields around the pictures. */
const MAX_BETWEEN = 65_536
const MAX_FORM_BYTES = MAX_PHOTOS * MAX_BYTES + MAX_BETWEEN
/** Twenty photos take long over a slow network. */
const MAX_FORM_MS = 1_800_000

/**
 * Reads the pictures that a form of a page sends (RFC 7578), each into a file of its own. What is wrong with
 * one keeps no other out.
 *
 * @throws {ApiError} unsupported_media_type, payload_too_large, request_timeout, bad_request; nothing is then
 *   left of any
 */
export async function receiveForm(
  { raw, headers }: Sender,
  payload: Readable,
  store: PhotoStore,
): Promise<FormPhoto[]> {
  if (!/^multipart\/form-data\b/i.test(headers['content-type'] ?? ''))
    throw new ApiError('unsupported_media_type', { message: 'Send photos as multipart/form-data.' })
  if (Number(headers['content-length']) > MAX_FORM_BYTES) throw tooMuch()
  raw.atItsOwnPace = true
  const parts: Readable[] = []
  const pictures: Promise<FormPhoto>[] = []
  try {
    await parse(headers, payload, (part, type) => {
      parts.push(part.on('error', () => undefined))
      pictures.push(receivePart(part, type, store))
    })
    return await Promise.all(pictures)
  } catch (error) {
    // Of what broke off nothing more comes.
    for (const part of parts) part.destroy(error as Error)
    await removeAll(await Promise.all(pictures))
    throw error
  }
}

export async function removeAll(photos: FormPhoto[]): Promise<void> {
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

const TOO_SLOW = 'The photos came too slowly: send at least 10 KB a second.'

/** Takes the form apart as it comes. */
async function parse(
  headers: Sender['headers'],
  payload: Readable,
  onPicture: (part: Readable, type: string) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const parser = openParser(headers)
  let size = 0
  const stopWatching = watchPace(
    MAX_FORM_MS,
    () => size,
    () => reject(tooSlow(TOO_SLOW)),
  )
  function onChunk({ length }: Buffer): void {
    size += length
    if (size > MAX_FORM_BYTES) reject(tooMuch())
  }
  parser.on('file', (_field, part, name, _coding, type) => {
    // Of a field in which nobody chose anything.
    if (name) onPicture(part, type)
    else part.resume()
  })
  parser.on('filesLimit', () => reject(new ApiError('too_many_photos')))
  parser.on('partsLimit', () => reject(tooMuch()))
  parser.on('error', (cause) => reject(malformed(cause)))
  parser.on('finish', resolve)
  payload.on('data', onChunk).once('error', reject).pipe(parser)
  try {
    await promise
  } finally {
    stopWatching()
    payload.off('data', onChunk).unpipe(parser).resume()
    // Whatever part is still open ends here.
    parser.destroy()
  }
}

function openParser(headers: Sender['headers']): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': String(headers['content-type']) },
      limits: {
        ...{ files: MAX_PHOTOS, fields: 8, parts: MAX_PHOTOS + 8, fieldSize: 1_024 },
        ...{ fieldNameSize: 100, headerPairs: 16, headerSize: 4_096 },
      },
    })
  } catch (cause) {
    throw malformed(cause)
  }
}

function malformed(cause: unknown): ApiError {
  return new ApiError('bad_request', { message: 'The form is broken. Send it again.', cause })
}

function tooMuch(): ApiError {
  return tooLarge(`Send at most ${MAX_PHOTOS} photos of ${MAX_BYTES} bytes at once.`)
}
