import type { FastifySchemaCompiler } from 'fastify'
import Format from 'typebox/format'
import Schema from 'typebox/schema'
import { Settings } from 'typebox/system'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { INT64_RANGE } from './int64.ts'
import { isCountry, isCurrency } from './iso-codes.ts'
import { findBracketed, limitLength, type ObjectSchema, readQuery } from './query.ts'
import { EMAIL, ruleOfPattern } from './text.ts'
import type { Static, TSchema } from './type.ts'

/**
 * The maximum number of errors that are collected. `bodyReader` cuts long lists, so a body or query has fewer
 * errors.
 */
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
 *
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
    ? bodyReader(schema as BodySchema)
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
function bodyReader({ properties, items, maxItems }: BodySchema): (value: unknown) => unknown {
  if (items) {
    const read = bodyReader(items)
    return (value) => (Array.isArray(value) ? limitLength(value, maxItems).map(read) : value)
  }
  if (!properties) return (value) => value
  const readers = Object.entries(properties).map(([name, schema]) => [name, bodyReader(schema)] as const)
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const members: Record<string, unknown> = {}
    for (const [name, read] of readers) {
      if (Object.hasOwn(value, name)) members[name] = read(value[name as keyof typeof value])
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

/**
 * Drops a type error if the same value has an enum error, and drops errors of items in a list that is too
 * long.
 */
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
  const value = valueAt(root, problem.instancePath)
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

/** The value at a JSON pointer (RFC 6901). Names in our schemas need no unescaping. */
function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const name of pointer.split('/').slice(1))
    value = (value as Record<string, unknown> | undefined)?.[name]
  return value
}
