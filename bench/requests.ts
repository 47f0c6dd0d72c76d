import type { Answer } from './bare.ts'
import type { Exchange } from './load.ts'

export interface Request {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: string
}

/** A request and its answer, as text and as the load sends and checks them. */
export interface Recorded extends Exchange {
  name: string
  answer: Answer
}

export interface Measurement {
  name: string
  /** What is sent, in turns. */
  requests: Request[]
  /** Whether each request adds an animal. */
  adds?: boolean
  /** Whether each request needs an available animal of its own, and what it then is. */
  forAnimal?: (id: number) => Request
}

const NEW_PET = JSON.stringify({ name: 'Bella', categoryId: 1, status: 'available' })
const STATUSES = ['', '&status=available', '&status=pending', '&status=sold']

/** As many animals to a page, on average, as the default page has. */
const LIMITS = Array.from({ length: 40 }, (_, index) => index + 1)

const PATCHED = Array.from({ length: 256 }, (_, index) => index + 1)

function placeOrder(petId: number): Request {
  const adopter = { name: 'A. Adopter', email: 'adopter@example.org' }
  return { method: 'POST', path: '/v1/store/orders', body: JSON.stringify({ petId, adopter }) }
}

export const MEASUREMENTS: Measurement[] = [
  { name: 'list, the same page', requests: [{ method: 'GET', path: '/v1/pets' }] },
  {
    name: 'list, changing filters',
    requests: LIMITS.flatMap((limit) =>
      STATUSES.map((status): Request => ({ method: 'GET', path: `/v1/pets?limit=${limit}${status}` })),
    ),
  },
  { name: 'create', requests: [{ method: 'POST', path: '/v1/pets', body: NEW_PET }], adds: true },
  {
    // Each animal gets one name after the other, so that every patch changes something.
    name: 'patch',
    requests: ['Ada', 'Bob'].flatMap((name) =>
      PATCHED.map(
        (id): Request => ({ method: 'PATCH', path: `/v1/pets/${id}`, body: JSON.stringify({ name }) }),
      ),
    ),
  },
  { name: 'order', requests: [], forAnimal: placeOrder },
]

export const ANIMALS = 1_000
const AT_ONCE = 50

/** The animals that are there before anything is measured: every status, and none. */
export async function addAnimals(port: number, key: string): Promise<void> {
  const statuses = [undefined, 'available', 'pending', 'sold']
  for (let count = 0; count < ANIMALS; count += AT_ONCE) {
    const group = Array.from({ length: AT_ONCE }, (_, index) => {
      const animal = {
        name: `Animal ${count + index}`,
        categoryId: 1 + (index % 8),
        status: statuses[index % statuses.length],
      }
      return ask(port, key, { method: 'POST', path: '/v1/pets', body: JSON.stringify(animal) })
    })
    await Promise.all(group)
  }
}

/** A new animal's id has a few digits more than the recorded one. */
const MORE_DIGITS = 8

/** What the service answers to requests as of now: what the bare server is to answer too. */
export async function record(port: number, key: string, requests: Request[]): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  for (const request of requests) {
    const answer = await ask(port, key, request)
    const shortest = Buffer.byteLength(answer.body)
    const longest = request.method === 'POST' ? shortest + MORE_DIGITS : shortest
    const expected = { status: answer.status, shortest, longest }
    recorded.push({
      name: `${request.method} ${request.path}`,
      answer,
      bytes: wire(request, key),
      ...expected,
    })
  }
  return recorded
}

/** Requests that are all answered like the first one, which alone is sent to see how. */
export async function recordAlike(port: number, key: string, requests: Request[]): Promise<Recorded[]> {
  const [first] = await record(port, key, requests.slice(0, 1))
  if (!first) throw new Error('nothing to record')
  return requests.slice(1).map((request) => ({ ...first, bytes: wire(request, key) }))
}

/** How many animals there are, by the id of the newest one. */
export async function countAnimals(port: number, key: string): Promise<number> {
  const { body } = await ask(port, key, { method: 'GET', path: '/v1/pets?limit=1' })
  return JSON.parse(body)[0].id
}

async function ask(port: number, key: string, { method, path, body = '' }: Request): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sent = method === 'GET' ? { method, headers } : { method, headers, body }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, sent)
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: status ${response.status}, ${text}`)
  return { status: response.status, type: response.headers.get('content-type') ?? '', body: text }
}

function wire({ method, path, body = '' }: Request, key: string): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${key}`]
  if (method !== 'GET') {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}
