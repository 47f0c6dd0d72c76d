/**
 * Every error that a client can get: its code, which never changes, its HTTP status and its default message.
 * A message says what was wrong, then what to do. docs/errors.md is generated from this list.
 */
export const ERRORS = {
  invalid_json: [400, 'The body is not valid JSON. Send one JSON value in UTF-8 (RFC 8259).'],
  validation_failed: [
    400,
    'The body has missing or invalid members. Correct each member that details names.',
  ],
  invalid_parameter: [
    400,
    'A query parameter or header is invalid. Correct each one that is listed in details.',
  ],
  invalid_cursor: [400, 'This cursor is damaged or belongs to other filters. Start again with rel="first".'],
  bad_request: [400, 'The request is not well-formed HTTP. Check its request line and headers.'],
  missing_api_key: [401, 'No API key was sent. Send the header "Authorization: Bearer <API key>".'],
  invalid_api_key: [
    401,
    'This API key is not valid here. Check that it is complete, not revoked, and made for this environment.',
  ],
  insufficient_access: [
    403,
    'This API key does not allow this operation. Ask the operator for a key with more access.',
  ],
  other_organization: [
    403,
    'This belongs to another organization, or to none. Use a key of its organization, or a key without an organization.',
  ],
  pet_not_found: [404, 'No animal has this id. GET /pets lists the animals.'],
  category_not_found: [404, 'No category has this id. GET /categories lists them.'],
  breed_not_found: [404, 'No breed has this id. GET /breeds lists them.'],
  color_not_found: [404, 'No color has this id. GET /colors lists them.'],
  organization_not_found: [404, 'No organization has this id. GET /organizations lists them.'],
  photo_not_found: [
    404,
    'No photo has this id or address. Read its animal or organization to see the current photos.',
  ],
  order_not_found: [
    404,
    'This API key can see no order with this id. GET /store/orders lists the orders that it can see.',
  ],
  application_not_found: [
    404,
    'This API key can see no application with this id. GET /applications lists the applications that it can see.',
  ],
  webhook_not_found: [
    404,
    'This API key can see no webhook with this id. GET /webhooks lists the webhooks that it can see.',
  ],
  delivery_not_found: [
    404,
    'This webhook has no delivery with this id that can be sent again now. GET /webhooks/{webhookId}/deliveries lists them.',
  ],
  route_not_found: [404, 'There is nothing at this address. /docs lists every operation.'],
  method_not_allowed: [
    405,
    'This address does not support this method. The Allow header lists the methods that it supports.',
  ],
  request_timeout: [408, 'The request did not arrive completely in time. Send it again.'],
  category_exists: [409, 'Another category has this name. GET /categories lists them.'],
  category_in_use: [409, 'Animals belong to this category. Move them to another category first.'],
  breed_exists: [409, 'The category already has this breed. GET /breeds lists them.'],
  color_exists: [409, 'The category already has this color. GET /colors lists them.'],
  organization_exists: [409, 'Another organization has this code. GET /organizations lists them.'],
  organization_in_use: [
    409,
    'This organization has animals, orders, applications or keys, possibly closed or revoked ones. An organization can be removed only if it has none of these.',
  ],
  external_id_exists: [
    409,
    'Another animal of the same organization has this externalId. Use another one, or update that animal.',
  ],
  invalid_status_transition: [
    409,
    'This status cannot follow the current status. Read the current status, then choose one that can follow.',
  ],
  too_many_photos: [409, 'There are already 20 photos, the maximum. Remove one first.'],
  too_many_webhooks: [409, 'There are already 100 webhooks, the maximum. Remove one first.'],
  order_open: [
    409,
    'An order for this animal is open. Complete or cancel it first; GET /store/orders finds it.',
  ],
  followed_animal: [409, 'This animal is a copy from another installation. Change it there.'],
  followed_organization: [409, 'This organization is a copy from another installation. Change it there.'],
  order_closed: [409, 'This order is closed. Place a new one with POST /store/orders.'],
  application_closed: [
    409,
    'This application is closed: declined, withdrawn, or its adoption is complete. It can no longer be decided.',
  ],
  pet_not_available: [
    409,
    'This animal is not available. GET /pets?status=available lists the animals that are.',
  ],
  bonded: [409, 'This animal is adopted only together with others. Name all of them in alsoPetIds.'],
  idempotency_key_in_use: [
    409,
    'A request with this Idempotency-Key is still being processed. Send this one again in a moment.',
  ],
  endpoint_removed: [410, 'This operation was removed. Use GET /pets instead.'],
  events_expired: [
    410,
    'The log no longer has the events after this one. Read an id with after=latest, copy the data again, then read the events after that id.',
  ],
  precondition_failed: [
    412,
    'The animal has changed since you read it. Read it again with GET /pets?id=…, and send its new ETag as If-Match.',
  ],
  payload_too_large: [413, 'The body is larger than 65536 bytes. Send a smaller one.'],
  uri_too_long: [414, 'The address is longer than 8192 characters. Send fewer or shorter parameters.'],
  unsupported_media_type: [
    415,
    'The body has an unsupported type. Send application/json, or application/merge-patch+json for PATCH, in UTF-8 without Content-Encoding.',
  ],
  range_not_satisfiable: [
    416,
    'This range begins after the end of the file. Content-Range gives its length.',
  ],
  invalid_image: [422, 'The body is not a usable image. Send a JPEG, PNG, WebP, AVIF or GIF.'],
  idempotency_key_reused: [
    422,
    'This Idempotency-Key was used for a different request. Use a new key for a new request.',
  ],
  rate_limit_exceeded: [
    429,
    'The rate limit is used up. Wait as many seconds as Retry-After says, then send the request again.',
  ],
  api_key_banned: [
    429,
    'This API key is banned for a while because it kept sending after refusals. Wait as many seconds as Retry-After says.',
  ],
  headers_too_large: [
    431,
    'The request line and headers together exceed 16384 bytes. Send fewer or shorter headers.',
  ],
  internal_error: [
    500,
    'Something failed in the service. Report the X-Request-Id to the operator, who finds the cause in the log.',
  ],
  service_unavailable: [
    503,
    'The service cannot answer right now. Wait as many seconds as Retry-After says, then send the request again.',
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

/** A problem with one JSON member of the body (`pointer`, RFC 6901) or with one query parameter. */
export interface ErrorDetail {
  pointer?: string
  parameter?: string
  code: (typeof DETAIL_CODES)[number]
  message: string
}

/** @param pointer the member of the body with this value (RFC 6901) */
export const invalidValue = (pointer: string, message: string): ErrorDetail => ({
  pointer,
  code: 'invalid_value',
  message,
})

interface ErrorOptions {
  message?: string
  details?: ErrorDetail[]
  headers?: Record<string, string>
  cause?: unknown
}

/** The maximum number of problems that a response describes. The response also gives the total number. */
const MAX_DETAILS = 20
/** Longer parameter names are cut. A client can send a name that is almost as long as the URL. */
const MAX_PARAMETER_LENGTH = 100

/** The cause of a 503 for too many requests at once. A failed part, such as the database, has another. */
export class Overload extends Error {}

/** An error for the client (code, message, details). Only the log shows its cause. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, { message, details, headers, cause }: ErrorOptions = {}) {
    const { stackTraceLimit } = Error
    // Collecting a stack trace costs more than everything else in a refusal, and the trace is never read.
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

/** Whether an error refuses a request for a reason that its client can change. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500

/** Keeps the first 20 details of an error. The message then says how many details there are in total. */
export function limitDetails(error: ApiError): ApiError {
  const { code, message, details = [], headers, cause } = error
  const count = details.length
  if (count === 0) return error
  const more = count > MAX_DETAILS ? ` These are the first ${MAX_DETAILS} of ${count} problems.` : ''
  return new ApiError(code, {
    message: message + more,
    details: details.slice(0, MAX_DETAILS).map(withShortName),
    headers,
    cause,
  })
}

function withShortName(detail: ErrorDetail): ErrorDetail {
  const { parameter = '' } = detail
  if (parameter.length <= MAX_PARAMETER_LENGTH) return detail
  return { ...detail, parameter: `${parameter.slice(0, MAX_PARAMETER_LENGTH)}…` }
}

/** A one-line reason for the log, without a stack. */
export function reasonOf(error: unknown): string {
  if (error instanceof ApiError && error.cause !== undefined) return reasonOf(error.cause)
  // Node throws this if a host name has several addresses and none can be reached.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  const { message, code } = error as { message?: string; code?: string }
  return message || code || String(error)
}
