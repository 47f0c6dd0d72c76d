import type { TestContext } from 'node:test'
import { type Answer, assertError } from '../../src/testing/client.ts'
import { findNextPage, splitItems, type Target } from '../lab/creators.ts'
import { createClient } from '../lab/service.ts'

/** The expected content of a store. */
export interface StoreContent {
  /** Every animal as the service lists it, oldest first. */
  animals: string[]
  /** The answer to GET /v1/categories. */
  categories: string
}

/** The answers that one client got. */
export interface Observation {
  /** Every animal, oldest first; undefined if a page was not answered with 200. */
  listed: string[] | undefined
  /** The answers to the other paths, without 5xx. */
  views: Map<string, Answer>
  /** Whether any answer was a 503. */
  unavailable: boolean
  /** Whether any answer was a 500. */
  failed: boolean
  /** The created animal; undefined if the request was refused. */
  created: string | undefined
}

interface Animal {
  id: number
  status?: string
  categoryId: number
}

/** Lists that use each of the indexes, and the animals that belong in them. */
const LISTS: Record<string, (animal: Animal) => boolean> = {
  '/v1/pets?status=sold&limit=100&sort=id': ({ status }) => status === 'sold',
  '/v1/pets?categoryId=3&limit=100&sort=id': ({ categoryId }) => categoryId === 3,
  '/v1/pets?categoryId=5&status=available&limit=100&sort=id': ({ categoryId, status }) =>
    categoryId === 5 && status === 'available',
}
const OTHERS = ['/v1/pets/7', '/v1/inventory', '/v1/categories']
/** More animals than any store has, because pages of a damaged tree may form a loop. */
const MAX_LISTED = 1_000

/** Reads everything in several ways and creates an animal. Asserts that a 5xx follows the contract. */
export async function observe(t: TestContext, target: Target, description: string): Promise<Observation> {
  const send = createClient(t, target.address, target.key)
  const seen: Observation = {
    listed: [],
    views: new Map(),
    unavailable: false,
    failed: false,
    created: undefined,
  }
  const ask = async (path: string, body?: object): Promise<Answer | undefined> => {
    const answer = await send(path, { body })
    if (answer.status < 500) return answer
    const failed = answer.status === 500
    assertError(
      answer,
      failed ? 500 : 503,
      failed ? 'internal_error' : 'service_unavailable',
      `${description}: ${path}`,
    )
    seen.failed ||= failed
    seen.unavailable ||= !failed
    return undefined
  }
  const addView = (name: string, answer: Answer | undefined): void => {
    if (answer) seen.views.set(name, answer)
  }
  let next: string | undefined = '/v1/pets?limit=100&sort=id'
  while (next !== undefined && seen.listed && seen.listed.length < MAX_LISTED) {
    const page: Answer | undefined = await ask(next)
    if (page?.status === 200) seen.listed.push(...splitItems(page.text))
    else {
      seen.listed = undefined
      addView('GET /v1/pets', page)
    }
    next = page && findNextPage(page)
  }
  for (const path of [...Object.keys(LISTS), ...OTHERS]) addView(path, await ask(path))
  const created = await ask('/v1/pets', { name: 'New', categoryId: 2 })
  if (created?.status === 201) {
    seen.created = created.text
    addView('the new one', await ask(`/v1/pets?id=${created.body.id}`))
  } else addView('POST /v1/pets', created)
  return seen
}

/**
 * Lists how the answers differ from the expected content, each difference once: an animal, a count of the
 * inventory, a category, an unexpected status, or an order.
 */
export function differences(
  { listed, views, created }: Observation,
  { animals, categories }: StoreContent,
): Set<string> {
  const wrong = new Set<string>()
  const compare = (what: string, seen: string[], expected: string[]): void => {
    const [one, other] = [new Set(seen), new Set(expected)]
    const differing = [
      ...seen.filter((text) => !other.has(text)),
      ...expected.filter((text) => !one.has(text)),
    ]
    for (const text of differing) wrong.add(`${what} ${/"id":(\d+)/.exec(text)?.[1]}`)
    if (differing.length === 0 && seen.join() !== expected.join()) wrong.add(`order of each ${what}`)
  }
  if (listed) compare('animal', listed, animals)
  const parsed = animals.map((text) => ({ text, animal: JSON.parse(text) as Animal }))
  const expected = new Map<string, string[]>([
    ['/v1/pets/7', animals.slice(6, 7)],
    ['the new one', created === undefined ? [] : [created]],
  ])
  for (const [path, belongs] of Object.entries(LISTS)) {
    const members = parsed.filter(({ animal }) => belongs(animal))
    expected.set(
      path,
      members.map(({ text }) => text),
    )
  }
  for (const [path, { status, text }] of views) {
    if (status !== 200) wrong.add(`status ${status}`)
    else if (path === '/v1/categories') compare('category', splitItems(text), splitItems(categories))
    else if (path === '/v1/inventory')
      compareCounts(
        wrong,
        JSON.parse(text),
        parsed.map(({ animal }) => animal),
      )
    else compare('animal', text.startsWith('[') ? splitItems(text) : [text], expected.get(path) ?? [])
  }
  const ids = parsed.map(({ animal }) => animal.id)
  if (created !== undefined && ids.includes(JSON.parse(created).id)) wrong.add('an id that exists already')
  return wrong
}

type Counts = Record<string, number>

interface Inventory {
  overall: Counts
  categories: ({ categoryId: number } & Counts)[]
}

function compareCounts(wrong: Set<string>, seen: Inventory, animals: Animal[]): void {
  const sums: Counts = {}
  const cells = Map.groupBy(animals, ({ categoryId, status }) => `${categoryId} ${status ?? 'unlisted'}`)
  for (const { categoryId, ...counts } of seen.categories) {
    for (const [status, count] of Object.entries(counts)) {
      sums[status] = (sums[status] ?? 0) + count
      const cell = `${categoryId} ${status}`
      if (count !== (cells.get(cell)?.length ?? 0)) wrong.add(`count of ${cell}`)
      cells.delete(cell)
    }
  }
  for (const cell of cells.keys()) wrong.add(`count of ${cell}`)
  for (const [status, count] of Object.entries(seen.overall))
    if (count !== (sums[status] ?? 0)) wrong.add(`sum of ${status}`)
}
