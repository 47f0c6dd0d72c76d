import http from 'node:http'
import { type Answer, assertError, send } from '../src/testing/client.ts'

/** What a store should hold. */
export interface Held {
  /** Every animal as the service lists it, oldest first. */
  animals: string[]
  /** The answer to GET /v1/categories. */
  categories: string
}

/** What one client saw. */
export interface Look {
  /** Every animal, oldest first; nothing when one of the pages was not answered with 200. */
  listed: string[] | undefined
  /** The answers to the other paths, without those that were 5xx. */
  views: Map<string, Answer>
  /** Whether anything was answered with 503. */
  unavailable: boolean
  /** Whether anything was answered with 500. */
  failed: boolean
  /** The animal that was created; nothing when that was refused. */
  created: string | undefined
}

interface Animal {
  id: number
  status?: string
  categoryId: number
}

/** Lists that are read along each of the indexes, and which animals belong into them. */
const LISTS: Record<string, (animal: Animal) => boolean> = {
  '/v1/pets?status=sold&limit=100&sort=id': ({ status }) => status === 'sold',
  '/v1/pets?categoryId=3&limit=100&sort=id': ({ categoryId }) => categoryId === 3,
  '/v1/pets?categoryId=5&status=available&limit=100&sort=id': ({ categoryId, status }) =>
    categoryId === 5 && status === 'available',
}
const OTHERS = ['/v1/pets/7', '/v1/inventory', '/v1/categories']
const EMPTY = '[]'
/** Pages of a damaged tree may lead back to each other; so many animals are in no store here. */
const ENOUGH = 1_000
const UNAVAILABLE = [503, 'service_unavailable'] as const
const FAILED = [500, 'internal_error'] as const

/** Reads everything, in more ways than one, and creates an animal. A 5xx has to be as the contract says. */
export async function look(address: string, key: string, told: string): Promise<Look> {
  const agent = new http.Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const seen: Look = { listed: [], views: new Map(), unavailable: false, failed: false, created: undefined }
  const ask = async (path: string, body?: object): Promise<Answer | undefined> => {
    const answer = await send(agent, address + path, { method: body ? 'POST' : 'GET', headers, body })
    if (answer.status < 500) return answer
    const failed = answer.status === 500
    const [status, code] = failed ? FAILED : UNAVAILABLE
    assertError(answer, status, code, `${told}: ${path}`)
    seen.failed ||= failed
    seen.unavailable ||= !failed
    return undefined
  }
  try {
    seen.listed = await listAll(ask, seen.views)
    for (const path of [...Object.keys(LISTS), ...OTHERS]) {
      const answer = await ask(path)
      if (answer) seen.views.set(path, answer)
    }
    const created = await ask('/v1/pets', { name: 'New', categoryId: 2 })
    if (created?.status === 201) {
      seen.created = created.text
      const again = await ask(`/v1/pets?id=${created.body.id}`)
      if (again) seen.views.set('the new one', again)
    } else if (created) seen.views.set('POST /v1/pets', created)
    return seen
  } finally {
    agent.destroy()
  }
}

type Ask = (path: string) => Promise<Answer | undefined>

async function listAll(ask: Ask, views: Map<string, Answer>): Promise<string[] | undefined> {
  const listed: string[] = []
  let next: string | undefined = '/v1/pets?limit=100&sort=id'
  while (next !== undefined && listed.length < ENOUGH) {
    const page: Answer | undefined = await ask(next)
    if (!page) return undefined
    if (page.status !== 200) {
      views.set('GET /v1/pets', page)
      return undefined
    }
    listed.push(...itemsOf(page.text))
    next = /<[^>]*?(\/v1\/pets[^>]*)>; rel="next"/.exec(String(page.headers.link))?.[1]
  }
  return listed
}

/** The texts of the objects of an array. */
function itemsOf(text: string): string[] {
  return text === EMPTY ? [] : text.slice(1, -1).split(/(?<=\}),(?=\{)/)
}

/**
 * How what was seen differs from what the store should hold: each thing once, in however many answers it
 * shows. Things are an animal, a count of the inventory, a category, a status that should not be, an order.
 */
export function differences({ listed, views, created }: Look, { animals, categories }: Held): Set<string> {
  const wrong = new Set<string>()
  if (listed) compare(wrong, 'animal', listed, animals)
  const parsed = animals.map((text) => ({ text, animal: JSON.parse(text) as Animal }))
  const expected = new Map<string, string[]>([
    ['/v1/pets/7', animals.slice(6, 7)],
    ['the new one', created === undefined ? [] : [created]],
  ])
  for (const [path, belongs] of Object.entries(LISTS)) {
    const texts = parsed.filter(({ animal }) => belongs(animal)).map(({ text }) => text)
    expected.set(path, texts)
  }
  for (const [path, { status, text }] of views) {
    if (status !== 200) wrong.add(`status ${status}`)
    else if (path === '/v1/categories') compare(wrong, 'category', itemsOf(text), itemsOf(categories))
    else if (path === '/v1/inventory') compareCounts(wrong, JSON.parse(text), parsed)
    else compare(wrong, 'animal', text.startsWith('[') ? itemsOf(text) : [text], expected.get(path) ?? [])
  }
  const ids = animals.map((text) => JSON.parse(text).id as number)
  if (created !== undefined && ids.includes(JSON.parse(created).id)) wrong.add('an id that was taken')
  return wrong
}

function compare(wrong: Set<string>, what: string, seen: string[], expected: string[]): void {
  const [one, other] = [new Set(seen), new Set(expected)]
  const differing = [...seen.filter((text) => !other.has(text)), ...expected.filter((text) => !one.has(text))]
  for (const text of differing) wrong.add(`${what} ${/"id":(\d+)/.exec(text)?.[1]}`)
  if (differing.length === 0 && seen.join() !== expected.join()) wrong.add(`order of each ${what}`)
}

type Counts = Record<string, number>

interface Inventory {
  overall: Counts
  categories: ({ categoryId: number } & Counts)[]
}

function compareCounts(wrong: Set<string>, seen: Inventory, animals: { animal: Animal }[]): void {
  const sums: Counts = {}
  const cells = new Map<string, number>()
  for (const { animal } of animals) {
    const cell = `${animal.categoryId} ${animal.status ?? 'unlisted'}`
    cells.set(cell, (cells.get(cell) ?? 0) + 1)
  }
  for (const { categoryId, ...counts } of seen.categories) {
    for (const [status, count] of Object.entries(counts)) {
      sums[status] = (sums[status] ?? 0) + count
      const cell = `${categoryId} ${status}`
      if (count !== (cells.get(cell) ?? 0)) wrong.add(`count of ${cell}`)
      cells.delete(cell)
    }
  }
  for (const cell of cells.keys()) wrong.add(`count of ${cell}`)
  for (const [status, count] of Object.entries(seen.overall)) {
    if (count !== (sums[status] ?? 0)) wrong.add(`sum of ${status}`)
  }
}
