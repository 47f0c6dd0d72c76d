import { COUNTRY, CURRENCY, HTTPS } from '../../../src/http/text.ts'
import { CODE } from '../../../src/organizations/schema.ts'
import { FIELDS_PATTERN } from '../../../src/pets/fields.ts'
import { list } from '../list.ts'
import type { Random } from '../random.ts'
import { BAD_NAMES, INTEGERS, NAMES } from './oddities.ts'

/** The part of JSON Schema that openapi.json uses. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  enum?: (string | null)[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  oneOf?: JsonSchema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  format?: string
}

interface Options {
  random: Random
  resolve: (schema: JsonSchema) => JsonSchema
  /** A number for an int64 of this name, usually an existing id. */
  someId: (name: string) => number
}

const EMAILS = ['a@example.org', 'A+b@ex-ample.org', 'o.brien@shelter.example', 'x_1@a.b.c.example']
const DATES = ['1950-01-01', '2020-02-29', '2026-11-23']
const TIMES = ['2020-02-29T00:00:00Z', '2026-11-23T12:00:00.001Z', '2030-01-01T00:00:00Z']
/** Texts for patterns that random texts do not match. */
const TEXTS_BY_PATTERN: Record<string, string[]> = {
  [COUNTRY.pattern]: ['NL', 'US'],
  [CURRENCY.pattern]: ['EUR', 'JPY'],
  [CODE]: ['A', 'CO12', 'b-2-c', 'Co12'],
  [FIELDS_PATTERN]: ['id,name', '*,updatedAt', 'status,categoryId,id'],
  [HTTPS]: ['https://a.example', 'https://videos.example/1?a=%20&b=[1]#c'],
}
const ODD_EMAILS = list('a@b¦x¦¦ä@example.org¦"a b"@example.org¦a@b..c')
const OTHERS = list('null¦true¦0¦1.5¦"x"¦""¦[]¦{}¦[{}]¦{"a":1}¦-1¦1e400')
const WORD = 'abc xyz-09äßЖ日本🐕🏽\u00a0\u200d"\\/<%\n\t'
const SPACES = ['', '', '', ' ', '\n  ', '\t\r\n']

/** Members that must name something that exists. They are rare, because most values lead to a rejection. */
const RARE_MEMBERS = list('alsoPetIds¦bondedWith¦organizationId')
const chanceOf = (name: string, chance: number): number => (RARE_MEMBERS.includes(name) ? chance / 5 : chance)

/** Makes JSON texts from schemas. */
export function createValues({ random, resolve, someId }: Options) {
  const { chance, pick, shuffled, integer } = random

  /** JSON that matches the schema. */
  function valid(given: JsonSchema, name = ''): string {
    const schema = resolve(given)
    if (schema.enum) return JSON.stringify(pick(schema.enum))
    const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type
    if (type === 'string') return encode(text(schema))
    if (type === 'integer') return String(integerText(schema, name))
    if (type === 'boolean') return pick(['true', 'false'])
    if (type === 'number') return String(integer(-9_000, 9_000) / 100)
    if (type === 'array') {
      const count = integer(schema.minItems ?? 0, Math.min(schema.maxItems ?? 4, 4))
      return `[${Array.from({ length: count }, () => valid(schema.items ?? {}, name))}]`
    }
    return type === 'object' ? object(schema, valid) : 'null'
  }

  /** As JSON, sometimes with escapes for all characters outside ASCII. */
  function encode(text: string): string {
    const spell = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
    const json = JSON.stringify(text)
    return chance(0.2) ? json.replace(/[^\0-\x7f]/g, spell) : json
  }

  function integerText({ minimum, maximum }: JsonSchema, name: string): number {
    return minimum === undefined || maximum === undefined ? someId(name) : integer(minimum, maximum)
  }

  function text({ format, pattern, minLength = 0, maxLength = 100 }: JsonSchema): string {
    if (format === 'email') return pick(EMAILS)
    if (format === 'date') return pick(DATES)
    if (format === 'date-time') return pick(TIMES)
    const formed = TEXTS_BY_PATTERN[pattern ?? '']
    if (formed) return pick(formed)
    const letters = [...WORD]
    const most = chance(0.05) ? maxLength : Math.min(maxLength, 12)
    for (;;) {
      const name = pick(NAMES)
      const made = chance(0.5)
        ? pick([name, name, name.toUpperCase(), ` ${name}`])
        : Array.from({ length: integer(minLength, most) }, () => pick(letters)).join('')
      const { length } = [...made]
      if (length < minLength || length > maxLength) continue
      if (pattern === undefined || new RegExp(pattern, 'u').test(made)) return made
    }
  }

  /** An object with some of the members in random order, and sometimes an unknown one. */
  function object({ properties = {}, required = [] }: JsonSchema, make: typeof valid): string {
    const all = Object.entries(properties)
    // With many members nearly every body would be rejected for one of them.
    const share = all.length > 10 ? 0.12 : 0.5
    const members = all
      // The first members matter most for other requests, such as the status for orders.
      .filter(([name], index) => required.includes(name) || chance(chanceOf(name, index < 3 ? 0.5 : share)))
      .map(([name, schema]) => [name, make(schema, name)])
    if (chance(0.05)) members.push(['extra', pick(OTHERS)])
    const space = pick(SPACES)
    const written = shuffled(members).map(([name, json]) => `${space}"${name}"${space}:${space}${json}`)
    return `{${written}${space}}`
  }

  /** JSON that usually does not match the schema. */
  function invalid(given: JsonSchema, name = ''): string {
    const schema = resolve(given)
    if (chance(0.15)) return pick(OTHERS)
    if (schema.enum) {
      const one = schema.enum[0] ?? ''
      return pick([pick(INTEGERS), ...[`${one} `, '', 'x', one.toUpperCase()].map((text) => `"${text}"`)])
    }
    const type = [schema.type].flat()[0]
    if (type === 'integer') return pick(INTEGERS)
    if (type === 'string') return invalidText(schema)
    if (type === 'object') return invalidObject(schema)
    return type === 'array' ? `[${invalid(schema.items ?? {}, name)}]` : pick(OTHERS)
  }

  function invalidText({ format, minLength = 0, maxLength = 100 }: JsonSchema): string {
    if (format === 'email' && chance(0.5)) return JSON.stringify(pick(ODD_EMAILS))
    const one = pick(NAMES.filter((text) => text.trim() !== ''))
    return JSON.stringify(
      pick([
        pick(BAD_NAMES),
        one + pick(BAD_NAMES),
        ...[minLength - 1, maxLength, maxLength + 1, 2 * maxLength].map((length) =>
          [...one.repeat(Math.max(0, length))].slice(0, Math.max(0, length)).join(''),
        ),
      ]),
    )
  }

  function invalidObject(schema: JsonSchema): string {
    const names = Object.keys(schema.properties ?? {})
    const spoilt = pick(names)
    const { [spoilt]: gone, ...others } = schema.properties ?? {}
    if (!gone) return '{}'
    if (chance(0.25)) return object({ ...schema, properties: others }, valid)
    return object({ ...schema, required: names }, (one, name) =>
      name === spoilt ? invalid(one, name) : valid(one, name),
    )
  }

  return { valid, invalid }
}
