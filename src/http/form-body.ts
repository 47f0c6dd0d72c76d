import { hash } from 'node:crypto'
import { ApiError } from '../errors.ts'
import { collectBody } from './collect-body.ts'
import type { ReadBody } from './face.ts'

/** What a form of a page sent: each field with its values, in their order. */
export type FormBody = URLSearchParams

/** What somebody typed, as texts are kept: browsers end each line with two characters. */
export const typedText = (text: string): string => text.replace(/\r\n?/g, '\n').trim()

/** What was typed into a field; empty also where there is none of that name. */
export const textIn = (form: FormBody, name: string): string => typedText(form.get(name) ?? '')

const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i

/** Reads the body of an HTML form (WHATWG URL, section 5). @param mostBytes of a larger one none is taken */
export function readForm(mostBytes: number): ReadBody {
  return (request, payload, done) => {
    const { headers } = request
    if (!FORM_TYPE.test(headers['content-type'] ?? '')) {
      const message = 'Send the form as application/x-www-form-urlencoded in UTF-8.'
      payload.resume()
      return done(new ApiError('unsupported_media_type', { message }))
    }
    collectBody(payload, Number(headers['content-length']), mostBytes, (error, bytes) => {
      if (error) return done(error)
      if (headers['idempotency-key'] !== undefined) request.fingerprint = hash('sha256', bytes)
      done(null, new URLSearchParams(bytes.toString()))
    })
  }
}
