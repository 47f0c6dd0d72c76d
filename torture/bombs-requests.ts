import { gzipSync } from 'node:zlib'

// Requests that are small to send and meant to be large to read.

export interface Bomb {
  name: string
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Instead of the length of the body. */
  declared?: string
  /** Sent again and again until the service answers. */
  endless?: Buffer
  status: number
}

const KIB = 1_024
const MIB = KIB * KIB
const MOST = 64 * KIB
const MERGE = { 'content-type': 'application/merge-patch+json' }

/** A create with one more member, which nobody knows. */
const withMember = (json: string): string => `{"name":"Rex","categoryId":1,"x":${json}}`
const fill = (text: string, size = MOST): string => text.repeat(Math.floor(size / text.length))
const filled = (one: string, join = ','): string => fill(one + join, MOST - 100).slice(0, -join.length)
const members = (count: number, name: (place: number) => string): string =>
  `{${Array.from({ length: count }, (_, place) => `"${name(place)}":1`).join(',')}}`
/** As many as there is room for. */
const allMembers = (name: (place: number) => string): string => {
  let count = 1
  for (let size = 0; size < MOST - 200; count += 1) size += name(count).length + 5
  return members(count, name)
}
const padded = (size: number): string => withMember('1').padEnd(size)
const chunk = (size: number): Buffer => Buffer.from(`${size.toString(16)}\r\n${'['.repeat(size)}\r\n`)

/** Each chunk is handed on alone, whatever its size. */
export const WORST_FOR_NODE: Bomb = {
  name: 'chunks of one byte without end',
  declared: 'Transfer-Encoding: chunked',
  endless: Buffer.from(fill('1\r\n[\r\n', 6 * KIB)),
  status: 413,
}

