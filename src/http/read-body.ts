import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { parseJson } from './json-body.ts'

const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const PARAMETER = `(?:charset=(?:utf-8|"utf-8")|(?!charset=)${TOKEN}=(?:${TOKEN}|"[^"\\\\]*"))`

/** application/json, with any parameters, of which a charset must say UTF-8 (RFC 8259, section 8.1). */
const JSON_MEDIA_TYPE = new RegExp(`^application/json[ \\t]*(?:;[ \\t]*(?:${PARAMETER}[ \\t]*)?)*$`, 'i')

/** Parser of every body, whatever it claims to be. */
export function readBody(
  request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  const type = request.headers['content-type'] ?? ''
  const coding = request.headers['content-encoding'] ?? 'identity'
  try {
    if (!JSON_MEDIA_TYPE.test(type) || coding.toLowerCase() !== 'identity') {
      throw new ApiError('unsupported_media_type')
    }
    done(null, parseJson(body))
  } catch (error) {
    done(error as Error)
  }
}
