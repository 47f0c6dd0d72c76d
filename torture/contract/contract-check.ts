import { ERRORS } from '../../src/errors.ts'
import { misfit, OPERATIONS, type Operation, pathOf, route } from '../lab/requests/description.ts'
import type { Request } from '../lab/requests/draft.ts'
import type { Answer } from '../lab/wire.ts'

/** What every operation may answer. */
const EVERYWHERE = Object.keys(OPERATIONS[0]?.responses ?? {}).filter(
  (status) => Number(status) >= 400 && OPERATIONS.every(({ responses }) => responses[status]),
)
const ERROR = { $ref: '#/components/schemas/Error' }
const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
/** Headers of HTTP itself, which no description names. */
const OF_HTTP = ['date', 'connection', 'keep-alive', 'content-type', 'content-length', 'content-encoding']
const INTEGER = /^(0|-?[1-9]\d*)$/

/** @returns what of an answer is not as described; nothing when all is */
export function faultOf(request: Request, answer: Answer): string | undefined {
  if (answer.status >= 500 && answer.status !== 503) return 'a 5xx'
  if (request.broken && isGalleryPage(answer)) return undefined
  const found = request.broken ? { methods: [] } : route(request.method, request.target)
  return (
    faultOfStatus(request, answer, found.operation, found.methods) ??
    faultOfHeaders(request, answer, found.operation) ??
    faultOfBody(request, answer, found.operation) ??
    faultOfVerdict(request, answer)
  )
}

/** Changed bytes may turn the target into an address of the gallery, which also answers 400 with a page. */
function isGalleryPage({ status, headers }: Answer): boolean {
  return [200, 400].includes(status) && /^text\/html/.test(headers['content-type'] ?? '')
}

function faultOfStatus(
  { broken }: Request,
  { status, headers }: Answer,
  operation: Operation | undefined,
  methods: string[],
): string | undefined {
  if (broken || operation?.responses[status]) return undefined
  if (operation) return `${operation.operationId} describes no ${status}`
  if (EVERYWHERE.includes(String(status))) return undefined
  if (status !== (methods.length > 0 ? 405 : 404)) return `nothing is there, which is no ${status}`
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
    if (!INTEGER.test(headers[name] ?? '')) return `${name} is no integer`
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
      return `${name} is no integer`
  }
  return undefined
}

function faultOfBody(
  { broken, method, target }: Request,
  { status, headers, text }: Answer,
  operation: Operation | undefined,
): string | undefined {
  if (method === 'HEAD' || status === 204 || status === 304)
    return text === '' ? undefined : 'a body where none is'
  if (headers['content-type'] !== 'application/json; charset=utf-8') return 'the content is no JSON in UTF-8'
  const body = JSON.parse(text)
  if (status >= 400) return misfit(ERROR, body) ?? faultOfError(status, body)
  // Who names members gets those alone, without the required ones.
  if (broken || /[?&]fields=/.test(target)) return undefined
  const schema = operation?.responses[status]?.content?.['application/json']?.schema
  return schema ? misfit(schema, body) : 'no content is described'
}

interface ErrorBody {
  code: string
  status: number
  details?: { code: string }[]
}

function faultOfError(status: number, body: ErrorBody): string | undefined {
  const [known] = ERRORS[body.code as keyof typeof ERRORS] ?? []
  if (known !== status || body.status !== status) return `${body.code} belongs to ${known}`
  if (body.details && (status !== 400 || body.details.length === 0)) return 'details where none belong'
  return undefined
}

/** What is not as described is refused, and what is, is not called invalid. */
function faultOfVerdict({ fits, method }: Request, { status, text }: Answer): string | undefined {
  if (fits === undefined) return undefined
  if (!fits) return status < 400 ? 'accepted, against the description' : undefined
  if (![400, 413, 414, 415, 431].includes(status)) return undefined
  const { details = [] }: ErrorBody = method === 'HEAD' ? {} : JSON.parse(text)
  const known = details.length > 0 && details.every(({ code }) => code === 'unknown_category')
  return known ? undefined : 'refused, against the description'
}
