import type { FastifyReply, FastifyRequest, RawRequestDefaultExpression } from 'fastify'
import { ApiError } from '../errors.ts'

const MAX_URL_CHARACTERS = 8_192

/** Hook: what HTTP asks of every request, and Node does not check itself. */
export function wellFormed(
  { raw }: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const message = faultOf(raw)
  if (raw.url !== undefined && raw.url.length > MAX_URL_CHARACTERS) done(new ApiError('uri_too_long'))
  else if (message === undefined) done()
  else done(new ApiError('bad_request', { message, headers: { connection: 'close' } }))
}

/** The characters of a host and port (RFC 3986, section 3.2), but not the comma that joins two headers. */
export const HOST = /^[\w.~!$&'()*+;=%:[\]-]*$/

/** @returns what is wrong, for the client; undefined when nothing is */
export function faultOf({ httpVersion, headers }: RawRequestDefaultExpression): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Here HTTP/1.1 is spoken, and HTTP/1.0.'
  // RFC 9112, section 3.2.
  if (headers.host === undefined ? httpVersion === '1.1' : !HOST.test(headers.host)) {
    return 'The request needs exactly one Host header, with a host in it.'
  }
  // RFC 9112, section 6.1: what an intermediary may have taken for another length of the body.
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    return 'The only transfer coding here is chunked, in HTTP/1.1.'
  }
}
