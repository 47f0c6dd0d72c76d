import { Busboy } from '@fastify/busboy'
import { ApiError } from '../errors.ts'
import { collectBody } from './collect-body.ts'
import type { ReadBody } from './face.ts'

/** What a form with one file sent. */
export interface Upload {
  /** Absent where none was chosen. */
  file?: { name: string; bytes: Buffer }
  fields: URLSearchParams
}

const [MAX_FIELDS, MAX_FIELD_BYTES, MAX_NAME] = [32, 1_024, 200]
/** For what stands beside the file. */
const MAX_BESIDE = 65_536
/** So many are read at once: each is held whole. */
const MAX_CONCURRENCY = 4

/** Reads a form with one file (RFC 7578). @param mostBytes of a larger file nothing is taken */
export function readUpload(
  mostBytes: number,
  most = { atOnce: MAX_CONCURRENCY, beside: MAX_BESIDE },
): ReadBody {
  let underWay = 0
  return (request, payload, done) => {
    const { headers } = request
    const type = headers['content-type'] ?? ''
    if (!/^multipart\/form-data\b/i.test(type)) {
      payload.resume()
      return done(
        new ApiError('unsupported_media_type', { message: 'Send the form as multipart/form-data.' }),
      )
    }
    if (underWay >= most.atOnce) {
      payload.resume()
      return done(new ApiError('service_unavailable', { headers: { connection: 'close' } }))
    }
    underWay += 1
    collectBody(payload, Number(headers['content-length']), mostBytes + most.beside, (error, bytes) => {
      underWay -= 1
      if (error) return done(error)
      parse(type, bytes, mostBytes).then((upload) => done(null, upload), done)
    })
  }
}

function parse(type: string, bytes: Buffer, mostBytes: number): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const upload: Upload = { fields: new URLSearchParams() }
    const broken = (cause?: unknown): void =>
      reject(new ApiError('bad_request', { message: 'The form is broken. Send it again.', cause }))
    try {
      const limits = { files: 1, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, fileSize: mostBytes }
      const parser = new Busboy({ headers: { 'content-type': type }, limits })
      parser.on('field', (name, value) => upload.fields.append(name, value))
      parser.on('file', (_field, part, name) => {
        const pieces: Buffer[] = []
        part.on('data', (piece: Buffer) => pieces.push(piece))
        part.on('limit', () => reject(new ApiError('payload_too_large')))
        part.on('end', () => {
          if (name) upload.file = { name: plainName(name), bytes: Buffer.concat(pieces) }
        })
      })
      parser.on('filesLimit', () => broken())
      parser.on('error', broken)
      parser.on('finish', () => resolve(upload))
      parser.end(bytes)
    } catch (cause) {
      broken(cause)
    }
  })
}

/** Without what no store keeps: PostgreSQL takes no NUL, and half a surrogate pair is no text. */
function plainName(name: string): string {
  return name
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, MAX_NAME)
    .replaceAll(/\p{Cs}/gu, '')
}
