import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, limitDetails, Overload, reasonOf } from '../errors.ts'
import { NO_STORE, NOSNIFF } from './cache-headers.ts'
import type { Face } from './face.ts'

/** Framework errors that the client caused. All others are internal errors. */
const FRAMEWORK_ERRORS: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('payload_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new ApiError('unsupported_media_type'),
  FST_ERR_CTP_EMPTY_TYPE: () => new ApiError('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new ApiError('bad_request'),
  FST_ERR_BAD_URL: () =>
    new ApiError('bad_request', { message: 'The percent-encoding of the address is not valid.' }),
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError('uri_too_long'),
  FST_ERR_NOT_FOUND: () => new ApiError('bad_request', { message: 'This is not an HTTP method.' }),
  ERR_STREAM_PREMATURE_CLOSE: () => new ApiError('bad_request'),
  ECONNRESET: () => new ApiError('bad_request'),
}

/**
 * SQLite result codes for a file or disk that is busy, missing, full, damaged or read-only, and for lack of
 * memory. These failures are temporary, or an operator can fix them.
 */
const STORE_FAILURES = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26])

/** Converts any thrown value to the error for the client. No other code does this. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { code = '', errcode } = error as { code?: string; errcode?: number }
  if (errcode !== undefined && STORE_FAILURES.has(errcode & 0xff)) {
    return new ApiError('service_unavailable', { cause: error })
  }
  return FRAMEWORK_ERRORS[code]?.() ?? new ApiError('internal_error', { cause: error })
}

/** Seconds after which a client may retry a 503. */
const RETRY_AFTER_SECONDS = '1'

export function errorHeaders({ status, headers }: ApiError): Record<string, string> {
  const common = { ...NOSNIFF, ...NO_STORE }
  return status === 503
    ? { ...common, 'retry-after': RETRY_AFTER_SECONDS, ...headers }
    : { ...common, ...headers }
}

/**
 * Logs errors that an operator must see, with their cause, which clients never see. The log has only one
 * sentence for a 503 (with SQLite's result code), because every request during an outage causes a 503.
 */
export function logFailure(logger: FastifyBaseLogger, reqId: string, error: ApiError): void {
  if (error.status === 503) {
    const { errcode } = (error.cause ?? {}) as { errcode?: number }
    const level = error.cause instanceof Overload ? 'warn' : 'error'
    logger[level]({ reqId, reason: reasonOf(error), errcode }, error.code)
  } else if (error.status >= 500) logger.error({ reqId, err: error.cause ?? error }, error.code)
}

const RESPONSE_HEADERS = ['etag', 'last-modified', 'link', 'content-encoding', 'content-length', 'location']

export function sendError(face: Face, thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = limitDetails(toApiError(thrown))
  logFailure(request.log, request.id, error)
  const { type, body, headers = {} } = face.writeError(error, request.headers)
  // Removes headers that describe the failed response, because one of them may have caused the error.
  if (error.status === 500) for (const name of RESPONSE_HEADERS) reply.removeHeader(name)
  reply.header('x-request-id', request.id).headers({ ...headers, ...errorHeaders(error) })
  // Fastify adds a charset to text, and application/problem+json has none (RFC 9457).
  reply
    .code(error.status)
    .type(type)
    .send(type.includes('charset') ? body : Buffer.from(body))
}

export const JSON_TYPE = 'application/json; charset=utf-8'
