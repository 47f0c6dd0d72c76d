import { list, type Random } from '../random.ts'
import { type Draft, type Request, resolve } from './description.ts'
import {
  ADDRESSES,
  BROKEN,
  type createValues,
  INTEGERS,
  MEDIA_TYPES,
  NAMES,
  OTHER_ADDRESSES,
  PATH_IDS,
} from './values.ts'

// Makes requests invalid or unusual: method, path, query, headers, body, framing, bytes.

interface Options {
  draft: Draft
  random: Random
  invalid: ReturnType<typeof createValues>['invalid']
  query: (parameter: Parameter, make: Options['invalid']) => [string, string][]
  otherPaths: boolean
}

type Parameter = NonNullable<Draft['operation']['parameters']>[number]
type Mutation = (options: Options) => void

/** Changes one part of a request. */
export function mutate(options: Options): void {
  options.random.weighted(MUTATIONS)(options)
}

/** A mutation after which the request may be valid or not: the description alone does not decide. */
const undecidable =
  (mutation: Mutation): Mutation =>
  (options) => {
    options.draft.decidable = false
    mutation(options)
  }

const MUTATIONS: [weight: number, mutation: Mutation][] = [
  [12, useInvalidBody],
  [4, corruptBody],
  [0.1, undecidable(padBody)],
  [1, undecidable(toggleBody)],
  [9, useInvalidQuery],
  [2, undecidable(addOddParameter)],
  [3, undecidable(useOddId)],
  [2, undecidable(useOddPath)],
  [3, undecidable(useOddMethod)],
  [2, undecidable(addOddHeader)],
  [1, undecidable(useOddMediaType)],
  [2, undecidable(addOtherHeaders)],
  [1, undecidable(useOddCredentials)],
  [0.5, breakFraming],
]

/** Puts a value that does not match the schema into the body. */
function useInvalidBody({ draft, invalid }: Options): void {
  const schema = Object.values(draft.operation.requestBody?.content ?? {})[0]?.schema
  if (schema) draft.body = invalid(schema)
}

const INSIDE = [
  ...list(',¦}¦"¦\\¦\0¦\n¦\\u0000¦\\ud83d¦\ufeff¦//¦null¦ '),
  ...[[0xff], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80]].map((bytes) => Buffer.from(bytes)),
]

/** Makes the body invalid JSON, or JSON that parsers read differently. */
function corruptBody({ draft, random }: Options): void {
  if (draft.body === undefined) return
  const { pick, integer } = random
  const text = String(draft.body)
  const bytes = Buffer.from(text)
  const cut = integer(0, bytes.length)
  const begin = (more: string): string => text.replace('{', `{${more},`)
  const deep = (levels: number): string => begin(`"deep":${'['.repeat(levels)}${']'.repeat(levels)}`)
  draft.decidable = false
  draft.body = pick<() => string | Buffer>([
    () => bytes.subarray(0, cut),
    () => Buffer.concat([bytes.subarray(0, cut), Buffer.from(pick(INSIDE)), bytes.subarray(cut)]),
    () => `\ufeff${text}`,
    () => Buffer.from(text, 'utf16le'),
    () => begin('"name":"a"'),
    () => begin(pick(['"__proto__":{}', '"constructor":{"prototype":{"a":1}}'])),
    () => deep(pick([30, 31, 32, 1_000])),
    () => text.replaceAll('"', "'"),
    () => text + pick(['{}', ',', 'x', ' \n']),
    () => pick(list('¦ ¦[]¦null¦1¦"x"¦{}¦{¦[{}]¦nul¦1e999999999¦-')),
  ])()
}

function padBody({ draft, random }: Options): void {
  draft.body = String(draft.body ?? '{}').padEnd(random.pick([65_000, 65_536, 65_537, 70_000]))
}

function toggleBody({ draft, random }: Options): void {
  if (draft.body !== undefined) delete draft.body
  else draft.body = random.pick(['', '{}', 'x', '{"name":"a","categoryId":1}'])
  if (random.chance(0.5)) draft.headers = draft.headers.filter(([name]) => name !== 'Content-Type')
}

