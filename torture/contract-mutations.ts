import { resolve } from './contract-description.ts'
import type { Draft, Request } from './contract-requests.ts'
import type { valuesOf } from './contract-values.ts'
import { ADDRESSES, BROKEN, INTEGERS, MEDIA_TYPES, NAMES, PATH_IDS } from './oddities.ts'
import type { Random } from './random.ts'

// What may be wrong with a request: each part of it, from its method to its bytes.

interface Options {
  draft: Draft
  random: Random
  odd: ReturnType<typeof valuesOf>['odd']
  query: (parameter: Parameter, make: Options['odd']) => [string, string][]
}

type Parameter = NonNullable<Draft['operation']['parameters']>[number]
type Mutation = (options: Options) => void

/** Spoils one part of a request. */
export function mutate(options: Options): void {
  options.random.weighed(MUTATIONS)(options)
}

const MUTATIONS: [weight: number, mutation: Mutation][] = [
  [12, oddBody],
  [4, spoiltBody],
  [0.1, largeBody],
  [1, bodyWhereNone],
  [6, oddQuery],
  [2, oddParameters],
  [3, oddId],
  [2, oddAddress],
  [2, oddMethod],
  [2, oddHeader],
  [1, oddMediaType],
  [2, moreHeaders],
  [1, oddCredentials],
  [0.5, oddFraming],
]

/** A value that is not as described, somewhere in the body. */
function oddBody({ draft, odd }: Options): void {
  const schema = Object.values(draft.operation.requestBody?.content ?? {})[0]?.schema
  if (schema) draft.body = odd(schema)
}

/** JSON that is none, or that one parser reads in another way than the next. */
function spoiltBody({ draft, random }: Options): void {
  if (draft.body === undefined) return
  const text = String(draft.body)
  const bytes = Buffer.from(text)
  const cut = random.whole(0, bytes.length)
  const inside = (what: string | Buffer): Buffer =>
    Buffer.concat([bytes.subarray(0, cut), Buffer.from(what), bytes.subarray(cut)])
  const deep = (levels: number): string => `{"deep":${'['.repeat(levels)}${']'.repeat(levels)},`
  draft.judged = false
  draft.body = random.pick<() => string | Buffer>([
    () => bytes.subarray(0, cut),
    () =>
      inside(
        random.pick([',', '}', '"', '\\', '\0', '\n', '\\u0000', '\\ud83d', '\ufeff', '//', 'null', ' ']),
      ),
    () =>
      inside(Buffer.from(random.pick([[0xff], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80]]))),
    () => `\ufeff${text}`,
    () => Buffer.from(text, 'utf16le'),
    () => text.replace('{', '{"name":"a",'),
    () => text.replace('{', random.pick(['{"__proto__":{},', '{"constructor":{"prototype":{"a":1}},'])),
    () => text.replace('{', deep(random.pick([30, 31, 32, 1_000]))),
    () => text.replaceAll('"', "'"),
    () => text + random.pick(['{}', ',', 'x', ' \n']),
    () => random.pick(['', ' ', '[]', 'null', '1', '"x"', '{}', '{', '[{}]', 'nul', '1e999999999', '-']),
  ])()
}

function largeBody({ draft, random }: Options): void {
  draft.judged = false
  draft.body = String(draft.body ?? '{}').padEnd(random.pick([65_000, 65_536, 65_537, 70_000]))
}

