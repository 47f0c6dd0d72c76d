import type { Heard, Keys, Step } from './engines.ts'
import { ADDRESSES, BAD_NAMES, BROKEN, INTEGERS, MEDIA_TYPES, NAMES, PATH_IDS } from './oddities.ts'
import { type Random, randomFrom } from './random.ts'

// A stream of requests that a seed decides about, with what the answers before them tell: ids, cursors, ETags.

interface Call {
  method: string
  path: string
  caller: keyof Keys | 'none' | 'garbage'
  headers: Record<string, string>
  body?: Buffer | undefined
}

/** What the answers so far told; of everything the latest few. */
interface Memory {
  pets: number
  orders: number
  categories: number
  /** Addresses of pages, from Link headers. */
  pages: string[]
  etags: { path: string; etag: string }[]
  retried: Call[]
}

const REMEMBERED = 40
/** Now and then the key of few requests sends many: enough for a ban. */
const BURST = 25
const BURST_EVERY = 400
const STATUSES = ['available', 'pending', 'sold']
const DECISIONS = ['placed', 'approved', 'approved', 'completed', 'completed', 'cancelled']
const ADVANCES_MS = [1, 250, 999, 1_000, 30_000, 59_999, 60_000, 600_000, 3_599_999, 86_399_999, 86_400_000]

export interface RandomRequests {
  next(): Step
  /** Tells what was answered to the latest. */
  learn(heard: Heard): void
}

export function randomRequests(seed: number, keys: Keys): RandomRequests {
  const random = randomFrom(seed)
  const memory: Memory = { pets: 1, orders: 1, categories: 8, pages: [], etags: [], retried: [] }
  let count = 0
  let latest: Call | undefined

  return {
    next() {
      count += 1
      const burst = count % BURST_EVERY < BURST
      const time = {
        advanceMs: random.often(burst ? 0 : 0.03) ? advance(random) : undefined,
        sweep: random.often(0.004),
      }
      latest = undefined
      if (random.often(0.01)) return { bytes: brokenBytes(random), method: 'GET', broken: true, ...time }
      latest = retried(random, memory, conditional(random, memory, operation(random, memory)))
      if (burst) latest = { ...latest, caller: 'small' }
      return { bytes: serialize(random, latest, keys, count), method: latest.method, ...time }
    },
    learn(heard) {
      if (!latest) return
      remember(memory, latest, heard)
      // Failures are not kept by the service; few are worth another try.
      const kept = heard.status < 300 || random.often(0.1)
      if (kept && latest.headers['Idempotency-Key']) keep(memory.retried, latest)
    },
  }
}

function advance({ often, whole, pick }: Random): number {
  return often(0.7) ? pick(ADVANCES_MS) : whole(0, 86_400_000)
}

function keep<Item>(list: Item[], item: Item): void {
  list.push(item)
  if (list.length > REMEMBERED) list.shift()
}

