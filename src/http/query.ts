import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyContextConfig, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { DECIMAL, int64ToNumber } from './int64.ts'

interface QuerySchema {
  type?: string
  format?: string
  default?: unknown
  items?: QuerySchema
  maxItems?: number
}

export interface ObjectSchema {
  properties: Record<string, QuerySchema>
}

/**
 * Converts query parameters to the types of a schema, and adds defaults. Drops parameters that the schema
 * does not name.
 */
export function readQuery(
  { properties }: ObjectSchema,
  raw: Record<string, unknown>,
): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const value = raw[name] === undefined ? schema.default : convertText(schema, raw[name])
    if (value !== undefined) query[name] = value
  }
  return query
}

/**
 * Finds parameters written as `id[]`, as some libraries do. If the service ignored such a filter, it would
 * list everything.
 */
export function findBracketed({ properties }: ObjectSchema, raw: Record<string, unknown>): ErrorDetail[] {
  return Object.keys(raw).flatMap((parameter) => {
    const name = parameter.split('[', 1)[0] ?? ''
    if (name === parameter || !Object.hasOwn(properties, name)) return []
    const example = properties[name]?.type === 'array' ? `${name}=1&${name}=2` : `${name}=…`
    return { parameter, code: 'invalid_value', message: `Write this without brackets: ${example}.` } as const
  })
}

/**
 * Cuts a list to one item more than allowed. Validation then still refuses a list that is too long, but at a
 * limited cost.
 */
export function limitLength(list: unknown[], maxItems = Number.POSITIVE_INFINITY): unknown[] {
  return list.slice(0, maxItems + 1)
}

/** Converts text to a number. Other text stays unchanged, and validation then refuses it. */
function convertText({ type, format, items, maxItems }: QuerySchema, text: unknown): unknown {
  if (type === 'array' && items)
    return limitLength([text].flat(), maxItems).map((item) => convertText(items, item))
  // Clients write country codes in upper or lower case.
  if (format === 'country' && typeof text === 'string') return text.toUpperCase()
  if (type !== 'integer' || typeof text !== 'string' || !DECIMAL.test(text)) return text
  return format === 'int64' ? int64ToNumber(BigInt(text)) : Number(text)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Names of the query parameters that the route reads, or a test of a name. For routes without a query
     * schema.
     */
    parameters?: readonly string[] | ((name: string) => boolean)
  }
}

interface Route {
  config?: FastifyContextConfig
  schema?: FastifySchema | undefined
}

/**
 * Returns the canonical form of a URL. It has the path and only the parameters that the route reads, encoded
 * and in a fixed order. URLs with the same canonical form get the same response.
 */
export function pageAddress(url: string, route: Route): string {
  if (!/[?#%]/.test(url)) return url
  const [path, query] = splitUrl(url)
  const reads = parameterTest(route)
  const parameters = query
    .split('&')
    .map((text) => ({ text, name: tryDecode(text.split('=', 1)[0] ?? '') ?? '' }))
    .filter(({ name }) => reads(name))
    // A stable sort keeps repeated parameters in order, because a route may read only the first or the last
    // of them.
    .sort(({ name: left }, { name: right }) => Number(left > right) - Number(left < right))
    .map(({ text }) => text.split('=').map(canonicalQueryText).join('='))
  return canonicalPath(path) + (parameters.length > 0 ? `?${parameters.join('&')}` : '')
}

/** Splits a URL at its first `?` or `#`; the router treats both as the start of the query. */
export function splitUrl(url: string): [path: string, query: string] {
  const at = url.search(/[?#]/)
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

/** Returns one spelling for all encodings of a path that the router treats as equal. */
export function canonicalPath(path: string): string {
  return path.split('/').map(canonicalText).join('/')
}

function parameterTest({ config, schema }: Route): (name: string) => boolean {
  const names = config?.parameters
  if (typeof names === 'function') return names
  if (names) return (name) => names.includes(name)
  const { properties = {} } = (schema?.querystring ?? {}) as Partial<ObjectSchema>
  // A name with brackets causes a validation error, so it must stay in the canonical URL.
  return (name) => Object.hasOwn(properties, name.split('[', 1)[0] ?? '')
}

/** Re-encodes text. Text that cannot be decoded stays unchanged, because it has no other spelling. */
function canonicalText(text: string): string {
  const decodedText = text.includes('%') ? tryDecode(text) : undefined
  return decodedText === undefined ? text : encodeURIComponent(decodedText)
}

/** Like `canonicalText`, but a plus means a space, as in a query. */
function canonicalQueryText(text: string): string {
  const word = text.replaceAll('+', '%20')
  return tryDecode(word) === undefined ? text : canonicalText(word)
}

/** @returns undefined for text that is not valid percent-encoding of UTF-8 */
export function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const STRICT = /(?:^|[,;\s])handling\s*=\s*"?strict"?(?=$|[,;\s])/i

/** Checks whether the client prefers an error over ignored parameters (RFC 7240, section 4.4). */
export function wantsStrict({ prefer }: IncomingHttpHeaders): boolean {
  return prefer !== undefined && STRICT.test([prefer].flat().join(','))
}

function parametersOf({ routeOptions }: FastifyRequest): ObjectSchema['properties'] {
  return ((routeOptions.schema?.querystring ?? {}) as Partial<ObjectSchema>).properties ?? {}
}

/** Finds parameters that do not exist, and `within` without `near`, which has no effect. */
function findIneffective(request: FastifyRequest): ErrorDetail[] {
  const [query, parameters] = [request.query as object, parametersOf(request)]
  const details = Object.keys(query)
    .filter((name) => !Object.hasOwn(parameters, name))
    .map(unknownDetail)
  if (!('within' in query) || 'near' in query) return details
  const message = 'This has no effect without `near`. Add `near`, or remove this.'
  return [...details, { parameter: 'within', code: 'invalid_value', message }]
}

/** Finds values whose bytes are not UTF-8 (RFC 3986, section 2.5). */
function findUndecodable(request: FastifyRequest): ErrorDetail[] {
  const query = request.raw.url?.split('?', 2)[1] ?? ''
  if (!query.includes('%')) return []
  const parameters = parametersOf(request)
  return query.split('&').flatMap((part): ErrorDetail[] => {
    const [parameter = '', value = ''] = part.split('=', 2)
    if (!isText(parameters[parameter]) || tryDecode(value) !== undefined) return []
    return [{ parameter, code: 'invalid_value', message: 'This is not UTF-8. Percent-encode it as UTF-8.' }]
  })
}

/** Skips values of other types, because validation reports them. */
const isText = (schema: QuerySchema | undefined): boolean =>
  schema?.type === 'string' || (schema?.items !== undefined && isText(schema.items))

/**
 * Hook: refuses filters that have no effect. Otherwise a request with a misspelt filter would list
 * everything.
 */
export function refuseUnknownParameters(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const details = findUndecodable(request)
  if (wantsStrict(request.headers)) details.push(...findIneffective(request))
  done(details.length > 0 ? new ApiError('invalid_parameter', { details }) : undefined)
}

const unknownDetail = (parameter: string): ErrorDetail => ({
  parameter,
  code: 'invalid_value',
  message: 'This parameter does not exist. Remove it, or do not send Prefer: handling=strict.',
})
