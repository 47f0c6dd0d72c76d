import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import { collectBody } from '../../http/collect-body.ts'
import { parseJson } from '../../http/json-body.ts'

/** Maximum size of a body. Every object of the API is smaller. */
const MAX_BYTES = 65_536

const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const PARAMETER = `(?:charset=(?:utf-8|"utf-8")|(?!charset=)${TOKEN}=(?:${TOKEN}|"[^"\\\\]*"))`

/** JSON with any parameters. A charset must be UTF-8 (RFC 8259, section 8.1). */
const MEDIA_TYPE = new RegExp(
  `^(application/(?:merge-patch\\+)?json)[ \\t]*(?:;[ \\t]*(?:${PARAMETER}[ \\t]*)?)*$`,
  'i',
)

const JSON_WITH_PARAMETERS = /^application\/(?:merge-patch\+)?json[ \t]*;/i
/** Matches a charset such as utf8, which many libraries send. */
const OTHER_CHARSET = /\bcharset=(?!"?utf-8\b)/i

/** Media types of a PATCH (RFC 7396, RFC 5789). */
const PATCH_TYPES = ['application/merge-patch+json', 'application/json']

/**
 * Reads the body of every request.
 *
 * @throws {ApiError} unsupported_media_type, invalid_json, payload_too_large
 */
export function readBody(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: unknown) => void,
): void {
  collectBody(payload, Number(request.headers['content-length']), MAX_BYTES, (error, body) => {
    try {
      if (error) throw error
      done(null, parseBody(request, body))
    } catch (thrown) {
      done(thrown as Error)
    }
  })
}

function parseBody(request: FastifyRequest, body: Buffer): unknown {
  // The body of a DELETE has no meaning (RFC 9110, section 9.3.5). Many clients send a Content-Type without a
  // body.
  if (request.method === 'DELETE') return undefined
  const type = request.headers['content-type'] ?? ''
  const coding = request.headers['content-encoding'] ?? 'identity'
  const patch = request.method === 'PATCH'
  const name = MEDIA_TYPE.exec(type)?.[1]?.toLowerCase() ?? ''
  const accepted = patch ? PATCH_TYPES : ['application/json']
  if (!accepted.includes(name) || coding.toLowerCase() !== 'identity') {
    const headers: Record<string, string> = patch ? { 'accept-patch': PATCH_TYPES.join(', ') } : {}
    const charset = JSON_WITH_PARAMETERS.test(type) &&
      OTHER_CHARSET.test(type) && {
        message: 'JSON must be in UTF-8. Send charset=utf-8 or no charset.',
      }
    throw new ApiError('unsupported_media_type', { headers, ...charset })
  }
  if (request.headers['idempotency-key'] !== undefined) request.fingerprint = hash('sha256', body)
  return parseJson(body)
}
