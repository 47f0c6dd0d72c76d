import { readFileSync } from 'node:fs'
import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { PORTABLE_PATTERNS } from '../../../src/http/text.ts'
import type { WireRequest } from '../wire.ts'
import type { JsonSchema } from './values.ts'

// Reads openapi.json: the operations, and whether a value matches a schema.

export interface Parameter {
  in: 'path' | 'query' | 'header'
  name: string
  required?: boolean
  schema: JsonSchema
}

interface Response {
  headers?: Record<string, { required?: boolean; schema: JsonSchema }>
  content?: Record<string, { schema: JsonSchema }>
}

export interface Operation {
  operationId: string
  method: string
  /** As in openapi.json, such as /pets/{petId}. */
  path: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, Response>
  'x-access': 'read' | 'write' | 'admin'
}

type OperationObject = Omit<Operation, 'method' | 'path'>

const description = JSON.parse(readFileSync('openapi.json', 'utf8'), restoreRules)

/** Restores rules that the description has only in words or loosely, because some tools cannot read them. */
function restoreRules(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { pattern, 'x-extensible-enum': knownValues } = value as {
    pattern?: string
    'x-extensible-enum'?: string[]
  }
  const [strict] =
    Object.entries(PORTABLE_PATTERNS).find(([, published]) => published.pattern === pattern) ?? []
  return { ...value, ...(strict && { pattern: strict }), ...(knownValues && { enum: knownValues }) }
}

/** The target of a $ref, or the value itself. */
function dereference<Value extends object>(value: Value | { $ref: string }): Value {
  if (!('$ref' in value)) return value as Value
  const [, ...names] = (value as { $ref: string }).$ref.split('/')
  return names.reduce((part, name) => part[name], description)
}

function readResponses(responses: OperationObject['responses']): OperationObject['responses'] {
  const read = (answer: Response): Response => {
    const { headers = {}, ...rest } = dereference(answer)
    const named = Object.entries(headers).map(([name, header]) => [name, dereference(header)])
    return { ...rest, headers: Object.fromEntries(named) }
  }
  return Object.fromEntries(Object.entries(responses).map(([status, answer]) => [status, read(answer)]))
}

export const OPERATIONS: Operation[] = Object.entries<Record<string, OperationObject>>(
  description.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    responses: readResponses(operation.responses),
    path,
    method: method.toUpperCase(),
  })),
)

/**
 * The operations that random requests use. A stream has no end, and events and webhooks contain random
 * versions and secrets, which differ between two stores. Their tests are in src/events and src/webhooks.
 */
export const RANDOM_OPERATIONS = OPERATIONS.filter(({ path }) => !/^\/(?:events|webhooks)/.test(path))

const ajv = new Ajv2020({ strict: false, allErrors: false, ownProperties: true, formats: { uri: true } })
ajv.addFormat('int64', { type: 'number', validate: (value) => Math.abs(value) <= 2 ** 63 })
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
ajv.addFormat(
  'date',
  (text) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text),
)
// Every email schema has a pattern too.
ajv.addFormat('email', true)
ajv.addSchema({ $id: 'description', components: description.components })

const compiled = new Map<JsonSchema, (value: unknown) => string | undefined>()

/** @returns how the value differs from the schema; undefined when it matches */
export function findMismatch(schema: JsonSchema, value: unknown): string | undefined {
  const knownValues = compiled.get(schema) ?? compile(schema)
  compiled.set(schema, knownValues)
  return knownValues(value)
}

function compile(schema: JsonSchema): (value: unknown) => string | undefined {
  const local = JSON.stringify(schema).replaceAll('"#/components', '"description#/components')
  const validate = ajv.compile(JSON.parse(local))
  const describe = ({ instancePath, message }: ErrorObject) => `${instancePath || 'it'} ${message}`
  return (value) => (validate(value) ? undefined : (validate.errors ?? []).map(describe).join(', '))
}