function bodyWhereNone({ draft, random }: Options): void {
  draft.judged = false
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

/** Parameters that are not described, or not written as they should be. */
function oddParameters({ draft, random }: Options): void {
  const { path } = draft
  draft.judged = false
  const names = [
    'colour',
    'Limit',
    'limit[]',
    'limit%00',
    'l%69mit',
    '__proto__',
    'constructor',
    'a.b',
    '',
    '%zz',
  ]
  const values = [...INTEGERS, ...NAMES].map((text) => encodeURIComponent(text.toWellFormed()))
  const value = random.pick([
    '',
    '1',
    '%zz',
    '%',
    '+5',
    '%ff',
    '%00',
    'a=b',
    '?',
    'x'.repeat(3_000),
    ...values,
  ])
  const written = random.pick([`${random.pick(names)}=${value}`, value, '&', '=&=', '#x', `;limit=${value}`])
  draft.path = `${path}${path.includes('?') ? '&' : '?'}${written}`
}

/** In the place of an id something that can be none. */
function oddId({ draft, random }: Options): void {
  draft.judged = false
  const id = random.pick([...PATH_IDS, ...INTEGERS.filter((text) => !text.includes(' ')), 'x'.repeat(9_000)])
  draft.path = draft.path.replace(/(?<=\/)-?\d+(?=\/|$)/, () => Buffer.from(id).toString('latin1'))
}

function oddAddress({ draft, random }: Options): void {
  const { path } = draft
  draft.judged = false
  draft.path = random.pick<() => string>([
    () => random.pick(ADDRESSES.filter((one) => /^\/?\/?(v|V)|^http/.test(one))),
    () => `${path}/`,
    () => `${path}/x`,
    () => path.replace('/v1', random.pick(['/v1/', '/V1', '/v2', '/v1/.', '/v1/x/..', '//v1', '/v1%2f'])),
    () => path.replace(/[a-z](?=[a-z]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    () => path.slice(0, random.whole(2, path.length)),
    () => `http://pets.example${path}`,
    () => path.toUpperCase(),
    () => `${path}%zz`,
  ])()
}

function oddMethod({ draft, random }: Options): void {
  draft.judged = false
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']
  draft.method = random.pick([...methods, 'MKCOL', 'PURGE', 'SEARCH', 'REPORT', 'M-SEARCH', 'LINK'])
}

const VALUES = [
  '',
  ' ',
  '"',
  '""',
  'a b',
  '\xe9',
  '\t',
  ',',
  '*',
  'k'.repeat(255),
  'k'.repeat(300),
  '"k',
  '\\',
  '{}',
]

/** A described header with a value that it should not have. */
function oddHeader({ draft, random }: Options): void {
  const described = (draft.operation.parameters ?? []).filter((one) => one.in === 'header')
  draft.judged = false
  const names = [...described.map(({ name }) => name), 'X-Request-Id']
  draft.headers.push([random.pick(names), random.pick(VALUES)])
}

function oddMediaType({ draft, random }: Options): void {
  draft.judged = false
  const type = Buffer.from(random.pick(MEDIA_TYPES)).toString('latin1')
  const kept = draft.headers.filter(([name]) => name !== 'Content-Type' || random.often(0.1))
  draft.headers = [...kept, ['Content-Type', type]]
  if (random.often(0.2)) draft.headers.push(['Content-Encoding', random.pick(['gzip', 'identity', 'br', ''])])
}

const MORE: [name: string, value: string][] = [
  ['Accept', 'text/html'],
  ['Accept-Encoding', 'gzip, br'],
  ['Connection', 'close'],
  ['Connection', 'Upgrade'],
  ['Cookie', 'a=b'],
  ['Expect', '100-continue'],
  ['Expect', 'the unexpected'],
  ['Forwarded', 'for=1.2.3.4'],
  ['Host', 'a b'],
  ['Host', ''],
  ['If-Modified-Since', 'Sat, 21 Nov 2026 00:00:00 GMT'],
  ['If-Range', '"x"'],
  ['Origin', 'https://example.org'],
  ['Range', 'bytes=0-1'],
  ['TE', 'trailers'],
  ['Upgrade', 'h2c'],
  ['X-Forwarded-For', '1.2.3.4'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
]

/** Headers of which the description knows nothing. */
function moreHeaders({ draft, random }: Options): void {
  draft.judged = false
  for (let count = random.whole(1, 3); count > 0; count -= 1) draft.headers.push(random.pick(MORE))
}

function oddCredentials({ draft, random }: Options): void {
  draft.judged = false
  const kept = draft.headers.filter(([name]) => name !== 'Authorization' || random.often(0.2))
  const key = draft.headers.find(([name]) => name === 'Authorization')?.[1] ?? ''
  const odd = [
    '',
    'Bearer',
    'bearer  x',
    'Basic eDp5',
    `${key}x`,
    key.slice(0, -1),
    key.slice(7),
    `${key}, ${key}`,
  ]
  draft.headers = [
    ...kept,
    ['Authorization', random.pick([...odd, key.toUpperCase(), '\xe9', 'x'.repeat(2_000)])],
  ]
}

/** Headers that decide where a request ends, or are too large: the connection cannot be used again. */
function oddFraming({ draft, random }: Options): void {
  draft.broken = true
  draft.headers.push(
    random.pick<[string, string]>([
      ['Content-Length', '1'],
      ['Content-Length', '-1'],
      ['Content-Length', '5, 5'],
      ['Content-Length', '70000'],
      ['Transfer-Encoding', 'gzip'],
      ['Transfer-Encoding', 'chunked, identity'],
      ['Transfer-Encoding', 'chunked'],
      ['X-Long', 'x'.repeat(17_000)],
      ['Bad Name', 'x'],
      ['', 'x'],
      ['X-Control', 'a\0b'],
    ]),
  )
}

/** A request of which some bytes are others, in order to be anything. */
export function spoilt(random: Random, request: Request): Request {
  const { bytes } = request
  const [from, to] = [random.whole(0, bytes.length), random.whole(0, bytes.length)]
  const slice = bytes.subarray(Math.min(from, to), Math.max(from, to))
  const instead = random.pick<() => Buffer>([
    () => Buffer.from(random.pick(BROKEN), 'latin1'),
    () => bytes.subarray(0, from),
    () => bytes.subarray(from),
    () => Buffer.concat([bytes.subarray(0, from), slice, bytes.subarray(from)]),
    () => Buffer.concat([bytes.subarray(0, from), Buffer.of(random.whole(0, 255)), bytes.subarray(from)]),
    () => Buffer.concat([bytes.subarray(0, from), Buffer.of(random.whole(0, 255)), bytes.subarray(from + 1)]),
    () => Buffer.concat([bytes.subarray(0, from), Buffer.from(random.pick(['\r', '\n', '\r\n', '\0', ' ']))]),
  ])()
  return { ...request, bytes: instead, broken: true, fits: undefined, id: undefined }
}
