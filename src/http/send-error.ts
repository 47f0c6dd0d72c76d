import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, Overload, reasonOf } from '../errors.ts'
import { NO_STORE, NOSNIFF } from './cache-headers.ts'
import type { Face } from './face.ts'

/** What of a framework's own error is the client's doing. Everything unknown is ours. */
const FRAMEWORK_ERRORS: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('payload_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new ApiError('unsupported_media_type'),
  FST_ERR_CTP_EMPTY_TYPE: () => new ApiError('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new ApiError('bad_request'),
  FST_ERR_BAD_URL: () => new ApiError('bad_request', { message: 'The address has a bad percent-encoding.' }),
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError('uri_too_long'),
  FST_ERR_NOT_FOUND: () => new ApiError('bad_request', { message: 'This is no method of HTTP.' }),
  ERR_STREAM_PREMATURE_CLOSE: () => new ApiError('bad_request'),
  ECONNRESET: () => new ApiError('bad_request'),
}

/**
 * SQLite's results for a file or disk that is busy, gone, full, broken or read-only, and for too little
 * memory: they pass, or an operator mends them.
 */
const STORE_LOST = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26])

/** Whatever is thrown on the way, as the error that the client is told; the one mapper. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { code = '', errcode } = error as { code?: string; errcode?: number }
  if (errcode !== undefined && STORE_LOST.has(errcode & 0xff)) {
    return new ApiError('service_unavailable', { cause: error })
  }
  return FRAMEWORK_ERRORS[code]?.() ?? new ApiError('internal_error', { cause: error })
}

/** Seconds after which a client may try again when the service could not answer. */
const RETRY_AFTER_LOSS = '1'

export function errorHeaders({ status, headers }: ApiError): Record<string, string> {
  const common = { ...NOSNIFF, ...NO_STORE }
  return status === 503
    ? { ...common, 'retry-after': RETRY_AFTER_LOSS, ...headers }
    : { ...common, ...headers }
}

/**
 * What the operator has to see to is in the log with its cause; the client is told none of it. Of a lost part
 * that is a sentence, with SQLite's result if it is one, since every request that meets it has a line.
 */
export function logFailure(logger: FastifyBaseLogger, reqId: string, error: ApiError): void {
  if (error.status === 503) {
    const { errcode } = (error.cause ?? {}) as { errcode?: number }
    const level = error.cause instanceof Overload ? 'warn' : 'error'
    logger[level]({ reqId, reason: reasonOf(error), errcode }, error.code)
  } else if (error.status >= 500) logger.error({ reqId, err: error.cause ?? error }, error.code)
}

const OF_ANSWERS = ['etag', 'last-modified', 'link', 'content-encoding', 'content-length', 'location']

/** Answers with whatever was thrown, in the form of the face. */
export function sendError(face: Face, thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toApiError(thrown)
  logFailure(request.log, request.id, error)
  const { type, body, headers = {} } = face.writeError(error, request.headers)
  // These describe the answer that failed, and one of them may be the reason.
  if (error.status === 500) for (const name of OF_ANSWERS) reply.removeHeader(name)
  reply.header('x-request-id', request.id).headers({ ...headers, ...errorHeaders(error) })
  // To a text the framework adds a charset, and application/problem+json has none (RFC 9457).
  reply
    .code(error.status)
    .type(type)
    .send(type.includes('charset') ? body : Buffer.from(body))
}

export const JSON_TYPE = 'application/json; charset=utf-8'
