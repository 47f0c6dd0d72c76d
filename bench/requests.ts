import { ANY, type Answer, type Answers } from './answers.ts'
import type { Exchange } from './load.ts'

export interface Request {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: string
  headers?: Record<string, string>
}

/** A request and its answer, as text and as the load sends and checks them. */
export interface Recorded extends Exchange {
  name: string
  answer: Answer
  etag: string
}

/** A server, and the key that it lets in; without one a visitor comes. */
export interface Door {
  port: number
  key?: string
}

export const STATUSES = ['available', 'pending', 'sold']

/** As many animals to a page, on average, as the default page has; in an order that favours no size. */
export const LIMITS = Array.from({ length: 39 }, (_, index) => 1 + ((index * 7) % 39))

export const NEW_PET = JSON.stringify({ name: 'Bella', categoryId: 1, status: 'available' })

export const ANIMALS = 1_000
const BATCH_SIZE = 50

/** The animals that are there before anything is measured. */
export async function addAnimals(door: Door): Promise<void> {
  const animals = plainAnimals()
  for (let count = 0; count < animals.length; count += BATCH_SIZE) {
    const group = animals.slice(count, count + BATCH_SIZE)
    await Promise.all(group.map((body) => ask(door, { method: 'POST', path: '/v1/pets', body })))
  }
}

/** Every status, and none. bench/peers has the same. */
function plainAnimals(): string[] {
  const statuses = [undefined, ...STATUSES]
  return Array.from({ length: ANIMALS }, (_, count) => {
    const index = count % BATCH_SIZE
    const status = statuses[index % statuses.length]
    return JSON.stringify({ name: `Animal ${count}`, categoryId: 1 + (index % 8), status })
  })
}

/** A new animal's id has a few digits more than the recorded one. */
const MORE_DIGITS = 8

/** What a server answers to requests as of now: what the bare server is to answer too. */
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

/** The longest animal with four members in an answer, in bytes. */
const LONGEST_ANIMAL = 120

/** For addresses that must not be asked before they are measured: each answer has so many animals at most. */
export function unseen(door: Door, requests: Request[], mostAnimals: number): Exchange[] {
  const expected = { status: 200, shortest: 2, longest: 2 + mostAnimals * LONGEST_ANIMAL }
  return requests.map((request) => ({ ...expected, bytes: wire(request, door.key) }))
}

export function answersOf(recorded: Recorded[]): Answers {
  return Object.fromEntries(recorded.map(({ name, answer }) => [name, answer]))
}

/** The answer to whatever is asked. */
export async function anyAnswer(door: Door, request: Request): Promise<Answers> {
  const [recorded] = await record(door, [request])
  return recorded ? { [ANY]: recorded.answer } : {}
}

/**
 * So many places in a list, each one animal after the other, as the end of an address.
 *
 * @throws when a page has no next one before so many are found
 */
export async function places(door: Door, query: string, count: number): Promise<string[]> {
  const found: string[] = []
  let cursor = ''
  while (found.length < count) {
    const path = `/v1/pets?limit=1${query}${cursor && `&cursor=${cursor}`}`
    const link = (await ask(door, { method: 'GET', path })).headers.get('link') ?? ''
    cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(link)?.[1] ?? ''
    if (!cursor) throw new Error(`${path} has no next page`)
    found.push(`${query}&cursor=${cursor}`)
  }
  return found
}

/** From each place on, pages of every size: each address once, the size changing with every request. */
export function pagesFrom(places: string[], limits: number[]): Request[] {
  return limits.flatMap((_, turn) =>
    places.map((place, index): Request => {
      const limit = limits[(index + turn) % limits.length]
      return { method: 'GET', path: `/v1/pets?limit=${limit}${place}` }
    }),
  )
}

/** How many animals there are, by the id of the newest one. */
export async function countAnimals(door: Door): Promise<number> {
  const response = await ask(door, { method: 'GET', path: '/v1/pets?limit=1' })
  return ((await response.json()) as { id: number }[])[0]?.id ?? 0
}

/** @throws on any answer but a success, 304 and those that are expected */
export async function ask({ port, key }: Door, request: Request, expected: number[] = []): Promise<Response> {
  const { method, path, body = '', headers = {} } = request
  // The load asks for no coding either, and an ETag goes with one.
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
