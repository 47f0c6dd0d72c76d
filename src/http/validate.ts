import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import Format from 'typebox/format'
import Schema from 'typebox/schema'
import { Settings } from 'typebox/system'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { tryDecode } from './face.ts'
import { DECIMAL, INT64_RANGE, int64ToNumber } from './int64.ts'
import { isCountry, isCurrency } from './iso-codes.ts'
import { EMAIL, ruleOfPattern } from './text.ts'
import type { Static, TSchema } from './type.ts'

/** The maximum number of collected errors. A body or query has fewer, because long lists are cut. */
Settings.Set({ maxErrors: 1_000 })

/** Checks e-mail addresses more strictly than TypeBox does. */
const IS_EMAIL = new RegExp(EMAIL)
Format.Set('email', (text) => IS_EMAIL.test(text))
/** Parses the URL, because no pattern can check a complete URL. */
Format.Set('uri', (text) => URL.canParse(text))
/** Refuses the brackets of RFC 9557, which TypeBox would accept. */
Format.Set('date-time', (text) => !text.includes('[') && Format.IsDateTime(text))
Format.Set('country', isCountry)
Format.Set('currency', isCurrency)

/**
 * Validates a part of a request with the schema that also types and documents it. The error lists every
 * problem.
 * - Body: members outside of the schema are dropped; other values are not converted.
 * - Query: text is converted to numbers where the schema has numbers, and defaults are filled in.
 * - Path: not validated. An id that does not exist is a 404 of its resource.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'params') return (value) => ({ value })
  // Compiles a schema on first use. The service has hundreds of schemas and uses most of them late or never.
  let compiled: ReturnType<typeof Schema.Compile> | undefined
  const validator = () => {
    compiled ??= Schema.Compile(schema)
    return compiled
  }
  const inBody = httpPart === 'body'
  const read = inBody
    ? bodyCopier(schema as BodySchema)
    : (raw: unknown) => readQuery(schema as ObjectSchema, raw as Record<string, unknown>)
  return (raw) => {
    const value = read(raw)
    const bracketed = inBody ? [] : findBracketed(schema as ObjectSchema, raw)
    const isValid = validator().Check(value)
    if (bracketed.length === 0 && isValid) return { value }
    const problems = isValid ? [] : dropRedundant(validator().Errors(value)[1] as SchemaError[])
    const details = problems.flatMap((problem) => toDetails(problem, value, inBody)).concat(bracketed)
    // Reports only the first problem of each location, because it causes the others.
    const firstPerLocation = [
      ...new Map(details.reverse().map((detail) => [detail.pointer ?? detail.parameter, detail])).values(),
    ]
    return {
      error: new ApiError(inBody ? 'validation_failed' : 'invalid_parameter', {
        details: firstPerLocation.reverse(),
      }),
    }
  }
}

/** The validated body, or an error that lists all problems. */
type BodyResult<Value> = { value: Value; error?: undefined } | { value?: undefined; error: ApiError }

/** Validates bodies that did not arrive as JSON, such as HTML forms, with the schema of a route. */
export function createBodyValidator<Schema extends TSchema>(
  schema: Schema,
): (body: unknown) => BodyResult<Static<Schema>> {
  const validate = validatorCompiler({ schema, httpPart: 'body', method: 'POST', url: '' })
  return (body) => validate(body) as BodyResult<Static<Schema>>
}

/** Like `createBodyValidator`, but throws. @throws {ApiError} validation_failed */
export function createBodyParser<Schema extends TSchema>(schema: Schema): (body: unknown) => Static<Schema> {
  const validate = createBodyValidator(schema)
  return (body) => {
    const { value, error } = validate(body)
    if (error) throw error
    return value as Static<Schema>
  }
}

interface BodySchema {
  properties?: Record<string, BodySchema>
  items?: BodySchema
  maxItems?: number
}

/**
 * Copies only the members that the schema names, because 64 KB of other members would take 1.4 MB in the
 * writer thread. Cuts a list that is too long to one item more than allowed. Validation then still refuses
 * the list, but does not check the items that were cut.
 */
function bodyCopier({ properties, items, maxItems }: BodySchema): (value: unknown) => unknown {
  if (items) {
    const copy = bodyCopier(items)
    return (value) => (Array.isArray(value) ? limitLength(value, maxItems).map(copy) : value)
  }
  if (!properties) return (value) => value
  const copiers = Object.entries(properties).map(([name, schema]) => [name, bodyCopier(schema)] as const)
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const members: Record<string, unknown> = {}
    for (const [name, copy] of copiers) {
      if (Object.hasOwn(value, name)) members[name] = copy(value[name as keyof typeof value])
    }
    return members
  }
}

/** A TypeBox error. Has only the members that this file uses. */
type SchemaError = { instancePath: string } & (
  | { keyword: 'required'; params: { requiredProperties: string[] } }
  | { keyword: 'type'; params: { type: string | string[] } }
  | { keyword: 'enum'; params: { allowedValues: string[] } }
  | { keyword: 'minLength' | 'maxLength'; params: { limit: number } }
  | { keyword: 'minimum' | 'maximum'; params: { limit: number } }
  | { keyword: 'minItems' | 'maxItems'; params: { limit: number } }
  | { keyword: 'pattern'; params: { pattern: string } }
  | { keyword: 'format'; params: { format: string } }
)

