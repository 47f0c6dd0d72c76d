import type { Config } from '../../config.ts'
import { ApiError, type ErrorCode } from '../../errors.ts'
import type { Face } from '../../http/face.ts'
import { type Html, html } from '../../http/html.ts'
import { PREFIX } from './shapes.ts'

/** Media type of errors, in the format of an early draft of RFC 9457. */
const TYPE = 'application/problem+json'

/** The meaning of each error code. */
const CODES = {
  'ERR-00001': 'A required parameter is missing.',
  'ERR-00002': 'A parameter has an invalid value. See invalid-params for each of them.',
  'ERR-401': 'The access token is missing, invalid or expired, or the client is unknown.',
  'ERR-403': 'There is no such version. Use /v2.',
  'ERR-404': 'Not found.',
  'ERR-405': 'This API is read-only. Use GET, or POST to get an access token.',
  'ERR-429': 'Rate limit exceeded. Wait for the number of seconds in Retry-After.',
  'ERR-400': 'The request is malformed.',
  'ERR-500': 'Internal error.',
  'ERR-503': 'The service is temporarily unavailable. Wait for the number of seconds in Retry-After.',
} as const

/** Path of the page that explains the error codes. The fragment is the code. */
export const ERRORS_PATH = '/errors'

/** Unknown client or wrong secret in a token request (RFC 6749, section 5.2). */
export class InvalidClient extends ApiError {
  constructor() {
    super('invalid_api_key', { headers: { 'www-authenticate': 'Basic realm="adoptable"' } })
  }
}

/** Missing or unsupported grant type in a token request. */
export class InvalidTokenRequest extends ApiError {
  readonly isMissing: boolean

  constructor(isMissing: boolean) {
    super('validation_failed')
    this.isMissing = isMissing
  }
}

interface Problem {
  code: keyof typeof CODES
  title: string
  detail: string
}

const PROBLEMS: { [Code in ErrorCode]?: Problem } = {
  invalid_api_key: { code: 'ERR-401', title: 'Unauthorized', detail: 'Access token invalid or expired' },
  pet_not_found: { code: 'ERR-404', title: 'Not Found', detail: 'Not Found' },
  organization_not_found: { code: 'ERR-404', title: 'Not Found', detail: 'Not Found' },
  category_not_found: { code: 'ERR-404', title: 'Not Found', detail: 'Not Found' },
  invalid_parameter: {
    code: 'ERR-00002',
    title: 'Invalid Request',
    detail: 'The request contains invalid parameters.',
  },
}

function problemOf(error: ApiError): Problem {
  const { status, message } = error
  if (error instanceof InvalidTokenRequest && error.isMissing)
    return { code: 'ERR-00001', title: 'Invalid Request', detail: 'The request is missing parameters.' }
  if (error instanceof InvalidTokenRequest)
    return {
      code: 'ERR-00002',
      title: 'unsupported_grant_type',
      detail: 'Send grant_type=client_credentials.',
    }
  if (error.code === 'route_not_found')
    return { code: 'ERR-404', title: 'Not Found', detail: 'No route found for this address.' }
  const problem = PROBLEMS[error.code]
  if (problem) return problem
  const code = Object.hasOwn(CODES, `ERR-${status}`) ? (`ERR-${status}` as Problem['code']) : 'ERR-400'
  return { code, title: TITLES[status] ?? 'Invalid Request', detail: message }
}

const TITLES: Record<number, string> = {
  403: 'Forbidden',
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** @returns writes errors in the format of this API */
export function problemWriter({ origin }: Pick<Config, 'origin'>): Face['writeError'] {
  const addressOf = (code: string): string => `${origin}${PREFIX}${ERRORS_PATH}#${code}`
  return (error) => {
    const { status } = error
    if (error instanceof InvalidClient)
      return { type: TYPE, body: JSON.stringify(invalidClient(addressOf('ERR-401'))) }
    const { code, title, detail } = problemOf(error)
    const invalid = error.details?.map(({ parameter, message }) => ({
      in: 'query',
      path: parameter,
      message,
    }))
    const problem = {
      type: addressOf(code),
      status,
      title,
      detail,
      ...(invalid && { 'invalid-params': invalid }),
    }
    return { type: TYPE, body: JSON.stringify(problem) }
  }
}

function invalidClient(address: string) {
  const [title, detail] = ['invalid_client', 'Client authentication failed']
  return {
    ...{ type: address, status: 401, title, detail },
    errors: [{ code: 'ERR-401', title, message: detail, details: detail, href: address }],
    hint: null,
  }
}

/** The page that the `type` of a problem links to. */
export function errorsPage(): Html {
  const items = Object.entries(CODES).map(
    ([code, text]) => html`<dt id="${code}">${code}</dt><dd>${text}</dd>`,
  )
  return html`<!doctype html><html lang="en"><meta charset="utf-8"><title>Errors under ${PREFIX}</title>
<h1>Errors under ${PREFIX}</h1><p>Compatible with clients written for the Petfinder API v2; not affiliated.</p><dl>${items}</dl></html>`
}
