import { list } from '../list.ts'
import type { Random } from '../random.ts'
import { resolve } from './description.ts'
import type { Draft, Request } from './draft.ts'
import { ADDRESSES, BROKEN, INTEGERS, MEDIA_TYPES, NAMES, OTHER_ADDRESSES, PATH_IDS } from './oddities.ts'
import type { valuesOf } from './values.ts'

// What may be wrong with a request: each part of it, from its method to its bytes.

interface Options {
  draft: Draft
  random: Random
  odd: ReturnType<typeof valuesOf>['odd']
  query: (parameter: Parameter, make: Options['odd']) => [string, string][]
  anywhere: boolean
}

type Parameter = NonNullable<Draft['operation']['parameters']>[number]
type Mutation = (options: Options) => void

/** Spoils one part of a request. */
export function mutate(options: Options): void {
  options.random.weighed(MUTATIONS)(options)
}

/** After these the description alone does not tell what may be accepted. */
const unjudged =
  (mutation: Mutation): Mutation =>
  (options) => {
    options.draft.judged = false
    mutation(options)
  }

const MUTATIONS: [weight: number, mutation: Mutation][] = [
  [12, oddBody],
  [4, spoiltBody],
  [0.1, unjudged(largeBody)],
  [1, unjudged(bodyWhereNone)],
  [9, oddQuery],
  [2, unjudged(oddParameters)],
  [3, unjudged(oddId)],
  [2, unjudged(oddAddress)],
  [3, unjudged(oddMethod)],
  [2, unjudged(oddHeader)],
  [1, unjudged(oddMediaType)],
  [2, unjudged(moreHeaders)],
  [1, unjudged(oddCredentials)],
  [0.5, oddFraming],
]

/** A value that is not as described, somewhere in the body. */
function oddBody({ draft, odd }: Options): void {
  const schema = Object.values(draft.operation.requestBody?.content ?? {})[0]?.schema
  if (schema) draft.body = odd(schema)
}

const INSIDE = [
  ...list(',¦}¦"¦\\¦\0¦\n¦\\u0000¦\\ud83d¦\ufeff¦//¦null¦ '),
  ...[[0xff], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80]].map((bytes) => Buffer.from(bytes)),
]