export const BOMBS: Bomb[] = [
  { name: '64 KiB less one', body: padded(MOST - 1), status: 201 },
  { name: '64 KiB', body: padded(MOST), status: 201 },
  { name: '64 KiB and one', body: padded(MOST + 1), status: 413 },
  { name: '1 MiB of spaces', body: padded(MIB), status: 413 },
  { name: '1 MiB of brackets', body: '['.repeat(MIB), status: 413 },
  { name: '1 GiB declared', body: '{', declared: 'Content-Length: 1073741824', status: 413 },
  {
    name: 'more declared than a number holds',
    body: '{',
    declared: `Content-Length: ${'9'.repeat(19)}`,
    status: 413,
  },
  {
    name: 'chunks without end',
    declared: 'Transfer-Encoding: chunked',
    endless: chunk(16 * KIB),
    status: 413,
  },
  WORST_FOR_NODE,
  { name: 'depth 1,000,000', body: '['.repeat(1_000_000), status: 413 },
  { name: 'depth 65,536, open', body: '['.repeat(MOST), status: 400 },
  { name: 'depth 32,000', body: withMember('['.repeat(32_000) + ']'.repeat(32_000)), status: 400 },
  { name: 'depth 10,000 of objects, open', body: fill('{"a":'), status: 400 },
  { name: 'many small arrays', body: withMember(`[${filled('[]')}]`), status: 201 },
  { name: 'many small objects', body: withMember(`[${filled('{"a":1}')}]`), status: 201 },
  { name: '100,000 members', body: withMember(members(100_000, String)), status: 413 },
  {
    name: 'as many members as there is room for',
    body: withMember(allMembers((place) => place.toString(36))),
    status: 201,
  },
  {
    name: 'members that look like indices',
    body: withMember(allMembers((place) => String(place * 4_096))),
    status: 201,
  },
  {
    name: 'members whose hashes may be alike',
    body: withMember(allMembers((place) => String(2 ** 24 + place * 2 ** 12))),
    status: 201,
  },
  {
    name: 'large indices',
    body: withMember(allMembers((place) => String(4_294_967_296 + place * 65_536))),
    status: 201,
  },
  { name: 'one member again and again', body: `{${filled('"a":1')}}`, status: 400 },
  { name: 'members of prototypes', body: `{${filled('"__proto__":{}')}}`, status: 400 },
  { name: 'a number of 65,000 digits', body: `{"name":"a","categoryId":${'9'.repeat(65_000)}}`, status: 400 },
  {
    name: 'a fraction of 65,000 digits',
    body: `{"name":"a","categoryId":0.${'1'.repeat(65_000)}}`,
    status: 400,
  },
  { name: 'a long exponent', body: `{"name":"a","categoryId":1e${'9'.repeat(65_000)}}`, status: 400 },
  { name: 'many long numbers', body: withMember(`[${filled('9007199254740993')}]`), status: 201 },
  { name: 'many exponents', body: withMember(`[${filled('1e999')}]`), status: 201 },
  { name: 'a string of quotes', body: withMember(`"${fill('\\"', 65_000)}"`), status: 201 },
  { name: 'a string without end', body: `{"name":"${fill('\\"', 65_000)}`, status: 400 },
  { name: 'a string of escapes', body: withMember(`"${fill('\\u0041', 65_000)}"`), status: 201 },
  { name: 'a name of spaces', body: `{"categoryId":1,"name":"${' '.repeat(65_000)}"}`, status: 400 },
  { name: 'a name of many letters', body: `{"categoryId":1,"name":"${fill('a ', 65_000)}"}`, status: 400 },
  {
    name: 'a name of spaces and a control character',
    body: `{"categoryId":1,"name":"${' '.repeat(65_000)}\\u0000"}`,
    status: 400,
  },
  {
    name: 'a long address of mail',
    path: '/v1/store/orders',
    body: `{"petId":1,"adopter":{"name":"a","email":"${fill('a.', 65_000)}@"}}`,
    status: 400,
  },
  {
    name: 'an address of mail of labels',
    path: '/v1/store/orders',
    body: `{"petId":1,"adopter":{"name":"a","email":"a@${fill('a-', 65_000)}"}}`,
    status: 400,
  },
  {
    name: 'a long message',
    path: '/v1/store/orders',
    body: `{"petId":1,"adopter":{"name":"a","email":"a@b.c","message":"${fill('\\n ', 65_000)}"}}`,
    status: 400,
  },
  {
    name: 'a merge patch of nulls',
    method: 'PATCH',
    path: '/v1/pets/1',
    headers: MERGE,
    body: allMembers((place) => place.toString(36)),
    status: 200,
  },
  {
    name: '100 MB in gzip',
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(60_000_000)),
    status: 415,
  },
  {
    name: 'a media type of parameters',
    headers: { 'content-type': `application/json${fill('; a=b', 15_000)}"` },
    body: '{}',
    status: 415,
  },
  {
    name: 'a media type of semicolons',
    headers: { 'content-type': `application/json${fill('; \t', 15_000)}"` },
    body: '{}',
    status: 415,
  },
  {
    name: 'a media type in quotes',
    headers: { 'content-type': `application/json;a="${fill(';a=', 15_000)}` },
    body: '{}',
    status: 415,
  },
  { name: 'a query of separators', method: 'GET', path: `/v1/pets?${fill('&', 8_000)}`, status: 200 },
  {
    name: 'a query of percent signs',
    method: 'GET',
    path: `/v1/pets?status=${fill('%', 8_000)}`,
    status: 400,
  },
  { name: 'a query of ids', method: 'GET', path: `/v1/pets?${fill('id=1&', 8_000)}`, status: 400 },
  { name: 'a path of slashes', method: 'GET', path: `/v1${'/'.repeat(8_000)}`, status: 404 },
  { name: 'a path of percent signs', method: 'GET', path: `/v1/pets/${fill('%25', 8_000)}`, status: 404 },
  {
    name: 'a path of percent signs in each other',
    method: 'GET',
    path: `/%${fill('25', 15_900)}`,
    status: 414,
  },
  {
    name: 'a path of digits in each other',
    method: 'GET',
    path: `/v1/pets/${fill('%3', 8_000)}1`,
    status: 400,
  },
  { name: 'a long address', method: 'GET', path: `/v1/pets?x=${'x'.repeat(12_000)}`, status: 414 },
  {
    name: 'a header of commas',
    method: 'GET',
    headers: { 'if-none-match': ','.repeat(15_000) },
    status: 200,
  },
  { name: 'a header too long', method: 'GET', headers: { 'x-long': 'x'.repeat(17_000) }, status: 431 },
  {
    name: 'a long Idempotency-Key',
    headers: { 'idempotency-key': `"${'k'.repeat(15_000)}` },
    body: withMember('1'),
    status: 400,
  },
  {
    name: 'a long key',
    method: 'GET',
    headers: { authorization: `Bearer ${fill('adopt_live_', 15_000)}` },
    status: 401,
  },
]

/** What any client sends, in the same sizes: a body that is full, and one that is not. */
export const ORDINARY: Bomb[] = [
  { name: 'an animal', body: '{"name":"Rex","categoryId":1}', status: 201 },
  { name: 'an animal in 64 KiB', body: withMember(`"${'x'.repeat(MOST - 100)}"`), status: 201 },
  { name: 'a list', method: 'GET', path: '/v1/pets?limit=100', status: 200 },
]