/** Gives a described parameter a value that does not match its schema. */
function useInvalidQuery({ draft, random, invalid, query }: Options): void {
  const parameters = (draft.operation.parameters ?? []).filter((one) => one.in === 'query')
  if (parameters.length === 0) return
  const parameter = random.pick(parameters)
  if (parameter.name === 'cursor') draft.decidable = false
  const made = query(parameter, invalid)
  draft.query = draft.query.filter(([name]) => name !== parameter.name).concat(made)
  if (random.chance(0.2)) draft.query.push(...made)
  const { maxItems } = resolve(parameter.schema)
  if (maxItems === undefined || random.chance(0.8)) return
  for (let count = random.integer(maxItems - 2, maxItems + 1); count > 0; count -= 1)
    draft.query.push([parameter.name, '1'])
}

const ODD_PARAMETERS = list(
  'colour¦Limit¦limit[]¦limit%00¦l%69mit¦__proto__¦constructor¦a.b¦¦%zz¦status¦petId¦id[]',
)
const ODD_VALUES = [
  ...list('¦1¦%zz¦%¦+5¦%ff¦%00¦a=b¦?'),
  'x'.repeat(3_000),
  ...[...INTEGERS, ...NAMES].map((text) => encodeURIComponent(text.toWellFormed())),
]

/** Adds a parameter that is not described or not encoded correctly. */
function addOddParameter({ draft, random }: Options): void {
  const { path } = draft
  const value = random.pick(ODD_VALUES)
  const named = `${random.pick(ODD_PARAMETERS)}=${value}`
  const written = random.pick([named, value, '&', '&&', '=&=', '#x', `;limit=${value}`])
  draft.path = `${path}${path.includes('?') ? '&' : '?'}${written}`
}

/** Replaces an id with text that is not an id. */
function useOddId({ draft, random }: Options): void {
  const id = random.pick([...PATH_IDS, ...INTEGERS.filter((text) => !text.includes(' ')), 'x'.repeat(9_000)])
  draft.path = draft.path.replace(/(?<=\/)-?\d+(?=\/|$)/, () => Buffer.from(id).toString('latin1'))
}

