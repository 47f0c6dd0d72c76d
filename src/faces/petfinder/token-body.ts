import { ApiError } from '../../errors.ts'
import { collectBody } from '../../http/collect-body.ts'
import type { ReadBody } from '../../http/face.ts'
import { readForm } from '../../http/form-body.ts'
import { parseJson } from '../../http/json-body.ts'
import { readUpload, type Upload } from '../../http/upload-body.ts'

/** More than any request for a token has. */
const MOST_BYTES = 8_192

const readFields = readForm(MOST_BYTES)
/** As small as other forms are, they need not take turns. */
const readParts = readUpload(MOST_BYTES, { atOnce: Number.POSITIVE_INFINITY, beside: 0 })

/** The three fields as a form, as JSON, or as the parts of a form of a browser: all are the same after. */
export const readTokenBody: ReadBody = (request, payload, done) => {
  const { headers } = request
  const type = headers['content-type'] ?? ''
  if (/^multipart\//i.test(type))
    return readParts(request, payload, (error, body) => done(error, (body as Upload | undefined)?.fields))
  if (!/^application\/json\b/i.test(type)) return readFields(request, payload, done)
  collectBody(payload, Number(headers['content-length']), MOST_BYTES, (error, bytes) => {
    if (error) return done(error)
    try {
      done(null, toFields(parseJson(bytes)))
    } catch (thrown) {
      done(thrown as Error)
    }
  })
}

function toFields(body: unknown): URLSearchParams {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError('invalid_json', { message: 'The body is a JSON object with grant_type.' })
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(body)) if (typeof value === 'string') fields.set(name, value)
  return fields
}
