import type { Config } from '../../config.ts'
import { ApiError, type ErrorCode } from '../../errors.ts'
import type { Face } from '../../http/face.ts'
import { type Html, html } from '../../http/html.ts'
import { PREFIX } from './shapes.ts'

/** The form of errors that clients of this face know (RFC 9457, in an early draft of it). */
const TYPE = 'application/problem+json'

/** Known codes, and what they mean. */
const CODES = {
  'ERR-00001': 'A parameter that is needed is missing.',
  'ERR-00002': 'A parameter has a value that cannot be used; invalid-params names each of them.',
  'ERR-401': 'The access token is missing or over, or the client is not known.',
  'ERR-404': 'There is nothing at this address.',
  'ERR-405': 'This face is only for reading: it answers GET, and POST for access tokens.',
  'ERR-429': 'The rate limit is used up. Wait for the seconds in Retry-After.',
  'ERR-400': 'The request is not well-formed.',
  'ERR-500': 'Something failed in the service.',
  'ERR-503': 'The service cannot answer right now. Wait for the seconds in Retry-After.',
} as const

/** Where they are explained, each at its own mark. */
export const ERRORS_PATH = '/errors'

/** The client that asks for a token is not known, or its secret is another one (RFC 6749, section 5.2). */
export class InvalidClient extends ApiError {
  constructor() {
    super('invalid_api_key', { headers: { 'www-authenticate': 'Basic realm="adoptable"' } })
  }
}

/** What a request for a token lacks, or what is not supported in it. */
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
  const known = PROBLEMS[error.code]
  if (known) return known
  const code = Object.hasOwn(CODES, `ERR-${status}`) ? (`ERR-${status}` as Problem['code']) : 'ERR-400'
  return { code, title: TITLES[status] ?? 'Invalid Request', detail: message }
}

const TITLES: Record<number, string> = {
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** @returns what writes the errors of this face */
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

/** The page that the types of problems lead to. */
export function errorsPage(): Html {
  const items = Object.entries(CODES).map(
    ([code, text]) => html`<dt id="${code}">${code}</dt><dd>${text}</dd>`,
  )
  return html`<!doctype html><html lang="en"><meta charset="utf-8"><title>Errors under ${PREFIX}</title>
<h1>Errors under ${PREFIX}</h1><p>Compatible with clients written for the Petfinder API v2; not affiliated.</p><dl>${items}</dl></html>`
}