function useOddPath({ draft, random, otherPaths }: Options): void {
  const { path } = draft
  const { pick, integer } = random
  draft.path = pick<() => string>([
    () => pick([...ADDRESSES, ...(otherPaths ? OTHER_ADDRESSES : [])]),
    () => `${path}/`,
    () => `${path}/x`,
    () => path.replace('/v1', pick(['/v1/', '/V1', '/w1', '/v1/.', '/v1/x/..', '//v1', '/v1%2f'])),
    () => path.replace(/[a-z](?=[a-z]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    () => path.slice(0, integer(2, path.length)),
    () => `http://pets.example${path}`,
    () => path.toUpperCase(),
    () => `${path}%zz`,
  ])()
}

const METHODS = list(
  'GET¦HEAD¦POST¦PUT¦PATCH¦DELETE¦OPTIONS¦TRACE¦PROPFIND¦QUERY¦MKCOL¦PURGE¦SEARCH¦REPORT¦M-SEARCH¦LINK',
)

function useOddMethod({ draft, random }: Options): void {
  draft.method = random.pick(METHODS)
}

const ODD_FIELDS = [
  ...list('¦ ¦"¦""¦a b¦\xe9¦\t¦,¦*¦"k¦\\¦{}'),
  ...[255, 300].map((length) => 'k'.repeat(length)),
]

/** Adds a header of the API description, or X-Request-Id, with an unusual value. */
function addOddHeader({ draft, random }: Options): void {
  const described = (draft.operation.parameters ?? []).filter((one) => one.in === 'header')
  const names = [...described.map(({ name }) => name), 'X-Request-Id']
  draft.headers.push([random.pick(names), random.pick(ODD_FIELDS)])
}

function useOddMediaType({ draft, random }: Options): void {
  const type = Buffer.from(random.pick(MEDIA_TYPES)).toString('latin1')
  const otherHeaders = draft.headers.filter(([name]) => name !== 'Content-Type' || random.chance(0.1))
  draft.headers = [...otherHeaders, ['Content-Type', type]]
  if (random.chance(0.2))
    draft.headers.push(['Content-Encoding', random.pick(['gzip', 'identity', 'br', ''])])
}

const MORE = list(
  'Accept: text/html¦Accept-Encoding: gzip, br¦Accept-Encoding: zstd¦Accept-Encoding: gzip;q=x, *;q=0¦Connection: close¦Connection: Upgrade¦Cookie: a=b',
  'Expect: 100-continue¦Expect: the unexpected¦Forwarded: for=1.2.3.4¦Host: a b¦Host: ',
  'If-Modified-Since: Sat, 21 Nov 2026 00:00:00 GMT¦If-Range: "x"¦Origin: https://example.org',
  'Range: bytes=0-1¦TE: trailers¦Upgrade: h2c¦X-Forwarded-For: 1.2.3.4¦X-Forwarded-Host: evil.example',
  'X-HTTP-Method-Override: DELETE¦__proto__: x¦constructor: x',
).map((line) => line.split(': ') as [string, string])

/** Adds headers that are not in the description. */
function addOtherHeaders({ draft, random }: Options): void {
  for (let count = random.integer(1, 3); count > 0; count -= 1) draft.headers.push(random.pick(MORE))
}

function useOddCredentials({ draft, random }: Options): void {
  const otherHeaders = draft.headers.filter(([name]) => name !== 'Authorization' || random.chance(0.2))
  const key = draft.headers.find(([name]) => name === 'Authorization')?.[1] ?? ''
  const odd = [
    `${key}x`,
    key.slice(0, -1),
    key.slice(7),
    `${key}, ${key}`,
    key.toUpperCase(),
    'x'.repeat(2_000),
  ]
  const value = random.pick([...list('¦Bearer¦Bearer x¦bearer  x¦Basic eDp5¦\xe9'), ...odd])
  draft.headers = [...otherHeaders, ['Authorization', value]]
}

const FRAMING = [
  ...list(
    'Content-Length: 1¦Content-Length: -1¦Content-Length: 5, 5¦Content-Length: 70000',
    'Transfer-Encoding: gzip¦Transfer-Encoding: chunked, identity¦Transfer-Encoding: chunked',
    'Bad Name: x¦: x¦X-Control: a\0b',
  ),
  `X-Long: ${'x'.repeat(17_000)}`,
].map((line) => line.split(': ') as [string, string])

/** Adds a header that breaks the framing or is too large, so the connection cannot be used again. */
function breakFraming({ draft, random }: Options): void {
  draft.broken = true
  draft.headers.push(random.pick(FRAMING))
}

const PIECES = [
  ...list(
    '\r\n¦\n¦\r\n\r\n¦\0¦%00¦%¦%ff¦..¦//¦?¦#¦&¦=¦;¦,¦:¦ ¦\t¦"¦\'¦\\¦\\u0000¦\\ud800¦{¦}¦[¦]¦null¦-1¦1e999',
    'é¦\xff¦__proto__¦Connection: close\r\n¦Host: b\r\n¦Expect: 100-continue\r\n',
  ),
  ...['9'.repeat(30), 'a'.repeat(300)],
].map((piece) => Buffer.from(piece, 'latin1'))

/** Makes one to three changes at random positions, some of them with bytes of `other`. */
function changeBytes(random: Random, original: Buffer, other: Buffer): Buffer {
  const { chance, pick, integer } = random
  let bytes = original
  for (let left = pick([1, 1, 1, 2, 3]); left > 0; left -= 1) {
    const place = integer(0, bytes.length)
    const end = Math.min(bytes.length, place + integer(1, chance(0.9) ? 4 : 80))
    const [before, middle, after] = [
      bytes.subarray(0, place),
      bytes.subarray(place, end),
      bytes.subarray(end),
    ]
    const from = integer(0, other.length)
    const piece = pick<() => Buffer>([
      () => Buffer.from(middle.map((byte) => byte ^ (1 << integer(0, 7)))),
      () => Buffer.from(middle.map(() => integer(0, 255))),
      () => Buffer.alloc(0),
      () => Buffer.concat([middle, middle]),
      () => pick(PIECES),
      () => other.subarray(from, from + integer(1, 60)),
    ])()
    bytes = Buffer.concat([before, piece, ...(chance(0.95) ? [after] : [])])
  }
  return bytes
}

/** A request with some bytes changed, or one of `BROKEN`. */
export function corruptBytes(random: Random, request: Request): Request {
  const text = request.bytes.toString('latin1')
  // Replaces the key by one byte during the change, so few changes hit the key and end in a 401.
  const key = /(?<=Authorization: Bearer )\w+/.exec(text)?.[0] ?? ''
  const original = Buffer.from(key === '' ? text : text.replace(key, '\x02'), 'latin1')
  const changed = changeBytes(random, original, original).toString('latin1').replaceAll('\x02', key)
  const bytes = Buffer.from(random.chance(0.15) ? random.pick(BROKEN) : changed, 'latin1')
  return { ...request, bytes, method: 'GET', broken: true, valid: undefined, id: undefined }
}
