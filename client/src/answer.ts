import { AdoptableError } from './error.ts'
import type { ErrorBody } from './schemas.ts'
import { readRetryAfter } from './time.ts'

/** The window with the fewest requests left. */
export interface RateLimit {
  limit: number
  remaining: number
  /** Unix time in seconds. */
  reset: number
}

interface AnswerFacts {
  /** HTTP status. */
  status: number
  headers: Headers
  /** For `ifMatch` and `ifNoneMatch`. */
  etag: string | undefined
  /** Undefined if something other than the service answered. */
  rateLimit: RateLimit | undefined
  /** The operator can find the request in the log with it. */
  requestId: string | undefined
}

export interface Answer<Data> extends AnswerFacts {
  data: Data
  notModified: false
  /** Cursor of the next page; undefined on the last page and for results without pages. */
  nextCursor: string | undefined
}

/** The data still matches the ETag in `ifNoneMatch`. */
export interface NotModified extends AnswerFacts {
  data: undefined
  notModified: true
}

/**
 * Reads a complete response.
 * @param now Unix time of arrival in milliseconds
 * @returns an error for every unsuccessful response
 */
export async function readAnswer<Data>(
  response: Response,
  now: number,
): Promise<Answer<Data> | NotModified | AdoptableError> {
  const { status, headers } = response
  const body = parse(await response.text())
  const requestId = headers.get('x-request-id') ?? undefined
  const retryAfter = readRetryAfter(headers.get('retry-after'), now)
  const etag = headers.get('etag') ?? undefined
  const facts = { status, headers, etag, rateLimit: readRateLimit(headers), requestId }
  if (response.ok && (body !== undefined || status === 204)) {
    return { ...facts, data: body as Data, notModified: false, nextCursor: nextCursor(headers) }
  }
  if (status === 304) return { ...facts, data: undefined, notModified: true }
  if (isErrorBody(body)) {
    const { code, details } = body
    return new AdoptableError(code, messageOf(body), { status, details, requestId, retryAfter })
  }
  const message = `Status ${status}, with a body that is not from this service. Check baseUrl.`
  return new AdoptableError('unexpected_answer', message, { status, requestId, retryAfter })
}

/** Includes every wrong member, because most programs print only the message. */
function messageOf({ message, details }: ErrorBody): string {
  // A proxy's error may contain anything here.
  const problems = (Array.isArray(details) ? details : []).map(({ pointer, parameter, message }) => {
    const where = pointer ?? parameter
    return where ? `${where}: ${message}` : message
  })
  return [message, ...problems].join(' ')
}

/** The cursor of the next page; undefined on the last one. */
export function nextCursor(headers: Headers): string | undefined {
  return nextParameter(headers, 'cursor')
}

/** A parameter of the next page, from the Link header (RFC 8288). */
export function nextParameter(headers: Headers, name: string): string | undefined {
  const [, address] = /<([^<>]*)>(?:\s*;[^,<]*)?;\s*rel="?next\b/i.exec(headers.get('link') ?? '') ?? []
  if (address === undefined) return undefined
  // Only the query matters; a malformed Link header of a proxy must not make the response an error.
  const [query] = address.replace(/^[^?]*\??/, '').split('#')
  return new URLSearchParams(query).get(name) ?? undefined
}

/** @returns undefined if the response does not have all three headers */
export function readRateLimit(headers: Headers): RateLimit | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const value = headers.get(`x-ratelimit-${name}`)
    return value === null ? Number.NaN : Number(value)
  }) as [number, number, number]
  return Number.isNaN(limit + remaining + reset) ? undefined : { limit, remaining, reset }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  const { code, message } = (body ?? {}) as Partial<ErrorBody>
  return typeof code === 'string' && typeof message === 'string'
}
