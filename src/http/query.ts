import type { ErrorDetail } from '../errors.ts'
import { DECIMAL, toNumber } from './int64.ts'

export interface QuerySchema {
  type?: string
  format?: string
  default?: unknown
  items?: QuerySchema
}

export interface ObjectSchema {
  properties: Record<string, QuerySchema>
}

export function readQuery(
  { properties }: ObjectSchema,
  raw: Record<string, unknown>,
): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const value = raw[name] === undefined ? schema.default : readText(schema, raw[name])
    if (value !== undefined) query[name] = value
  }
  return query
}

/** Known parameters in the form `id[]`, which some libraries send: ignored, they would list everything. */
export function findBracketed({ properties }: ObjectSchema, raw: Record<string, unknown>): ErrorDetail[] {
  return Object.keys(raw).flatMap((parameter) => {
    const name = parameter.split('[', 1)[0] ?? ''
    if (name === parameter || !Object.hasOwn(properties, name)) return []
    const form = properties[name]?.type === 'array' ? `${name}=1&${name}=2` : `${name}=…`
    return { parameter, code: 'invalid_value', message: `Write this without brackets: ${form}.` } as const
  })
}

/** What does not look like a number stays text, and is refused as such. */
function readText({ type, format, items }: QuerySchema, text: unknown): unknown {
  if (type === 'array' && items) return [text].flat().map((one) => readText(items, one))
  // People write codes of countries in either case.
  if (format === 'country' && typeof text === 'string') return text.toUpperCase()
  if (type !== 'integer' || typeof text !== 'string' || !DECIMAL.test(text)) return text
  return format === 'int64' ? toNumber(BigInt(text)) : Number(text)
}
