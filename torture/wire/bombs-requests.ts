import { gzipSync } from 'node:zlib'
import { times } from '../lab/parallel.ts'

// Requests that are small to send and meant to be large to read.

export interface Bomb {
  name: string
  status: number
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Instead of the length of the body. */
  declared?: string
  /** Sent again and again until the service answers. */
  endless?: Buffer
}

const KIB = 1_024
const MIB = KIB * KIB
const MOST = 64 * KIB

const fill = (text: string, size = MOST): string => text.repeat(Math.floor(size / text.length))
/** A create with one more member, which nobody knows. */
const withMember = (json: string): string => `{"name":"Rex","categoryId":1,"x":${json}}`
const many = (one: string): string => withMember(`[${filled(one)}]`)
const filled = (one: string): string => fill(`${one},`, MOST - 100).slice(0, -1)
const members = (count: number, name: (place: number) => string): string =>
  `{${times(count, (place) => `"${name(place)}":1`).join(',')}}`
/** As many as there is room for. */
const allMembers = (name: (place: number) => string): string => {
  let count = 1
  for (let size = 0; size < MOST - 200; count += 1) size += name(count).length + 5
  return members(count, name)
}
const padded = (size: number): string => withMember('1').padEnd(size)
const chunk = (size: number): Buffer => Buffer.from(`${size.toString(16)}\r\n${'['.repeat(size)}\r\n`)
const named = (json: string): string => `{"categoryId":1,"name":${json}}`
const numbered = (json: string): string => `{"name":"a","categoryId":${json}}`
const adopted = (members: string): string => `{"petId":1,"adopter":{"name":"a",${members}}}`

const CHUNKED = 'Transfer-Encoding: chunked'

/** Each chunk is handed on alone, whatever its size. */
export const WORST_FOR_NODE: Bomb = {
  ...{ name: 'chunks of one byte without end', declared: CHUNKED, status: 413 },
  endless: Buffer.from(fill('1\r\n[\r\n', 6 * KIB)),
}

