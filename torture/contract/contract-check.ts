import { ERRORS } from '../../src/errors.ts'
import { findMismatch, findRoute, OPERATIONS, type Operation, pathOf } from '../lab/requests/description.ts'
import type { Request } from '../lab/requests/draft.ts'
import type { Answer } from '../lab/wire.ts'

/** Error statuses that every operation may answer. */
const EVERYWHERE = Object.keys(OPERATIONS[0]?.responses ?? {}).filter(
  (status) => Number(status) >= 400 && OPERATIONS.every(({ responses }) => responses[status]),
)
const ERROR = { $ref: '#/components/schemas/Error' }
const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
/** Headers of HTTP itself, which are not in the description. */
const OF_HTTP = ['date', 'connection', 'keep-alive', 'content-type', 'content-length', 'content-encoding']
const INTEGER = /^(0|-?[1-9]\d*)$/

/** @returns how the answer differs from the description; undefined when it matches */
export function faultOf(request: Request, answer: Answer): string | undefined {
  if (answer.status >= 500 && answer.status !== 503) return 'a 5xx'
  if (request.broken && isOfOtherFace(answer)) return undefined
  const matched = request.broken ? { methods: [] } : findRoute(request.method, request.target)
  return (
    faultOfStatus(request, answer, matched.operation, matched.methods) ??
    faultOfHeaders(request, answer, matched.operation) ??
    faultOfBody(request, answer, matched.operation) ??
    faultOfVerdict(request, answer)
  )
}

/**
 * Changed bytes may turn the target into a path of the gallery, which answers with pages, or of /v2 and its
 * other versions, which have another format for errors.
 */
function isOfOtherFace({ headers }: Answer): boolean {
  return /^(text\/html|application\/problem\+json)\b/.test(headers['content-type'] ?? '')
}

function faultOfStatus(
  { broken }: Request,
  { status, headers }: Answer,
  operation: Operation | undefined,
  methods: string[],
): string | undefined {
  if (broken || operation?.responses[status]) return undefined
  if (operation) return `${operation.operationId} does not describe ${status}`
  if (EVERYWHERE.includes(String(status))) return undefined
  if (status !== (methods.length > 0 ? 405 : 404)) return `${status} for a target without operation`
  if (status === 405 && headers.allow !== methods.join(', ')) return `Allow is not ${methods}`
  return undefined
}

function faultOfHeaders(
  { broken, id, target }: Request,
  { status, headers }: Answer,
  operation: Operation | undefined,
): string | undefined {
  const sent = headers['x-request-id'] ?? ''
  if (id === undefined ? !/^[\w.-]{1,128}$/.test(sent) : sent !== id) return `X-Request-Id is not ${id}`
  const limited = !broken && /^\/v1\//.test(pathOf(target) ?? target)
  for (const name of limited ? RATE_HEADERS : []) {
    if (!INTEGER.test(headers[name] ?? '')) return `${name} is not an integer`
  }
  if (!operation) return undefined
  const described = Object.entries(operation.responses[status]?.headers ?? {})
  const names = [...OF_HTTP, ...described.map(([name]) => name.toLowerCase())]
  const unknown = Object.keys(headers).filter((name) => !names.includes(name))
  if (unknown.length > 0) return `${unknown} are not described`
  for (const [name, { required, schema }] of described) {
    const value = headers[name.toLowerCase()]
    if (value === undefined && required) return `${name} is missing`
    if (value !== undefined && schema.type === 'integer' && !INTEGER.test(value))
      return `${name} is not an integer`
  }
  return undefined
}

function faultOfBody(
  { broken, method, target }: Request,
  { status, headers, text }: Answer,
  operation: Operation | undefined,
): string | undefined {
  if (method === 'HEAD' || status === 204 || status === 304)
    return text === '' ? undefined : 'a body where none is allowed'
  if (headers['content-type'] !== 'application/json; charset=utf-8')
    return 'the content type is not JSON in UTF-8'
  const body = JSON.parse(text)
  if (status >= 400) return findMismatch(ERROR, body) ?? faultOfError(status, body)
  // With `fields` the answer has only the named members, without the required ones.
  if (broken || /[?&]fields=/.test(target)) return undefined
  const schema = operation?.responses[status]?.content?.['application/json']?.schema
  return schema ? findMismatch(schema, body) : 'the description has no content'
}

interface ErrorBody {
  code: string
  status: number
  details?: { code: string }[]
}

function faultOfError(status: number, body: ErrorBody): string | undefined {
  const [expectedStatus] = ERRORS[body.code as keyof typeof ERRORS] ?? []
  if (expectedStatus !== status || body.status !== status) return `${body.code} belongs to ${expectedStatus}`
  if (body.details && (status !== 400 || body.details.length === 0)) return 'unexpected details'
  return undefined
}

/** An invalid request must be rejected, and a valid one must not be called invalid. */
function faultOfVerdict({ valid, method }: Request, { status, text }: Answer): string | undefined {
  if (valid === undefined) return undefined
  if (!valid) return status < 400 ? 'an invalid request was accepted' : undefined
  if (![400, 413, 414, 415, 431].includes(status)) return undefined
  const { details = [] }: ErrorBody = method === 'HEAD' ? {} : JSON.parse(text)
  const isUnknownCategory = details.length > 0 && details.every(({ code }) => code === 'unknown_category')
  return isUnknownCategory ? undefined : 'a valid request was rejected'
}
