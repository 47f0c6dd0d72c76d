import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from './load.ts'

/** A complete answer of the bare server. */
export interface Answer {
  status: number
  headers: OutgoingHttpHeaders
  body: string
}

/** Answers by method and path; ANY is for all other paths. */
export type Answers = Record<string, Answer>

export const ANY = '*'

export interface Request {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: string
  headers?: Record<string, string>
}

export const get = (path: string, headers = {}): Request => ({ method: 'GET', path, headers })
export const post = (path: string, body: string): Request => ({ method: 'POST', path, body })

/** A request and its recorded answer. */
export interface Recorded extends Exchange {
  name: string
  answer: Answer
  etag: string
}

/** A server and a key for it; requests are anonymous without a key. */
export interface Door {
  port: number
  key?: string
}

export const STATUSES = ['available', 'pending', 'sold']

/** Page sizes with the default size as their average, in mixed order. */
export const LIMITS = Array.from({ length: 39 }, (_, index) => 1 + ((index * 7) % 39))

export const NEW_PET = JSON.stringify({ name: 'Bella', categoryId: 1, status: 'available' })

export const ANIMALS = 1_000
const BATCH_SIZE = 50

/** Adds the animals that exist before the measurements, with each status and without one, as in bench/peers. */
export async function addAnimals(door: Door): Promise<void> {
  const statuses = [undefined, ...STATUSES]
  const add = (number: number) => {
    const index = number % BATCH_SIZE
    const status = statuses[index % statuses.length]
    const animal = { name: `Animal ${number}`, categoryId: 1 + (index % 8), status }
    return ask(door, post('/v1/pets', JSON.stringify(animal)))
  }
  for (let from = 0; from < ANIMALS; from += BATCH_SIZE)
    await Promise.all(Array.from({ length: BATCH_SIZE }, (_, index) => add(from + index)))
}

/** A new animal's id may have a few more digits than the recorded one. */
const MORE_DIGITS = 8
/** Maximum bytes of an animal in a response when four of its fields are requested. */
const LONGEST_ANIMAL = 120

/** Records the service's answers, so the bare `node:http` server can replay them. */
export async function record(door: Door, requests: Request[]): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  for (const request of requests) {
    const response = await ask(door, request)
    const body = await response.text()
    const shortest = Buffer.byteLength(body)
    const longest = request.method === 'POST' ? shortest + MORE_DIGITS : shortest
    recorded.push({
      name: `${request.method} ${request.path}`,
      answer: toAnswer(response, body),
      etag: response.headers.get('etag') ?? '',
      bytes: wire(request, door.key),
      status: response.status,
      shortest,
      longest,
    })
  }
  return recorded
}

export function answersOf(recorded: Recorded[]): Answers {
  return Object.fromEntries(recorded.map(({ name, answer }) => [name, answer]))
}

/** The answer to a request, for all paths. */
export async function anyAnswer(door: Door, request: Request): Promise<Answers> {
  const [recorded] = await record(door, [request])
  return recorded ? { [ANY]: recorded.answer } : {}
}

/** Cursors for consecutive positions, as parts of a query. @throws if the list has fewer animals */
async function findCursors(door: Door, query: string, count: number): Promise<string[]> {
  const found: string[] = []
  let cursor = ''
  while (found.length < count) {
    const path = `/v1/pets?limit=1${query}${cursor && `&cursor=${cursor}`}`
    const link = (await ask(door, get(path))).headers.get('link') ?? ''
    cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(link)?.[1] ?? ''
    if (!cursor) throw new Error(`${path} has no next page`)
    found.push(`${query}&cursor=${cursor}`)
  }
  return found
}

/** Creates pages of every size from each cursor. Each path occurs once, and the size changes each time. */
export async function createUnseen(door: Door, count: number): Promise<Exchange[]> {
  const found = await Promise.all(['', '&sort=id'].map((order) => findCursors(door, order, count)))
  const expected = { status: 200, shortest: 2, longest: 2 + LIMITS.length * LONGEST_ANIMAL }
  return LIMITS.flatMap((_, turn) =>
    found.flat().map((place, index) => {
      const path = `/v1/pets?limit=${LIMITS[(index + turn) % LIMITS.length]}${place}`
      return { ...expected, bytes: wire(get(path), door.key) }
    }),
  )
}

/** The number of animals, from the id of the newest one. */
export async function countAnimals(door: Door): Promise<number> {
  const response = await ask(door, get('/v1/pets?limit=1'))
  return ((await response.json()) as { id: number }[])[0]?.id ?? 0
}

/** @throws for any answer except a success, 304 and the expected statuses */
export async function ask({ port, key }: Door, request: Request, expected: number[] = []): Promise<Response> {
  const { method, path, body = '', headers = {} } = request
  // The measured load requests no compression either, and the ETag depends on compression.
  const own = { 'accept-encoding': 'identity', 'content-type': 'application/json' }
  const all = { ...headers, ...own, ...(key && { authorization: `Bearer ${key}` }) }
  const sent = method === 'GET' ? { method, headers: all } : { method, headers: all, body }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, sent)
  if (response.ok || [304, ...expected].includes(response.status)) return response
  throw new Error(`${method} ${path}: status ${response.status}, ${await response.text()}`)
}

function toAnswer({ status, headers }: Response, body: string): Answer {
  const type = headers.get('content-type')
  const length = status === 304 ? {} : { 'content-length': Buffer.byteLength(body) }
  return { status, headers: { ...(type && { 'content-type': type }), ...length }, body }
}

function wire({ method, path, body = '', headers = {} }: Request, key: string | undefined): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1']
  if (key) lines.push(`Authorization: Bearer ${key}`)
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (method !== 'GET') {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}
