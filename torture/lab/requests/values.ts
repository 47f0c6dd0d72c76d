import { COUNTRY, CURRENCY, HTTPS } from '../../../src/http/text.ts'
import { CODE } from '../../../src/organizations/schema.ts'
import { FIELDS_PATTERN } from '../../../src/pets/fields.ts'
import { list, type Random } from '../random.ts'

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

// Values that clients should not send or rarely send, and that software often handles incorrectly.

export const NAMES = list(
  'Rex¦Bella¦bella¦Мурка¦小白¦日本語¦さくら¦ｻｸﾗ¦고양이¦חתול¦قطة¦แมว¦बिल्ली¦Ζεύς¦ΖΕΥΣ¦Großer¦GROẞER¦İ¦ı¦I¦ǅ¦ﬁ¦é',
  'e\u0301¦z\u0335\u0321\u033b\u0310¦👩‍👩‍👧¦🐕‍🦺¦🇺🇦¦\u{10ffff}¦🐕¦\u00a0¦\u00ad¦\u200b¦\u200f¦\u2028',
  '\u202e¦\u3000¦\ue000¦\ufdd0¦\ufeff¦\ufffd¦\uffff¦O\'Malley¦"quoted"¦back\\slash',
  "'; drop table pet; --¦%s%n¦%_¦$1¦{}¦</script>¦__proto__¦null¦a b  c",
)

/** Names that the service rejects. */
const BAD_NAMES = list('¦ ¦\u3000¦\0¦a\0b¦\x7f¦\x85¦\n¦\t¦\ud83d¦\udc15')

/** JSON values for an integer. */
export const INTEGERS = list(
  '0¦-0¦-1¦9¦1.0¦10e-1¦1e0¦1E2¦1.5¦1e-400¦1e400¦-1e400¦1.0000000000000000001¦2147483647¦2147483648',
  '-2147483649¦4294967296¦9007199254740991¦9007199254740992¦9007199254740993¦-9007199254740993',
  '9223372036854775807¦9223372036854775808¦-9223372036854775808¦-9223372036854775809',
  '92233720368547758070e-1¦18446744073709551616¦100000000000000000000000000000000000000000¦"1"¦"0x1"',
  'null¦true¦false¦[]¦[1]¦{}¦""',
)

/** Path segments for an id. */
export const PATH_IDS = list(
  '0¦-1¦-0¦+1¦01¦1.0¦1e0¦0x1¦abc¦%31¦1%00¦%00¦%20¦1%20¦%2F¦%zz¦%¦%ff¦%F0%9F%90%95¦9007199254740993',
  '9223372036854775807¦9223372036854775808¦-9223372036854775808¦-9223372036854775809',
  '99999999999999999999999¦é¦1;a=b¦1?status=sold¦1#fragment¦__proto__¦¦.¦..¦1/¦1//history¦1/histories',
)

/** Paths that are in the description, or similar to them. */
export const ADDRESSES = [
  ...list(
    '/v1¦/v1/¦/v1//pets¦/v1/pets/¦/V1/pets¦/v1/Pets¦/v1/pets/1/history/2¦/v1/petz¦/v1/%70ets',
    '/v1/pets%2F1¦/v1/pets;x=1¦/v1/pets?¦/v1/pets?%zz=1¦/v1/pets?limit=%zz¦/v1/pets?status=%00',
    '/v1/pets?limit=5#status¦/v1/../v1/pets¦/v1/store¦/v1/store/orders/1/2',
    '/v1/store/orders?petId=x&status=y¦/v1/inventory?x=1¦/v1/inventory¦/v1/categories¦/w1/pets',
    'http://pets.example/v1/pets?limit=2¦http://other.example/v1/petz',
  ),
  ...[8_000, 8_300].map((length) => `/v1/pets?x=${'x'.repeat(length)}`),
]
export const OTHER_ADDRESSES = list(
  '/¦//¦*¦/pets¦/livez¦/readyz¦/openapi.json¦/docs¦/.well-known/api-catalog¦/favicon.ico',
)

export const MEDIA_TYPES = list(
  'application/json; charset=utf-8¦application/json;charset="UTF-8"; a=b',
  'application/json; charset=latin1¦APPLICATION/JSON¦application/merge-patch+json',
  'application/x-www-form-urlencoded¦multipart/form-data; boundary=x¦text/plain¦text/json¦json¦¦é',
)

/** Requests that the HTTP parser or the first checks of the service reject. */
export const BROKEN = [
  'GARBAGE\r\n\r\n',
  '\x16\x03\x01\x02\0\x01\0\x01',
  'GET /v1/pets HTTP/1.1\r\n\r\n',
  'GET /v1/pets HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET /v1/pets HTTP/1.1\r\nHost: a b\r\n\r\n',
  'GET /v1/pets HTTP/9.9\r\nHost: a\r\n\r\n',
  'GET /v1/pets HTTP/1.0\r\n\r\n',
  'get /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET  /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /v1/pets HTTP/1.1\r\nHost : a\r\n\r\n',
  'GET /v1/pets HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n',
  'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Name: a\0b\r\n\r\n',
  'CONNECT pets.example:443 HTTP/1.1\r\nHost: pets.example:443\r\n\r\n',
  'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
  'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
  'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n',
  'POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Name: ${'x'.repeat(20_000)}\r\n\r\n`,
  `GET /v1/pets?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
]