export function resolve(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  // One value or a list: the list allows both in a query.
  return name === undefined ? (schema.oneOf?.[1] ?? schema) : description.components.schemas[name]
}

/** The operation of a method and a target, and all methods of the target's path. */
export function findRoute(method: string, target: string): { operation?: Operation; methods: string[] } {
  const path = pathOf(target)
  const all = OPERATIONS.filter(
    (operation) => path !== undefined && matchesTemplate(`/v1${operation.path}`, path),
  )
  // As in the router, a fixed path comes before one with a parameter.
  const named = all.filter((operation) => `/v1${operation.path}` === path)
  const describedMethod = method === 'HEAD' ? 'GET' : method
  const operation = [...named, ...all].find((one) => one.method === describedMethod)
  const methods = (named.length > 0 ? named : all).flatMap((one) =>
    one.method === 'GET' ? ['GET', 'HEAD'] : [one.method],
  )
  return { ...(operation && { operation }), methods: methods.sort() }
}

/** The path of a request target; undefined when it cannot be decoded. */
export function pathOf(target: string): string | undefined {
  const path = target.replace(/^https?:\/\/[^/?#]+\/?/i, '/').split(/[?#]/, 1)[0] ?? ''
  try {
    // As in the router, where an encoded slash does not separate segments.
    return decodeURI(path)
  } catch {
    return undefined
  }
}

function matchesTemplate(template: string, path: string): boolean {
  const parts = path.split('/')
  const templateParts = template.split('/')
  return (
    parts.length === templateParts.length &&
    templateParts.every((part, index) => (part[0] === '{' && parts[index] !== '') || part === parts[index])
  )
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i
const MAX_INT64 = 2n ** 63n

/** Parses JSON. An integer that would be rounded is replaced by a number of the same kind. */
export function readExactly(text: string): unknown {
  return JSON.parse(text, (_name, value, context?: { source?: string }) =>
    typeof value === 'number' ? substitute(context?.source ?? '', value) : value,
  )
}

/** A number of the same kind: 0.5 for anything but an int64; the number or a large one for an int64. */
function substitute(source: string, value: number): number {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0
  const shift = Number(exponent) - fraction.length
  const cut = digits.length + shift
  if (cut <= 0 || cut > 19 || /[1-9]/.test(digits.slice(cut))) return 0.5
  const exact = BigInt(digits.slice(0, cut).padEnd(cut, '0'))
  if (source.startsWith('-') ? exact > MAX_INT64 : exact >= MAX_INT64) return 0.5
  return Number.isSafeInteger(value) ? value : Math.sign(value) * 2 ** 53
}

/** Whether query values are valid: integers are plain decimals, and only lists may repeat. */
export function isValidQuery(given: JsonSchema, values: string[]): boolean {
  const schema = resolve(given)
  if (!schema.items && values.length > 1) return false
  if (schema.maxItems !== undefined && values.length > schema.maxItems) return false
  return values.every((text) => {
    const one = schema.items ?? schema
    if (one.type !== 'integer') return findMismatch(one, text) === undefined
    if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return false
    // An id outside of the range finds nothing, but is valid.
    const { minimum, ...anyId } = one
    return findMismatch(one.format === 'int64' ? anyId : one, readExactly(text)) === undefined
  })
}

/** A request that is still being made. */
export interface Draft {
  operation: Operation
  method: string
  /** Starts with /v1, unless a mutation changed it. */
  path: string
  query: [name: string, value: string][]
  headers: [name: string, value: string][]
  body?: string | Buffer
  /** Whether the description alone decides if the request is valid. */
  decidable: boolean
  /** The framing is broken, so no other request may follow on the connection. */
  broken: boolean
}

export interface Request extends WireRequest {
  target: string
  /** Whether query and body match the description; undefined when the description alone does not decide. */
  valid: boolean | undefined
  broken: boolean
  /** Expected X-Request-Id of the answer, if the request has one. */
  id: string | undefined
  /** The draft from which this request was made. */
  draft: Draft
}
