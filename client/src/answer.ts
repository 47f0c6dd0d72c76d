import { AdoptableError } from './error.ts'
import type { ErrorBody } from './schemas.ts'
import { readRetryAfter } from './time.ts'

/** Of the window with the fewest requests left. */
export interface RateLimit {
  limit: number
  remaining: number
  /** Unix time in seconds. */
  reset: number
}

export interface Answer<Data> {
  data: Data
  /** HTTP status. */
  status: number
  headers: Headers
  /** For `ifMatch`. */
  etag: string | undefined
  /** Undefined when something other than the service answered. */
  rateLimit: RateLimit | undefined
  /** By which the operator finds the request in the log. */
  requestId: string | undefined
}

/**
 * Reads an answer to its end.
 * @param now Unix time in milliseconds, when it came
 * @returns an error for every answer that is none of success
 */
export async function readAnswer<Data>(
  response: Response,
  now: number,
): Promise<Answer<Data> | AdoptableError> {
  const { status, headers } = response
  const body = parse(await response.text())
  const requestId = headers.get('x-request-id') ?? undefined
  const retryAfter = readRetryAfter(headers.get('retry-after'), now)
  if (response.ok && (body !== undefined || status === 204)) {
    const etag = headers.get('etag') ?? undefined
    return { data: body as Data, status, headers, etag, rateLimit: readRateLimit(headers), requestId }
  }
  if (isErrorBody(body)) {
    const { code, message, details } = body
    return new AdoptableError(code, message, { status, details, requestId, retryAfter })
  }
  const message = `Status ${status}, with a body that is not of this service. Is the base address right?`
  return new AdoptableError('unexpected_answer', message, { status, requestId, retryAfter })
}

/** The cursor of the next page, from the Link header (RFC 8288); undefined on the last one. */
export function nextCursor(headers: Headers): string | undefined {
  const [, address] = /<([^<>]*)>(?:\s*;[^,<]*)?;\s*rel="?next\b/i.exec(headers.get('link') ?? '') ?? []
  if (address === undefined) return undefined
  // A base for an address that is not absolute: only the query counts.
  return new URL(address, 'http://localhost').searchParams.get('cursor') ?? undefined
}

/** @returns undefined when the answer does not tell */
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
