import type { FastifySchemaCompiler } from 'fastify'
import Format from 'typebox/format'
import Schema from 'typebox/schema'
import { Settings } from 'typebox/system'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { INT64_RANGE } from './int64.ts'
import { isCountry, isCurrency } from './iso-codes.ts'
import { findBracketed, type ObjectSchema, readQuery } from './query.ts'
import { EMAIL, ruleOf } from './text.ts'
import type { TSchema } from './type.ts'

/** All problems are named at once: more than the longest query or body can have. */
Settings.Set({ maxErrors: 65_536 })

/** What a schema can say of a text by name. TypeBox alone takes more for an e-mail address. */
const IS_EMAIL = new RegExp(EMAIL)
Format.Set('email', (text) => IS_EMAIL.test(text))
/** A pattern cannot tell all that is wrong with an address. */
Format.Set('uri', (text) => URL.canParse(text))
/** TypeBox alone takes what RFC 9557 adds in brackets, too. */
Format.Set('date-time', (text) => !text.includes('[') && Format.IsDateTime(text))
Format.Set('country', isCountry)
Format.Set('currency', isCurrency)

/**
 * Validates the parts of a request with the schema that also types and describes them, naming every problem
 * at once. Of a body, what the schema names is taken as it is, and nothing else; of a query, text becomes
 * a number where the schema has one, and defaults are filled in. A path is left alone: what names no resource
 * is a 404 of that resource.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'params') return (value) => ({ value })
  // With the first request: a start has a hundred schemas, of which most see none for long.
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
    const fits = validator().Check(value)
    if (bracketed.length === 0 && fits) return { value }
    const problems = fits ? [] : mostTelling(validator().Errors(value)[1] as Problem[])
    const details = problems.flatMap((problem) => toDetails(problem, value, inBody)).concat(bracketed)
    // One problem a place: the first is the cause of those after it.
    const first = [
      ...new Map(details.reverse().map((detail) => [detail.pointer ?? detail.parameter, detail])).values(),
    ]
    return {
      error: new ApiError(inBody ? 'validation_failed' : 'invalid_parameter', { details: first.reverse() }),
    }
  }
}

interface BodySchema {
  properties?: Record<string, BodySchema>
}

/** Without members that the schema does not name: in the writer, 64 KB of them would take 1.4 MB. */
function bodyReader({ properties }: BodySchema): (value: unknown) => unknown {
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

/** What TypeBox says of a value that does not fit, as far as it is used here. */
type Problem = { instancePath: string } & (
  | { keyword: 'required'; params: { requiredProperties: string[] } }
  | { keyword: 'type'; params: { type: string | string[] } }
  | { keyword: 'enum'; params: { allowedValues: string[] } }
  | { keyword: 'minLength' | 'maxLength'; params: { limit: number } }
  | { keyword: 'minimum' | 'maximum'; params: { limit: number } }
  | { keyword: 'minItems' | 'maxItems'; params: { limit: number } }
  | { keyword: 'pattern'; params: { pattern: string } }
  | { keyword: 'format'; params: { format: string } }
)

/** Without the type where all values can be named. */
function mostTelling(problems: Problem[]): Problem[] {
  const named = new Set(problems.filter(({ keyword }) => keyword === 'enum').map((one) => one.instancePath))
  return problems.filter(({ keyword, instancePath }) => keyword !== 'type' || !named.has(instancePath))
}

function toDetails(problem: Problem, root: unknown, inBody: boolean): ErrorDetail[] {
  if (problem.keyword === 'required') {
    return problem.params.requiredProperties.map((name) => ({
      ...sourceOf(`${problem.instancePath}/${name}`, inBody),
      code: 'missing',
      message: 'This is required.',
    }))
  }
  const value = at(root, problem.instancePath)
  const isRepeated = !inBody && Array.isArray(value) && problem.keyword !== 'maxItems'
  return [
    { ...sourceOf(problem.instancePath, inBody), ...(isRepeated ? REPEATED : judge(problem, value, inBody)) },
  ]
}

type Finding = Pick<ErrorDetail, 'code' | 'message'>

const REPEATED: Finding = { code: 'invalid_value', message: 'Give this parameter once.' }

function judge(problem: Exclude<Problem, { keyword: 'required' }>, value: unknown, inBody: boolean): Finding {
  switch (problem.keyword) {
    case 'type':
      return judgeType(problem.params.type, value, inBody)
    case 'enum': {
      const message = `This must be one of: ${problem.params.allowedValues.map(String).join(', ')}.`
      return { code: typeof value === 'string' ? 'invalid_value' : 'invalid_type', message }
    }
    case 'minLength':
      return { code: 'invalid_value', message: 'This must not be empty.' }
    case 'minItems':
      return { code: 'out_of_range', message: `This must hold at least ${problem.params.limit}.` }
    case 'maxItems':
      return { code: 'out_of_range', message: `Give this at most ${problem.params.limit} times.` }
    case 'maxLength':
      return { code: 'too_long', message: `This must have at most ${problem.params.limit} characters.` }
    case 'pattern':
      return { code: 'invalid_value', message: ruleOf(problem.params.pattern) }
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

const FORMAT_NAMES: Record<string, string> = {
  email: 'an email address',
  date: 'a date, such as 2024-02-29',
  'date-time': 'a time with its offset, such as 2024-02-29T12:00:00Z',
  uri: 'an address that browsers know how to read',
  country: 'the code of a country (ISO 3166), such as NL',
  currency: 'the code of a currency (ISO 4217), such as EUR',
}

const TYPE_NAMES: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a JSON array',
  object: 'a JSON object',
}

function judgeType(type: string | string[], value: unknown, inBody: boolean): Finding {
  if (type === 'integer' && (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY))
    return { code: 'out_of_range', message: `This must be ${INT64_RANGE}.` }
  // A query is all text; in a body it is the quotes that are wrong.
  if (!inBody && type === 'integer' && typeof value === 'string' && /^[+-]?\d+$/.test(value))
    return { code: 'invalid_type', message: 'Write this number without leading zeros or a plus sign.' }
  const names = [type].flat().map((name) => TYPE_NAMES[name] ?? name)
  return { code: 'invalid_type', message: `This must be ${names.join(' or ')}.` }
}

function sourceOf(pointer: string, inBody: boolean): Pick<ErrorDetail, 'pointer' | 'parameter'> {
  return inBody ? { pointer } : { parameter: pointer.split('/')[1] ?? '' }
}

/** The value at an RFC 6901 pointer; the names in our schemas need no unescaping. */
function at(root: unknown, pointer: string): unknown {
  let value = root
  for (const name of pointer.split('/').slice(1))
    value = (value as Record<string, unknown> | undefined)?.[name]
  return value
}
