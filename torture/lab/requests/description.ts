import { readFileSync } from 'node:fs'
import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { PUBLISHED } from '../../../src/http/text.ts'
import type { JsonSchema } from './values.ts'

// openapi.json, as a program reads it: which operations there are, and what fits a schema.

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
  /** As in the description, such as /pets/{petId}. */
  path: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, Response>
  'x-access': 'read' | 'write' | 'admin'
}

type Described = Omit<Operation, 'method' | 'path'>

const description = JSON.parse(readFileSync('openapi.json', 'utf8'), asInWords)

/** What the description leaves to words, because not every tool could read it, as a rule that can be checked. */
function asInWords(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { pattern, 'x-extensible-enum': known } = value as {
    pattern?: string
    'x-extensible-enum'?: string[]
  }
  const [strict] = Object.entries(PUBLISHED).find(([, published]) => published.pattern === pattern) ?? []
  return { ...value, ...(strict && { pattern: strict }), ...(known && { enum: known }) }
}

/** What a reference names, or the thing itself. */
function referred<Value extends object>(value: Value | { $ref: string }): Value {
  if (!('$ref' in value)) return value as Value
  const [, ...names] = (value as { $ref: string }).$ref.split('/')
  return names.reduce((part, name) => part[name], description)
}

function readAnswers(responses: Described['responses']): Described['responses'] {
  const read = (answer: Response): Response => {
    const { headers = {}, ...rest } = referred(answer)
    const named = Object.entries(headers).map(([name, header]) => [name, referred(header)])
    return { ...rest, headers: Object.fromEntries(named) }
  }
  return Object.fromEntries(Object.entries(responses).map(([status, answer]) => [status, read(answer)]))
}

export const OPERATIONS: Operation[] = Object.entries<Record<string, Described>>(description.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      responses: readAnswers(operation.responses),
      path,
      method: method.toUpperCase(),
    })),
)

const ajv = new Ajv2020({ strict: false, allErrors: false, ownProperties: true, formats: { uri: true } })
ajv.addFormat('int64', { type: 'number', validate: (value) => Math.abs(value) <= 2 ** 63 })
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
ajv.addFormat(
  'date',
  (text) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text),
)
// The pattern beside it says it all.
ajv.addFormat('email', true)
ajv.addSchema({ $id: 'description', components: description.components })

const compiled = new Map<JsonSchema, (value: unknown) => string | undefined>()

/** @returns what of the value the schema does not describe; nothing when it fits */
export function misfit(schema: JsonSchema, value: unknown): string | undefined {
  const known = compiled.get(schema) ?? compile(schema)
  compiled.set(schema, known)
  return known(value)
}

function compile(schema: JsonSchema): (value: unknown) => string | undefined {
  const local = JSON.stringify(schema).replaceAll('"#/components', '"description#/components')
  const validate = ajv.compile(JSON.parse(local))
  const tell = ({ instancePath, message }: ErrorObject) => `${instancePath || 'it'} ${message}`
  return (value) => (validate(value) ? undefined : (validate.errors ?? []).map(tell).join(', '))
}

export function resolve(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : description.components.schemas[name]
}

/** The operation that an address and a method name, or all methods that the address has. */
export function route(method: string, target: string): { operation?: Operation; methods: string[] } {
  const path = pathOf(target)
  const all = OPERATIONS.filter((operation) => path !== undefined && fits(`/v1${operation.path}`, path))
  // An address with a name of its own comes before one that takes any.
  const named = all.filter((operation) => `/v1${operation.path}` === path)
  const asked = method === 'HEAD' ? 'GET' : method
  const operation = [...named, ...all].find((one) => one.method === asked)
  const methods = (named.length > 0 ? named : all).flatMap((one) =>
    one.method === 'GET' ? ['GET', 'HEAD'] : [one.method],
  )
  return { ...(operation && { operation }), methods: methods.sort() }
}

/** Of a request target; nothing when it cannot be decoded. */
export function pathOf(target: string): string | undefined {
  const path = target.replace(/^https?:\/\/[^/?#]+\/?/i, '/').split(/[?#]/, 1)[0] ?? ''
  try {
    // As the router does, to which an encoded slash is none.
    return decodeURI(path)
  } catch {
    return undefined
  }
}

function fits(template: string, path: string): boolean {
  const parts = path.split('/')
  const wanted = template.split('/')
  return (
    parts.length === wanted.length &&
    wanted.every((part, index) => (part[0] === '{' && parts[index] !== '') || part === parts[index])
  )
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i
const MOST = 2n ** 63n

/** Reads JSON so that no integer is rounded to another: one that would be stands for its kind. */
export function readExactly(text: string): unknown {
  return JSON.parse(text, (_name, value, context?: { source?: string }) =>
    typeof value === 'number' ? standIn(context?.source ?? '', value) : value,
  )
}

/** A number of the same kind: 0.5 for what is no int64, itself or a large one for what is. */
function standIn(source: string, value: number): number {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0
  const shift = Number(exponent) - fraction.length
  const cut = digits.length + shift
  if (cut <= 0 || cut > 19 || /[1-9]/.test(digits.slice(cut))) return 0.5
  const exact = BigInt(digits.slice(0, cut).padEnd(cut, '0'))
  if (source.startsWith('-') ? exact > MOST : exact >= MOST) return 0.5
  return Number.isSafeInteger(value) ? value : Math.sign(value) * 2 ** 53
}

/** In a query an integer is plain decimal, and only what is a list may be given more than once. */
export function queryFits(given: JsonSchema, values: string[]): boolean {
  const schema = resolve(given)
  if (!schema.items && values.length > 1) return false
  if (schema.maxItems !== undefined && values.length > schema.maxItems) return false
  return values.every((text) => {
    const one = schema.items ?? schema
    if (one.type !== 'integer') return misfit(one, text) === undefined
    if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return false
    // An id that nothing can have finds nothing, and is no mistake.
    const { minimum, ...anyId } = one
    return misfit(one.format === 'int64' ? anyId : one, readExactly(text)) === undefined
  })
}
