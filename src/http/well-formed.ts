import type { FastifyReply, FastifyRequest, RawRequestDefaultExpression } from 'fastify'
import { ApiError } from '../errors.ts'

const MAX_URL_CHARACTERS = 8_192

/** Hook: checks those requirements of HTTP that Node does not check. */
export function checkWellFormed(
  { raw }: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const message = findRequestFault(raw)
  if (raw.url !== undefined && raw.url.length > MAX_URL_CHARACTERS) done(new ApiError('uri_too_long'))
  else if (message === undefined) done()
  else done(new ApiError('bad_request', { message, headers: { connection: 'close' } }))
}

/** The characters of a host and port (RFC 3986, section 3.2), without the comma that joins two headers. */
export const HOST = /^[\w.~!$&'()*+;=%:[\]-]*$/

/** @returns the error message for the client; undefined for a valid request */
export function findRequestFault({ httpVersion, headers }: RawRequestDefaultExpression): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return 'This HTTP version is not supported. Use HTTP/1.1 or HTTP/1.0.'
  // RFC 9112, section 3.2.
  if (headers.host === undefined ? httpVersion === '1.1' : !HOST.test(headers.host)) {
    return 'Send exactly one Host header, with a valid host.'
  }
  // An intermediary may have computed another length of the body (RFC 9112, section 6.1).
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    return 'This Transfer-Encoding is not supported. Use chunked, with HTTP/1.1.'
  }
}
