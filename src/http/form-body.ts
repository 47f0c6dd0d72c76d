import { hash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Busboy } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { ReadBody } from './face.ts'
import { collectBody } from './json-body.ts'

/** A submitted HTML form: the values of each field, in order. */
export type FormBody = URLSearchParams

/** Spaces without width, which people paste unknowingly. Marks that join letters stay. */
const WITHOUT_WIDTH = /[\u00ad\u200b\u2060\ufeff]/g

/** Normalizes line breaks, which browsers send as CR LF, removes spaces without width, and trims the text. */
export const normalizeText = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(WITHOUT_WIDTH, '').trim()

/** The text of a field; empty when the form does not have it. */
export const readField = (form: FormBody, name: string): string => normalizeText(form.get(name) ?? '')

const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i

/** Maximum number of fields, which is more than any page has. Limits the cost of parsing. */
const MAX_FIELDS = 1_000
const TOO_MANY = { message: `This form has more than ${MAX_FIELDS} fields. Send fewer.` }

/**
 * Reads the body of an HTML form (WHATWG URL standard, section 5).
 * @param maxBytes a larger form is refused with `payload_too_large`
 */
export function readForm(maxBytes: number): ReadBody {
  return (request, payload, done) => {
    const { headers } = request
    if (!FORM_TYPE.test(headers['content-type'] ?? '')) {
      const message = 'Send the form as application/x-www-form-urlencoded in UTF-8.'
      payload.resume()
      return done(new ApiError('unsupported_media_type', { message }))
    }
    collectBody(payload, Number(headers['content-length']), maxBytes, (error, bytes) => {
      if (error) return done(error)
      if (headers['idempotency-key'] !== undefined) request.fingerprint = hash('sha256', bytes)
      const text = bytes.toString()
      if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS)
        return done(new ApiError('bad_request', TOO_MANY))
      done(null, new URLSearchParams(text))
    })
  }
}

/** A form with one file, as received. */
export interface Upload {
  /** Absent when the user chose no file. */
  file?: { name: string; bytes: Buffer }
  fields: URLSearchParams
}

const [MAX_UPLOAD_FIELDS, MAX_FIELD_BYTES, MAX_NAME] = [32, 1_024, 200]
const MAX_OTHER_BYTES = 65_536

interface UploadOptions {
  /** Acquires a slot before the form is received. To refuse the request, this function throws. */
  acquire?: (request: FastifyRequest) => Disposable
  /** The maximum number of bytes of the form, not counting the file. */
  otherBytes?: number
}

/**
 * Reads a form with one file (RFC 7578) into memory.
 * @param maxBytes a larger file is refused with `payload_too_large`
 */
export function readUpload(
  maxBytes: number,
  { acquire, otherBytes = MAX_OTHER_BYTES }: UploadOptions = {},
): ReadBody {
  return (request, payload, done) => {
    const { headers } = request
    const type = headers['content-type'] ?? ''
    if (!/^multipart\/form-data\b/i.test(type)) {
      payload.resume()
      return done(
        new ApiError('unsupported_media_type', { message: 'Send the form as multipart/form-data.' }),
      )
    }
    let slot: Disposable | undefined
    try {
      slot = acquire?.(request)
    } catch (error) {
      payload.resume()
      return done(error as Error)
    }
    collectBody(payload, Number(headers['content-length']), maxBytes + otherBytes, (error, bytes) => {
      slot?.[Symbol.dispose]()
      if (error) return done(error)
      parse(type, bytes, maxBytes).then((upload) => done(null, upload), done)
    })
  }
}

/** The parser yields to the event loop after this many bytes. */
const CHUNK_BYTES = 16_384

async function parse(type: string, bytes: Buffer, maxBytes: number): Promise<Upload> {
  const upload: Upload = { fields: new URLSearchParams() }
  try {
    const parser = new Busboy({ headers: { 'content-type': type }, limits: limitsFor(maxBytes) })
    const refuse = (error: Error): void => void parser.destroy(error)
    parser.on('field', (name, value) => upload.fields.append(name, value))
    parser.on('file', (_field, part, name) => {
      const chunks: Buffer[] = []
      part.on('data', (chunk: Buffer) => chunks.push(chunk))
      part.on('limit', () => refuse(new ApiError('payload_too_large')))
      // The form ended before the end of the file.
      part.on('error', refuse)
      part.on('end', () => {
        if (name) upload.file = { name: cleanName(name), bytes: Buffer.concat(chunks) }
      })
    })
    parser.on('filesLimit', () => refuse(new Error('more than one file')))
    parser.on('partsLimit', () => refuse(new Error('too many parts')))
    await pipeline(splitIntoChunks(bytes), parser)
    return upload
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw new ApiError('bad_request', { message: 'The form is malformed. Send it again.', cause })
  }
}

const limitsFor = (fileSize: number) => ({
  ...{
    files: 1,
    fields: MAX_UPLOAD_FIELDS,
    parts: MAX_UPLOAD_FIELDS + 1,
    fieldSize: MAX_FIELD_BYTES,
    fileSize,
  },
  ...{ fieldNameSize: 100, headerPairs: 16, headerSize: 4_096 },
})

async function* splitIntoChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    yield bytes.subarray(from, from + CHUNK_BYTES)
    await nextTurn()
  }
}

/** Removes characters that a database refuses: control characters such as NUL, and lone surrogates. */
function cleanName(name: string): string {
  return name
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, MAX_NAME)
    .replaceAll(/\p{Cs}/gu, '')
}
