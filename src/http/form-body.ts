import { hash } from 'node:crypto'
import { ApiError } from '../errors.ts'
import { collectBody } from './collect-body.ts'
import type { ReadBody } from './face.ts'

/** A submitted HTML form: the values of each field, in order. */
export type FormBody = URLSearchParams

/** Spaces without width, which people paste unknowingly. Marks that join letters stay. */
const WITHOUT_WIDTH = /[\u00ad\u200b\u2060\ufeff]/g

/**
 * Normalizes line breaks, which browsers send as CR LF, removes spaces without width, and trims the text.
 */
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
 *
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