function remember(memory: Memory, { method, path }: Call, { status, headers, text }: Heard): void {
  const next = /<http:\/\/pets\.example([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1]
  if (next) keep(memory.pages, next)
  const { etag } = headers
  if (status === 201) {
    const { id } = JSON.parse(text)
    if (path.startsWith('/v1/pets')) memory.pets = Math.max(memory.pets, id)
    if (path.startsWith('/v1/store')) memory.orders = Math.max(memory.orders, id)
    if (path.startsWith('/v1/categories')) memory.categories = Math.max(memory.categories, id)
    if (etag) keep(memory.etags, { path: `${path}/${id}`, etag })
  } else if (etag && method !== 'HEAD') keep(memory.etags, { path, etag })
}

// Operations

type Make = (random: Random, memory: Memory) => Call

const OPERATIONS: [weight: number, make: Make][] = [
  [14, (random, memory) => call(random, 'GET', `/v1/pets${petQuery(random, memory)}`)],
  [8, (random, { pages }) => call(random, 'GET', page(random, pages))],
  [14, (random, memory) => call(random, 'POST', '/v1/pets', pet(random, memory))],
  [6, (random, memory) => call(random, random.often(0.1) ? 'HEAD' : 'GET', petPath(random, memory))],
  [12, (random, memory) => call(random, 'PATCH', petPath(random, memory), petPatch(random, memory))],
  [3, (random, memory) => call(random, 'DELETE', petPath(random, memory))],
  [4, (random, memory) => call(random, 'GET', `${petPath(random, memory)}/history`)],
  [2, (random) => call(random, 'GET', '/v1/categories')],
  [2, (random, memory) => call(random, 'GET', categoryPath(random, memory))],
  [2, (random) => call(random, 'POST', '/v1/categories', category(random), 'admin')],
  [
    2,
    (random, memory) => call(random, 'PATCH', categoryPath(random, memory), category(random, true), 'admin'),
  ],
  [2, (random, memory) => call(random, 'DELETE', categoryPath(random, memory), undefined, 'admin')],
  [3, (random) => call(random, 'GET', '/v1/inventory')],
  [4, (random, memory) => call(random, 'GET', `/v1/store/orders${orderQuery(random, memory)}`)],
  [8, (random, memory) => call(random, 'POST', '/v1/store/orders', order(random, memory))],
  [3, (random, memory) => call(random, 'GET', orderPath(random, memory), undefined, mostlyAdmin(random))],
  [
    8,
    (random, memory) =>
      call(random, 'PATCH', orderPath(random, memory), decision(random), mostlyAdmin(random)),
  ],
  [2, (random, memory) => call(random, 'DELETE', orderPath(random, memory))],
  [2, (random, memory) => call(random, random.pick(METHODS), random.pick(ADDRESSES), pet(random, memory))],
  [
    1,
    (random, memory) => call(random, random.pick(METHODS), petPath(random, memory), petPatch(random, memory)),
  ],
]

const METHODS = [
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
]

/** Who sees the orders of all. */
function mostlyAdmin({ often }: Random): 'admin' | undefined {
  return often(0.6) ? 'admin' : undefined
}

function operation(random: Random, memory: Memory): Call {
  const make = random.weighed(OPERATIONS)
  return make(random, memory)
}

function call(random: Random, method: string, path: string, members?: Members, usual?: 'admin'): Call {
  const caller = random.weighed<Call['caller']>([
    [usual ? 200 : 15, 'admin'],
    [60, 'writer'],
    [25, 'other'],
    [usual ? 8 : 6, 'reader'],
    [4, 'small'],
    [2, 'ending'],
    [1, 'revoked'],
    [1, 'unknown'],
    [1, 'staging'],
    [2, 'none'],
    [1, 'garbage'],
  ])
  const headers: Record<string, string> = {}
  if (members === undefined && !random.often(0.02)) return { method, path, caller, headers }
  const body = spoilt(random, written(random, members ?? []))
  if (!random.often(0.01)) headers['Content-Type'] = mediaType(random, method)
  if (random.often(0.005)) headers['Content-Encoding'] = random.pick(['gzip', 'identity', 'br'])
  return { method, path, caller, headers, body }
}

function mediaType({ often, pick }: Random, method: string): string {
  if (often(0.03)) return pick(MEDIA_TYPES)
  return method === 'PATCH' && often(0.5) ? 'application/merge-patch+json' : 'application/json'
}

/** With a condition, now and then one that was true of something else, or before. */
function conditional({ often, pick }: Random, { etags }: Memory, made: Call): Call {
  if (etags.length === 0 || !often(0.25)) return made
  const reads = made.method === 'GET' || made.method === 'HEAD'
  const known = pick(etags)
  const same = often(0.7) && (reads || known.path.startsWith('/v1/pets/'))
  const path = same && made.path.startsWith('/v1/pets') ? known.path : made.path
  const etag = pick([
    known.etag,
    known.etag,
    known.etag,
    `W/${known.etag}`,
    `"x", ${known.etag}`,
    '*',
    '"',
    '',
    'x',
  ])
  return { ...made, path, headers: { ...made.headers, [reads ? 'If-None-Match' : 'If-Match']: etag } }
}

/** With an Idempotency-Key, of which some were sent before: with the same request, or another. */
function retried({ often, pick, whole }: Random, { retried: before }: Memory, made: Call): Call {
  if (!often(0.15)) return made
  if (before.length > 0 && often(0.5)) {
    const again = pick(before)
    if (often(0.6)) return again
    if (often(0.3)) return { ...again, caller: made.caller }
    // The same in JSON, but not the same bytes.
    if (often(0.6))
      return { ...again, body: Buffer.concat([again.body ?? Buffer.alloc(0), Buffer.from(' ')]) }
    const key = again.headers['Idempotency-Key'] ?? ''
    return { ...made, headers: { ...made.headers, 'Idempotency-Key': key } }
  }
  const odd = ['', ' ', '"', '""', 'a b', 'é', 'k'.repeat(255), 'k'.repeat(256), `"${'k'.repeat(255)}"`]
  const id = `k-${whole(0, 1e9)}`
  const key = often(0.05) ? pick(odd) : often(0.5) ? id : `"${id}"`
  return { ...made, headers: { ...made.headers, 'Idempotency-Key': key } }
}

// Addresses

/** One of a few latest, of all, or something strange. */
function someId({ often, pick, whole }: Random, latest: number): string {
  if (often(0.03)) return pick(PATH_IDS)
  return String(often(0.7) ? whole(Math.max(1, latest - 30), latest + 1) : whole(1, latest + 2))
}

const petPath: MakePath = (random, { pets }) => `/v1/pets/${someId(random, pets)}`
const orderPath: MakePath = (random, { orders }) => `/v1/store/orders/${someId(random, orders)}`
const categoryPath: MakePath = (random, { categories }) => `/v1/categories/${someId(random, categories)}`
type MakePath = (random: Random, memory: Memory) => string

/** Of a category that is likely to be there, for a body or a query. */
function categoryId({ often, pick, whole }: Random, latest: number): string {
  if (often(0.04)) return pick(INTEGERS)
  return String(often(0.85) ? whole(1, 8) : whole(1, latest + 1))
}

function petQuery(random: Random, memory: Memory): string {
  const { often, pick, whole } = random
  const query: string[] = []
  const add = (likely: number, name: string, value: () => string): void => {
    if (often(likely)) query.push(`${name}=${often(0.03) ? strange(random) : encodeURIComponent(value())}`)
  }
  add(0.5, 'limit', () => pick(['1', '2', '3', '7', '20', '100', '0', '101']))
  add(0.4, 'status', () => pick(STATUSES))
  add(0.3, 'categoryId', () => categoryId(random, memory.categories))
  const ids = often(0.1) ? (often(0.1) ? whole(99, 102) : whole(1, 6)) : 0
  for (let left = ids; left > 0; left -= 1) add(1, 'id', () => String(whole(1, memory.pets)))
  add(0.4, 'sort', () => pick(['id', '-id']))
  add(0.03, 'cursor', () => pick(['', 'A'.repeat(32), 'x']))
  add(0.03, pick(['colour', 'limit', 'status', 'petId', '__proto__', 'id[]']), () => '1')
  return query.length > 0 || often(0.02) ? `?${query.join(pick(['&', '&', '&', '&&']))}` : ''
}

function orderQuery(random: Random, memory: Memory): string {
  const { often, pick } = random
  const query: string[] = []
  if (often(0.5)) query.push(`limit=${often(0.05) ? strange(random) : pick(['1', '2', '5', '100'])}`)
  if (often(0.4)) query.push(`status=${often(0.05) ? strange(random) : pick(DECISIONS)}`)
  if (often(0.3)) query.push(`petId=${someId(random, memory.pets)}`)
  return query.length > 0 ? `?${query.join('&')}` : ''
}

function strange({ pick }: Random): string {
  return pick([
    ...INTEGERS.map(encodeURIComponent),
    ...NAMES.map((name) => encodeURIComponent(name.toWellFormed())),
  ])
}

/** As it was found in a Link header, or not quite. */
function page({ often, pick, whole }: Random, pages: string[]): string {
  if (pages.length === 0) return '/v1/pets?limit=1'
  const found = pick(pages)
  if (!often(0.15)) return found
  const place = whole(10, found.length - 1)
  return pick([
    found.replace(/limit=\d+/, 'limit=50'),
    found.replace(/sort=-?id/, 'sort=id'),
    `${found}&status=sold`,
    `${found}&cursor=x`,
    found.replace('/pets', '/store/orders'),
    `${found.slice(0, place)}A${found.slice(place + 1)}`,
  ])
}

// Bodies

/** Names and values, these as JSON. */
type Members = [name: string, json: string][]

function name(random: Random, most = 200): string {
  const { often, pick, whole } = random
  if (often(0.03)) return pick(INTEGERS)
  if (often(0.04)) return JSON.stringify([...pick(NAMES).repeat(most)].slice(0, most + whole(-1, 1)).join(''))
  const words = Array.from({ length: whole(1, 3) }, () => pick(NAMES))
  return JSON.stringify([...words, ...(often(0.05) ? [pick(BAD_NAMES)] : [])].join(pick([' ', '', '-'])))
}

function oneOf({ often, pick }: Random, list: string[]): string {
  return often(0.04) ? pick([...INTEGERS, '"SOLD"', '"sold "', '["sold"]']) : JSON.stringify(pick(list))
}

function pet(random: Random, memory: Memory): Members {
  const members: Members = []
  if (!random.often(0.02)) members.push(['name', name(random)])
  if (!random.often(0.02)) members.push(['categoryId', categoryId(random, memory.categories)])
  if (random.often(0.85))
    members.push(['status', oneOf(random, ['available', 'available', 'available', ...STATUSES])])
  return members
}

function petPatch(random: Random, memory: Memory): Members {
  return pet(random, memory).filter(() => random.often(0.45))
}

function category(random: Random, patch = false): Members {
  const { often, pick } = random
  const members: Members = []
  const simple = JSON.stringify(
    pick([(one: string) => one.toUpperCase(), (one: string) => ` ${one}`])(pick(NAMES)),
  )
  if (!patch || often(0.6)) members.push(['name', often(0.6) ? simple : name(random, 100)])
  if (often(0.4)) members.push(['description', often(0.2) ? 'null' : name(random, 1_000)])
  return members
}

function order(random: Random, memory: Memory): Members {
  const { often, pick } = random
  const adopter: Members = []
  if (!often(0.02)) adopter.push(['name', name(random)])
  const emails = [
    'a@example.org',
    'a@b',
    'x',
    '',
    'ä@example.org',
    '"a b"@example.org',
    'A+b@ex-ample.org',
    'a@b..c',
  ]
  if (!often(0.02)) adopter.push(['email', often(0.1) ? JSON.stringify(pick(emails)) : '"ada@example.org"'])
  if (often(0.2)) adopter.push(['phone', name(random, 50)])
  if (often(0.2))
    adopter.push(['message', often(0.5) ? '"two\\nlines\\tand\\r\\nmore"' : name(random, 2_000)])
  const petId = often(0.03) ? pick(INTEGERS) : someId(random, memory.pets)
  return [
    ['petId', petId],
    ['adopter', often(0.02) ? pick(INTEGERS) : written(random, adopter)],
  ]
}

function decision(random: Random): Members {
  return random.often(0.02) ? [] : [['status', oneOf(random, DECISIONS)]]
}

/** As JSON, in any of the ways in which the same can be written. */
function written({ often, pick, shuffled }: Random, members: Members): string {
  const all = often(0.1) ? [...members, ['extra', pick(INTEGERS)] as [string, string]] : members
  const space = pick(['', '', ' ', '\n  ', '\t\r\n'])
  const text = `{${shuffled(all).map(([name, json]) => `${space}"${name}"${space}:${space}${json}`)}${space}}`
  return often(0.2) ? escaped(text) : text
}

function escaped(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Mostly as it is. */
function spoilt({ often, pick, whole }: Random, text: string): Buffer {
  const bytes = Buffer.from(text)
  if (!often(0.04)) return bytes
  const cut = whole(0, bytes.length)
  const inside = (what: string | Buffer): Buffer =>
    Buffer.concat([bytes.subarray(0, cut), Buffer.from(what), bytes.subarray(cut)])
  return pick<() => Buffer>([
    () => bytes.subarray(0, cut),
    () => inside(','),
    () => inside('\0'),
    () => inside('\\u0000'),
    () => inside('\\ud83d'),
    () => inside(Buffer.from([0xff])),
    () => inside(Buffer.from([0xed, 0xa0, 0x80])),
    () => inside('\ufeff'),
    () => Buffer.from(`\ufeff${text}`),
    () => Buffer.from(text.replace('{', '{"name":"a",')),
    () => Buffer.from(text.replace('{', '{"__proto__":{},')),
    () => Buffer.from(text.replace('{', `{"deep":${'['.repeat(31)}${']'.repeat(31)},`)),
    () => Buffer.from(text.replace('{', `{"deep":${'['.repeat(32)}${']'.repeat(32)},`)),
    () => Buffer.from(text.padEnd(65_536 - bytes.length + text.length)),
    () => Buffer.from(text.padEnd(65_537 - bytes.length + text.length)),
    () =>
      Buffer.from(
        pick(['', '[]', 'null', '1', '"x"', '{}', '{', '[{}]', 'nul', "{'name':'x'}", '1e999999999']),
      ),
  ])()
}

// The wire

function serialize(random: Random, made: Call, keys: Keys, count: number): Buffer {
  const { method, path, caller, headers, body } = made
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: pets.example', `X-Request-Id: r-${count}`]
  if (caller === 'garbage')
    lines.push(`Authorization: ${random.pick(['Bearer', 'Bearer x', 'Basic eDp5', '', 'bearer  a'])}`)
  else if (caller !== 'none')
    lines.push(`Authorization: ${random.pick(['Bearer', 'bearer'])} ${keys[caller]}`)
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (random.often(0.003)) lines.push('Connection: close')
  const chunked = body !== undefined && body.length > 0 && random.often(0.05)
  if (chunked) lines.push('Transfer-Encoding: chunked')
  else if (body !== undefined) lines.push(`Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  if (!chunked) return Buffer.concat([head, body ?? Buffer.alloc(0)])
  const size = Buffer.from(`${body.length.toString(16)}\r\n`)
  return Buffer.concat([head, size, body, Buffer.from('\r\n0\r\n\r\n')])
}

function brokenBytes({ pick }: Random): Buffer {
  return Buffer.from(pick(BROKEN), 'latin1')
}