const CREATES: [name: string, status: number, body: string | Buffer, more?: Partial<Bomb>][] = [
  ['64 KiB less one', 201, padded(MOST - 1)],
  ['64 KiB', 201, padded(MOST)],
  ['64 KiB and one', 413, padded(MOST + 1)],
  ['1 MiB of spaces', 413, padded(MIB)],
  ['1 MiB of brackets', 413, '['.repeat(MIB)],
  ['1 GiB declared', 413, '{', { declared: 'Content-Length: 1073741824' }],
  ['more declared than a number holds', 413, '{', { declared: `Content-Length: ${'9'.repeat(19)}` }],
  ['chunks without end', 413, '', { declared: CHUNKED, endless: chunk(16 * KIB) }],
  ['depth 1,000,000', 413, '['.repeat(1_000_000)],
  ['depth 65,536, open', 400, '['.repeat(MOST)],
  ['depth 32,000', 400, withMember('['.repeat(32_000) + ']'.repeat(32_000))],
  ['depth 10,000 of objects, open', 400, fill('{"a":')],
  ['many small arrays', 201, many('[]')],
  ['many small objects', 201, many('{"a":1}')],
  ['100,000 members', 413, withMember(members(100_000, String))],
  ['as many members as there is room for', 201, withMember(allMembers((place) => place.toString(36)))],
  ['members that look like indices', 201, withMember(allMembers((place) => String(place * 4_096)))],
  ['members of like hashes', 201, withMember(allMembers((place) => String(2 ** 24 + place * 2 ** 12)))],
  ['large indices', 201, withMember(allMembers((place) => String(4_294_967_296 + place * 65_536)))],
  ['one member again and again', 400, `{${filled('"a":1')}}`],
  ['members of prototypes', 400, `{${filled('"__proto__":{}')}}`],
  ['a number of 65,000 digits', 400, numbered('9'.repeat(65_000))],
  ['a fraction of 65,000 digits', 400, numbered(`0.${'1'.repeat(65_000)}`)],
  ['a long exponent', 400, numbered(`1e${'9'.repeat(65_000)}`)],
  ['many long numbers', 201, many('9007199254740993')],
  ['many exponents', 201, many('1e999')],
  ['a string of quotes', 201, withMember(`"${fill('\\"', 65_000)}"`)],
  ['a string without end', 400, `{"name":"${fill('\\"', 65_000)}`],
  ['a string of escapes', 201, withMember(`"${fill('\\u0041', 65_000)}"`)],
  ['a name of spaces', 400, named(`"${' '.repeat(65_000)}"`)],
  ['a name of many letters', 400, named(`"${fill('a ', 65_000)}"`)],
  ['a name of spaces and a control character', 400, named(`"${' '.repeat(65_000)}\\u0000"`)],
  ['100 MB in gzip', 415, gzipSync(Buffer.alloc(60_000_000)), { headers: { 'content-encoding': 'gzip' } }],
  ['a long Idempotency-Key', 400, padded(99), { headers: { 'idempotency-key': `"${'k'.repeat(15_000)}` } }],
]
const ORDERS: [name: string, adopter: string][] = [
  ['a long address of mail', `"email":"${fill('a.', 65_000)}@"`],
  ['an address of mail of labels', `"email":"a@${fill('a-', 65_000)}"`],
  ['a long message', `"email":"a@b.c","message":"${fill('\\n ', 65_000)}"`],
]
const MEDIA_TYPES: [name: string, parameters: string][] = [
  ['a media type of parameters', `${fill('; a=b', 15_000)}"`],
  ['a media type of semicolons', `${fill('; \t', 15_000)}"`],
  ['a media type in quotes', `;a="${fill(';a=', 15_000)}`],
]
const READS: [name: string, status: number, path: string, headers?: Record<string, string>][] = [
  ['a query of separators', 200, `/v1/pets?${fill('&', 8_000)}`],
  ['a query of percent signs', 400, `/v1/pets?status=${fill('%', 8_000)}`],
  ['a query of ids', 400, `/v1/pets?${fill('id=1&', 8_000)}`],
  ['a path of slashes', 404, `/v1${'/'.repeat(8_000)}`],
  ['a path of percent signs', 404, `/v1/pets/${fill('%25', 8_000)}`],
  ['a path of percent signs in each other', 414, `/%${fill('25', 15_900)}`],
  ['a path of digits in each other', 400, `/v1/pets/${fill('%3', 8_000)}1`],
  ['a long address', 414, `/v1/pets?x=${'x'.repeat(12_000)}`],
  ['a header of commas', 200, '/v1/pets', { 'if-none-match': ','.repeat(15_000) }],
  ['a header too long', 431, '/v1/pets', { 'x-long': 'x'.repeat(17_000) }],
  ['a long key', 401, '/v1/pets', { authorization: `Bearer ${fill('adopt_live_', 15_000)}` }],
]

export const BOMBS: Bomb[] = [
  WORST_FOR_NODE,
  ...CREATES.map(([name, status, body, more]) => ({ name, status, body, ...more })),
  ...ORDERS.map(([name, adopter]) => ({
    name,
    status: 400,
    path: '/v1/store/orders',
    body: adopted(adopter),
  })),
  ...MEDIA_TYPES.map(([name, parameters]) => {
    const headers = { 'content-type': `application/json${parameters}` }
    return { name, status: 415, headers, body: '{}' }
  }),
  ...READS.map(([name, status, path, headers = {}]) => ({ name, status, method: 'GET', path, headers })),
  {
    ...{ name: 'a merge patch of nulls', status: 200, method: 'PATCH', path: '/v1/pets/1' },
    headers: { 'content-type': 'application/merge-patch+json' },
    body: allMembers((place) => place.toString(36)),
  },
]

/** What any client sends, in the same sizes: a body that is full, and one that is not. */
export const ORDINARY: Bomb[] = [
  { name: 'an animal', body: '{"name":"Rex","categoryId":1}', status: 201 },
  { name: 'an animal in 64 KiB', body: withMember(`"${'x'.repeat(MOST - 100)}"`), status: 201 },
  { name: 'a list', method: 'GET', path: '/v1/pets?limit=100', status: 200 },
]