/** Drops the type error of a value with an enum error, and all errors inside a list that is too long. */
function dropRedundant(problems: SchemaError[]): SchemaError[] {
  const pathsOf = (name: string) =>
    problems.filter(({ keyword }) => keyword === name).map(({ instancePath }) => instancePath)
  const enumPaths = new Set(pathsOf('enum'))
  const longListPaths = pathsOf('maxItems').map((path) => `${path}/`)
  return problems.filter(
    ({ keyword, instancePath }) =>
      (keyword !== 'type' || !enumPaths.has(instancePath)) &&
      !longListPaths.some((path) => instancePath.startsWith(path)),
  )
}

function toDetails(problem: SchemaError, root: unknown, inBody: boolean): ErrorDetail[] {
  if (problem.keyword === 'required') {
    return problem.params.requiredProperties.map((name) => ({
      ...locationOf(`${problem.instancePath}/${name}`, inBody),
      code: 'missing',
      message: 'This is required.',
    }))
  }
  const value = valueAt(root, problem.instancePath.split('/').slice(1))
  const isRepeated = !inBody && Array.isArray(value) && problem.keyword !== 'maxItems'
  return [
    {
      ...locationOf(problem.instancePath, inBody),
      ...(isRepeated ? REPEATED_PARAMETER : describeProblem(problem, value, inBody)),
    },
  ]
}

type DetailText = Pick<ErrorDetail, 'code' | 'message'>

const REPEATED_PARAMETER: DetailText = { code: 'invalid_value', message: 'Send this parameter only once.' }

function describeProblem(
  problem: Exclude<SchemaError, { keyword: 'required' }>,
  value: unknown,
  inBody: boolean,
): DetailText {
  switch (problem.keyword) {
    case 'type':
      return describeTypeError(problem.params.type, value, inBody)
    case 'enum': {
      const message = `This must be one of: ${problem.params.allowedValues.map(String).join(', ')}.`
      return { code: typeof value === 'string' ? 'invalid_value' : 'invalid_type', message }
    }
    case 'minLength':
      return { code: 'invalid_value', message: 'This must not be empty.' }
    case 'minItems':
      return { code: 'out_of_range', message: `Give at least ${valuesOf(problem.params.limit)}.` }
    case 'maxItems':
      return { code: 'out_of_range', message: `Give at most ${valuesOf(problem.params.limit)}.` }
    case 'maxLength':
      return { code: 'too_long', message: `This must have at most ${problem.params.limit} characters.` }
    case 'pattern':
      return { code: 'invalid_value', message: ruleOfPattern(problem.params.pattern) }
    case 'format':
      return { code: 'invalid_value', message: `This must be ${FORMAT_NAMES[problem.params.format]}.` }
    case 'minimum':
    case 'maximum':
      return {
        code: 'out_of_range',
        message: `This must be at ${problem.keyword === 'minimum' ? 'least' : 'most'} ${problem.params.limit}.`,
      }
  }
}

const valuesOf = (count: number): string => (count === 1 ? '1 value' : `${count} values`)

const FORMAT_NAMES: Record<string, string> = {
  email: 'an email address',
  date: 'a date, such as 2024-02-29',
  'date-time': 'a date and time with an offset, such as 2024-02-29T12:00:00Z',
  uri: 'a valid web address',
  country: 'a country code (ISO 3166), such as NL',
  currency: 'a currency code (ISO 4217), such as EUR',
}

const TYPE_NAMES: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a JSON array',
  object: 'a JSON object',
}

function describeTypeError(type: string | string[], value: unknown, inBody: boolean): DetailText {
  if (type === 'integer' && (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY))
    return { code: 'out_of_range', message: `This must be ${INT64_RANGE}.` }
  // Every value in a query is text, so a message about the type would not help. In a body, the quotes around
  // the number are the mistake.
  if (!inBody && type === 'integer' && typeof value === 'string' && /^[+-]?\d+$/.test(value))
    return { code: 'invalid_type', message: 'Write this number without leading zeros or a plus sign.' }
  const names = [type].flat().map((name) => TYPE_NAMES[name] ?? name)
  return { code: 'invalid_type', message: `This must be ${names.join(' or ')}.` }
}

function locationOf(pointer: string, inBody: boolean): Pick<ErrorDetail, 'pointer' | 'parameter'> {
  return inBody ? { pointer } : { parameter: pointer.split('/')[1] ?? '' }
}

/** The value of a member of a member, and so on. Undefined if any of them is missing. */
export const valueAt = (whole: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], whole)

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

/** Converts query parameters to the types of a schema, and adds defaults. Drops unknown parameters. */
function readQuery({ properties }: ObjectSchema, raw: Record<string, unknown>): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const value = raw[name] === undefined ? schema.default : convertText(schema, raw[name])
    if (value !== undefined) query[name] = value
  }
  return query
}

/** Finds parameters written as `id[]`, as some libraries do. Ignoring such a filter would list everything. */
function findBracketed({ properties }: ObjectSchema, raw: Record<string, unknown>): ErrorDetail[] {
  return Object.keys(raw).flatMap((parameter) => {
    const name = parameter.split('[', 1)[0] ?? ''
    if (name === parameter || !Object.hasOwn(properties, name)) return []
    const example = properties[name]?.type === 'array' ? `${name}=1&${name}=2` : `${name}=…`
    return { parameter, code: 'invalid_value', message: `Write this without brackets: ${example}.` } as const
  })
}

/** Cuts a list to one item more than allowed. Validation then still refuses it, but at a limited cost. */
function limitLength(list: unknown[], maxItems = Number.POSITIVE_INFINITY): unknown[] {
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

/** Hook: refuses filters without effect. Otherwise a request with a misspelt filter would list everything. */
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
