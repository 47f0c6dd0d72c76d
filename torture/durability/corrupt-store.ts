import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { type Answer, assertError } from '../../src/testing/client.ts'
import { scratchFolder, startApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { findNextPage, splitItems, type Target } from '../lab/creators.ts'
import type { Random } from '../lab/random.ts'
import { createClient } from '../lab/service.ts'

export interface Original extends StoreContent {
  folder: string
  key: string
  /** The SQL of its tables, indexes and triggers. */
  schema: string
}

/** Number of animals in the file; more are in the log. */
export const ANIMALS_IN_FILE = 300
const ANIMALS_IN_LOG = 40
const STATUSES = ['available', 'pending', 'sold', undefined]

/** Makes a store as a kill leaves it, with the last changes only in the log. */
export async function makeOriginal(t: TestContext): Promise<Original> {
  const folder = scratchFolder(t)
  const databaseUrl = `sqlite:${fileIn(folder)}`
  const animals: string[] = []
  for (const count of [ANIMALS_IN_FILE, ANIMALS_IN_LOG]) {
    const app = await startApp(t, { databaseUrl, key: UNLIMITED })
    for (let number = 0; number < count; number += 1) {
      const newPet = {
        name: `Animal number ${number}`,
        categoryId: (number % 8) + 1,
        status: STATUSES[number % 4],
      }
      animals.push((await app.post('/v1/pets', newPet, { 'idempotency-key': `${count}-${number}` })).text)
    }
    if (count === ANIMALS_IN_FILE) await app.stop()
    else {
      const categories = (await app.get('/v1/categories')).text
      const copy = copyOf(t, folder)
      return { folder: copy, key: app.key, animals, categories, schema: stateOf(copy).schema }
    }
  }
  throw new Error('no animals in the log')
}

const NAME = 'adoptable.db'

export function fileIn(folder: string): string {
  return join(folder, NAME)
}

export function copyOf(t: TestContext, folder: string): string {
  const copy = scratchFolder(t)
  cpSync(folder, copy, { recursive: true })
  return copy
}

export interface Damage {
  /** Text for the message of a failure. */
  description: string
  kind: 'flip' | 'truncate' | 'zero' | 'remove'
  /** Suffix of the damaged file. */
  end: '' | '-wal' | '-shm'
  /** Whether the log was damaged. SQLite keeps the part of the log before the damage. */
  inLog: boolean
}

const PAGE_BYTES = 4_096

/** Damages one file of a store. @param served whether a service has it open; its log is then empty */
export function damage(folder: string, random: Random, served = false): Damage {
  const end = random.weighted([
    [7, ''],
    [served ? 0 : 2, '-wal'],
    [served ? 0 : 1, '-shm'],
  ] as const)
  const file = fileIn(folder) + end
  const { size } = statSync(file)
  const kind = random.weighted([
    [6, 'flip'],
    [2, 'truncate'],
    [2, 'zero'],
    [end === '' ? 0 : 2, 'remove'],
  ] as const)
  const place = random.integer(1, size - 1)
  const mask = random.integer(1, 255)
  if (kind === 'remove') rmSync(file)
  else if (kind === 'truncate') truncateSync(file, place)
  else {
    const bytes = readFileSync(file)
    const page = place - (place % PAGE_BYTES)
    if (kind === 'flip') bytes[place] = (bytes[place] ?? 0) ^ mask
    else bytes.fill(0, page, page + PAGE_BYTES)
    // Written in place, because a service may have the file open.
    writeFileSync(file, bytes, { flag: 'r+' })
  }
  return { description: `${kind} ${NAME}${end} at ${place} by ${mask}`, kind, end, inLog: end === '-wal' }
}

/** The findings of SQLite itself about a store. */
export interface State {
  /** Whether SQLite finds no fault. */
  intact: boolean
  /** The SQL of its tables, indexes and triggers; empty if unreadable. */
  schema: string
}

export function stateOf(folder: string): State {
  const copy = mkdtempSync(join(tmpdir(), 'adoptable-state-'))
  try {
    cpSync(folder, copy, { recursive: true })
    // Opened for writing, because on a read-only connection `integrity_check` skips CHECK constraints.
    const database = new DatabaseSync(fileIn(copy))
    try {
      const intact = database.prepare('pragma integrity_check').get()?.integrity_check === 'ok'
      const rows = database.prepare('select sql from sqlite_schema order by rowid').all()
      return { intact, schema: rows.map(({ sql }) => sql).join('\n') }
    } finally {
      database.close()
    }
  } catch {
    return { intact: false, schema: '' }
  } finally {
    rmSync(copy, { recursive: true })
  }
}

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