/** JSON that is none, or that one parser reads in another way than the next. */
function spoiltBody({ draft, random }: Options): void {
  if (draft.body === undefined) return
  const { pick, whole } = random
  const text = String(draft.body)
  const bytes = Buffer.from(text)
  const cut = whole(0, bytes.length)
  const begin = (more: string): string => text.replace('{', `{${more},`)
  const deep = (levels: number): string => begin(`"deep":${'['.repeat(levels)}${']'.repeat(levels)}`)
  draft.judged = false
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

function largeBody({ draft, random }: Options): void {
  draft.body = String(draft.body ?? '{}').padEnd(random.pick([65_000, 65_536, 65_537, 70_000]))
}

function bodyWhereNone({ draft, random }: Options): void {
  if (draft.body !== undefined) delete draft.body
  else draft.body = random.pick(['', '{}', 'x', '{"name":"a","categoryId":1}'])
  if (random.often(0.5)) draft.headers = draft.headers.filter(([name]) => name !== 'Content-Type')
}

/** A value that is not as described, of a parameter that is. */
function oddQuery({ draft, random, odd, query }: Options): void {
  const parameters = (draft.operation.parameters ?? []).filter((one) => one.in === 'query')
  if (parameters.length === 0) return
  const parameter = random.pick(parameters)
  if (parameter.name === 'cursor') draft.judged = false
  const made = query(parameter, odd)
  draft.query = draft.query.filter(([name]) => name !== parameter.name).concat(made)
  if (random.often(0.2)) draft.query.push(...made)
  const { maxItems } = resolve(parameter.schema)
  if (maxItems === undefined || random.often(0.8)) return
  for (let count = random.whole(maxItems - 2, maxItems + 1); count > 0; count -= 1)
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

/** Parameters that are not described, or not written as they should be. */
function oddParameters({ draft, random }: Options): void {
  const { path } = draft
  const value = random.pick(ODD_VALUES)
  const named = `${random.pick(ODD_PARAMETERS)}=${value}`
  const written = random.pick([named, value, '&', '&&', '=&=', '#x', `;limit=${value}`])
  draft.path = `${path}${path.includes('?') ? '&' : '?'}${written}`
}

/** In the place of an id something that can be none. */
function oddId({ draft, random }: Options): void {
  const id = random.pick([...PATH_IDS, ...INTEGERS.filter((text) => !text.includes(' ')), 'x'.repeat(9_000)])
  draft.path = draft.path.replace(/(?<=\/)-?\d+(?=\/|$)/, () => Buffer.from(id).toString('latin1'))
}

function oddAddress({ draft, random, anywhere }: Options): void {
  const { path } = draft
  const { pick, whole } = random
  draft.path = pick<() => string>([
    () => pick([...ADDRESSES, ...(anywhere ? OTHER_ADDRESSES : [])]),
    () => `${path}/`,
    () => `${path}/x`,
    () => path.replace('/v1', pick(['/v1/', '/V1', '/v3', '/v1/.', '/v1/x/..', '//v1', '/v1%2f'])),
    () => path.replace(/[a-z](?=[a-z]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    () => path.slice(0, whole(2, path.length)),
    () => `http://pets.example${path}`,
    () => path.toUpperCase(),
    () => `${path}%zz`,
  ])()
}

const METHODS = list(
  'GET¦HEAD¦POST¦PUT¦PATCH¦DELETE¦OPTIONS¦TRACE¦PROPFIND¦QUERY¦MKCOL¦PURGE¦SEARCH¦REPORT¦M-SEARCH¦LINK',
)

function oddMethod({ draft, random }: Options): void {
  draft.method = random.pick(METHODS)
}

const ODD_FIELDS = [
  ...list('¦ ¦"¦""¦a b¦\xe9¦\t¦,¦*¦"k¦\\¦{}'),
  ...[255, 300].map((length) => 'k'.repeat(length)),
]

/** A described header with a value that it should not have. */
function oddHeader({ draft, random }: Options): void {
  const described = (draft.operation.parameters ?? []).filter((one) => one.in === 'header')
  const names = [...described.map(({ name }) => name), 'X-Request-Id']
  draft.headers.push([random.pick(names), random.pick(ODD_FIELDS)])
}

function oddMediaType({ draft, random }: Options): void {
  const type = Buffer.from(random.pick(MEDIA_TYPES)).toString('latin1')
  const kept = draft.headers.filter(([name]) => name !== 'Content-Type' || random.often(0.1))
  draft.headers = [...kept, ['Content-Type', type]]
  if (random.often(0.2)) draft.headers.push(['Content-Encoding', random.pick(['gzip', 'identity', 'br', ''])])
}

const MORE = list(
  'Accept: text/html¦Accept-Encoding: gzip, br¦Accept-Encoding: zstd¦Accept-Encoding: gzip;q=x, *;q=0¦Connection: close¦Connection: Upgrade¦Cookie: a=b',
  'Expect: 100-continue¦Expect: the unexpected¦Forwarded: for=1.2.3.4¦Host: a b¦Host: ',
  'If-Modified-Since: Sat, 21 Nov 2026 00:00:00 GMT¦If-Range: "x"¦Origin: https://example.org',
  'Range: bytes=0-1¦TE: trailers¦Upgrade: h2c¦X-Forwarded-For: 1.2.3.4¦X-Forwarded-Host: evil.example',
  'X-HTTP-Method-Override: DELETE¦__proto__: x¦constructor: x',
).map((line) => line.split(': ') as [string, string])

/** Headers of which the description knows nothing. */
function moreHeaders({ draft, random }: Options): void {
  for (let count = random.whole(1, 3); count > 0; count -= 1) draft.headers.push(random.pick(MORE))
}

function oddCredentials({ draft, random }: Options): void {
  const kept = draft.headers.filter(([name]) => name !== 'Authorization' || random.often(0.2))
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
  draft.headers = [...kept, ['Authorization', value]]
}

const FRAMING = [
  ...list(
    'Content-Length: 1¦Content-Length: -1¦Content-Length: 5, 5¦Content-Length: 70000',
    'Transfer-Encoding: gzip¦Transfer-Encoding: chunked, identity¦Transfer-Encoding: chunked',
    'Bad Name: x¦: x¦X-Control: a\0b',
  ),
  `X-Long: ${'x'.repeat(17_000)}`,
].map((line) => line.split(': ') as [string, string])

/** Headers that decide where a request ends, or are too large: the connection cannot be used again. */
function oddFraming({ draft, random }: Options): void {
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

/** Up to three changes at random places, in order to be anything; now and then with bytes of another text. */
function changedBytes(random: Random, original: Buffer, other: Buffer): Buffer {
  const { often, pick, whole } = random
  let bytes = original
  for (let left = pick([1, 1, 1, 2, 3]); left > 0; left -= 1) {
    const place = whole(0, bytes.length)
    const end = Math.min(bytes.length, place + whole(1, often(0.9) ? 4 : 80))
    const [before, middle, after] = [
      bytes.subarray(0, place),
      bytes.subarray(place, end),
      bytes.subarray(end),
    ]
    const from = whole(0, other.length)
    const piece = pick<() => Buffer>([
      () => Buffer.from(middle.map((byte) => byte ^ (1 << whole(0, 7)))),
      () => Buffer.from(middle.map(() => whole(0, 255))),
      () => Buffer.alloc(0),
      () => Buffer.concat([middle, middle]),
      () => pick(PIECES),
      () => other.subarray(from, from + whole(1, 60)),
    ])()
    bytes = Buffer.concat([before, piece, ...(often(0.95) ? [after] : [])])
  }
  return bytes
}

/** A request of which nothing holds any more: with some bytes changed, or one that is broken from the start. */
export function spoilt(random: Random, request: Request): Request {
  const text = request.bytes.toString('latin1')
  // A short sign stands for the key meanwhile, so that few changes end in a 401.
  const key = /(?<=Authorization: Bearer )\w+/.exec(text)?.[0] ?? ''
  const original = Buffer.from(key === '' ? text : text.replace(key, '\x02'), 'latin1')
  const changed = changedBytes(random, original, original).toString('latin1').replaceAll('\x02', key)
  const bytes = Buffer.from(random.often(0.15) ? random.pick(BROKEN) : changed, 'latin1')
  return { ...request, bytes, method: 'GET', broken: true, fits: undefined, id: undefined }
}
