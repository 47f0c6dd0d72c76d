/**
 * Every error a client can meet: its code, frozen, with the HTTP status and the message that is sent when
 * the place that throws has nothing better to say. The one catalogue; docs/errors.md is made from it.
 */
export const ERRORS = {
  invalid_json: [400, 'The body is not valid JSON (RFC 8259, UTF-8).'],
  validation_failed: [400, 'The body has missing or invalid members; details names each of them.'],
  invalid_parameter: [400, 'A parameter of the query or a header is invalid; details names each of them.'],
  invalid_cursor: [400, 'This cursor is damaged, or belongs to other filters. Start again with rel="first".'],
  bad_request: [400, 'The request is not well-formed HTTP.'],
  missing_api_key: [401, 'No API key was sent. Send the header "Authorization: Bearer <API key>".'],
  invalid_api_key: [
    401,
    'This API key is not valid here. Check that it is whole, current and for this environment.',
  ],
  insufficient_access: [403, 'This API key may not do this. Ask the operator for a key with more access.'],
  other_organization: [
    403,
    'This belongs to another organization than this API key, or to none: only a key of that one, or of none, may do this.',
  ],
  pet_not_found: [404, 'There is no animal with this id.'],
  category_not_found: [404, 'There is no category with this id. GET /categories lists them.'],
  breed_not_found: [404, 'There is no name of a breed with this id. GET /breeds lists them.'],
  color_not_found: [404, 'There is no name of a color with this id. GET /colors lists them.'],
  organization_not_found: [404, 'There is no organization with this id. GET /organizations lists them.'],
  photo_not_found: [404, 'There is no photo with this id or at this address.'],
  order_not_found: [404, 'There is no order with this id that this API key may see.'],
  application_not_found: [404, 'There is no application with this id that this API key may see.'],
  route_not_found: [404, 'Nothing is at this address. /docs lists every operation.'],
  method_not_allowed: [405, 'This address does not know this method; the Allow header lists those it knows.'],
  request_timeout: [408, 'The request did not arrive whole in time. Send it again.'],
  category_exists: [409, 'Another category has this name. GET /categories lists them.'],
  category_in_use: [409, 'Animals belong to this category. Give them another one first.'],
  breed_exists: [409, 'The category has this breed already. GET /breeds lists them.'],
  color_exists: [409, 'The category has this color already. GET /colors lists them.'],
  organization_exists: [409, 'Another organization has this code. GET /organizations lists them.'],
  organization_in_use: [
    409,
    'Animals, orders, applications or keys belong to this organization, or once did.',
  ],
  external_id_exists: [409, 'Another animal of the same organization has this externalId.'],
  invalid_status_transition: [409, 'This status cannot follow the present one.'],
  too_many_photos: [409, 'There are 20 photos already, and no more are kept. Remove one first.'],
  order_open: [
    409,
    'An order on this animal is open: complete or cancel it first. GET /store/orders finds it.',
  ],
  order_closed: [409, 'This order is closed. Place a new one with POST /store/orders.'],
  application_closed: [
    409,
    'Nothing more can be decided about this application: it is declined, withdrawn, or its adoption is complete.',
  ],
  pet_not_available: [
    409,
    'This animal is not available. GET /pets?status=available lists those that wait for a home.',
  ],
  bonded: [409, 'This animal is adopted together with others: an order names all of them in alsoPetIds.'],
  idempotency_key_in_use: [
    409,
    'A request with this Idempotency-Key is still being answered. Send this one again in a moment.',
  ],
  endpoint_removed: [410, 'This operation was removed. GET /pets?status=… lists the animals instead.'],
  precondition_failed: [
    412,
    'It was changed since: read it again with GET /pets?id=…, and send the ETag that comes with it as If-Match.',
  ],
  payload_too_large: [413, 'The body is larger than 65536 bytes.'],
  uri_too_long: [414, 'The address is longer than 8192 characters.'],
  unsupported_media_type: [
    415,
    'Send the body as application/json, or a PATCH as application/merge-patch+json, in UTF-8 without a content coding.',
  ],
  range_not_satisfiable: [416, 'The file ends before this range begins; Content-Range tells how long it is.'],
  invalid_image: [422, 'The body is no picture that can be used here.'],
  idempotency_key_reused: [
    422,
    'This Idempotency-Key came with another body before. Use a new key for a new request.',
  ],
  rate_limit_exceeded: [
    429,
    'The rate limit is used up. Wait for the seconds in Retry-After, then send again.',
  ],
  api_key_banned: [
    429,
    'This API key is banned for a while, for sending on after many refusals. Retry-After tells how long.',
  ],
  headers_too_large: [431, 'The request line and headers together are larger than 16384 bytes.'],
  internal_error: [500, 'Something failed here. The operator finds it in the log under the X-Request-Id.'],
  service_unavailable: [
    503,
    'The service cannot answer this right now. Wait for the seconds in Retry-After, then send again.',
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof ERRORS

export const DETAIL_CODES = [
  'missing',
  'invalid_type',
  'invalid_value',
  'out_of_range',
  'too_long',
  'unknown_category',
  'unknown_organization',
] as const

/** What is wrong with one part of a request: a member of the body (RFC 6901 pointer) or a query parameter. */
export interface ErrorDetail {
  pointer?: string
  parameter?: string
  code: (typeof DETAIL_CODES)[number]
  message: string
}

interface ErrorOptions {
  message?: string
  details?: ErrorDetail[]
  headers?: Record<string, string>
  cause?: unknown
}

/** The cause of an error where too much is asked at once: no part of the service is lost. */
export class Overload extends Error {}

/** An error with a public side (code, message, details) for the client and a cause for the log only. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, { message, details, headers, cause }: ErrorOptions = {}) {
    const { stackTraceLimit } = Error
    // A refusal is an answer like others: to note where it was thrown costs more than to make the rest of it.
    Error.stackTraceLimit = 0
    super(message ?? ERRORS[code][1], { cause })
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ApiError'
    this.code = code
    this.details = details
    this.headers = headers ?? {}
  }

  get status(): number {
    return ERRORS[this.code][0]
  }
}

/** Why, in words for the log: nobody needs the stack of a lost part. */
export function reasonOf(error: unknown): string {
  if (error instanceof ApiError && error.cause !== undefined) return reasonOf(error.cause)
  // Of a name with several addresses, none of which could be reached.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  const { message, code } = error as { message?: string; code?: string }
  return message || code || String(error)
}
