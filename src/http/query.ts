import type { ErrorDetail } from '../errors.ts'
import { DECIMAL, int64ToNumber } from './int64.ts'

export interface QuerySchema {
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
    const form = properties[name]?.type === 'array' ? `${name}=1&${name}=2` : `${name}=…`
    return { parameter, code: 'invalid_value', message: `Write this without brackets: ${form}.` } as const
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
