import { statSync } from 'node:fs'
import { sql } from 'kysely'
import { changes } from '../src/changes.ts'
import { openForCommand } from '../src/db/open-database.ts'
import { fileOf, isPostgres } from '../src/db/store-url.ts'
import type { Db } from '../src/db/tables.ts'
import { insertOrganization } from '../src/organizations/store.ts'
import type { AgedPet } from '../src/pets/row.ts'
import { categoryNames, withAge } from '../src/pets/rules.ts'
import type { NewPet } from '../src/pets/schema.ts'
import { mergeAll } from '../src/pets/search/index-animals.ts'
import { insertPets } from '../src/pets/store.ts'
import { queryDatabase } from '../src/testing/postgres.ts'
import { busyMsOf, megabytesOf } from '../torture/lab/proc.ts'
import { aligned, describeMachine, setup, whole } from './report.ts'
import { ask, type Door, get } from './requests.ts'
import {
  fixedQuestions,
  generatedQuestions,
  organizations,
  type PetView,
  type Question,
  skewedAnimals,
} from './search-questions.ts'
import { makeKey, type Service, startService } from './servers.ts'

// Fills a store with many animals, directly in its tables, and indexes them. Then measures searches: one connection
// sends one query after another, and requests no page twice.

const GENERATED = 1_000
const EXAMPLES = 120
/** Unmeasured queries at the start, while the service still compiles its code. */
const WARM_UP = 300
const WARM_UP_SEED = 12
const FACETS = ['breed', 'species', 'age', 'size', 'tag', 'region']
const SIX_FACETS = 'six facets at once'
/** Page sizes for fixed queries, which also request the next page of each. */
const LIMITS = [20, 19, 21, 18, 22]
/** Target for the 99th percentile with a million animals. */
const MAX_P99_MS: [begins: string, sqlite: number, postgres: number][] = [
  [SIX_FACETS, 200, 300],
  ['nearest within 100 km', 50, 100],
  ['', 40, 150],
]

export type Searches = Awaited<ReturnType<typeof measureSearch>>

/** Animals per transaction. */
const BATCH_SIZE = 2_000
/** Range of publication times. */
const SPAN_MS = 3 * 365 * 86_400_000
const NEWEST = Date.UTC(2026, 10, 20)

async function fillStore(url: string, count: number) {
  const store = await openForCommand(url, changes)
  try {
    if (!isPostgres(url)) await sql`pragma cache_size = -250000`.execute(store.db)
    const begun = performance.now()
    await insertAll(store.db, count)
    const inserted = performance.now()
    const computed = process.cpuUsage()
    while (await store.write(changes.indexAnimals, true));
    await mergeAll(store.write)
    const indexed = performance.now()
    const { user, system } = process.cpuUsage(computed)
    if (!isPostgres(url)) await sql`pragma wal_checkpoint(truncate)`.execute(store.db)
    // PostgreSQL's autovacuum would run this only some time after many changes.
    if (isPostgres(url)) await sql`analyze`.execute(store.db)
    return {
      insertSeconds: (inserted - begun) / 1_000,
      indexSeconds: (indexed - inserted) / 1_000,
      indexCpuSeconds: (user + system) / 1e6,
      storeMb: (isPostgres(url) ? await countBytes(url) : statSync(fileOf(url)).size) / 2 ** 20,
    }
  } finally {
    await store.close()
  }
}

const countBytes = async (url: string): Promise<number> =>
  Number((await queryDatabase(url, 'select pg_database_size(current_database()) as bytes'))[0]?.bytes)

async function insertAll(db: Db, count: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const organization of organizations()) await insertOrganization(transaction, organization, NEWEST)
  })
  const nameOf = categoryNames(db)
  const animals = skewedAnimals(count)
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const now = NEWEST - Math.round((1 - from / count) * SPAN_MS)
    const some: AgedPet[] = []
    while (some.length < Math.min(BATCH_SIZE, count - from))
      some.push(await withAge(nameOf, animals.next().value as NewPet, NEWEST))
    await db.transaction().execute((transaction) => insertPets(transaction, some, { keyId: null, now }))
  }
}

/** Fills a store and measures all kinds of queries. */
export async function measureSearch(url: string, animals: number) {
  const filled = await fillStore(url, animals)
  const key = await makeKey({ databaseUrl: url })
  const service = await startService({ databaseUrl: url }, { probed: true })
  const door = { port: service.port, key }
  const start = megabytesOf(service.pid, 'now')
  const examples = await examplesOf(door, animals)
  const engine = url.startsWith('sqlite:') ? 'SQLite' : 'PostgreSQL'
  const all = { ...fixedQuestions(examples), ...generatedQuestions(examples, GENERATED) }
  for (const question of Object.values(generatedQuestions(examples, WARM_UP, WARM_UP_SEED)).flat()) {
    for (const path of [pathOf('pets', question, 20), pathOf('pets/facets', question)])
      await (await ask(door, get(path), [503])).arrayBuffer()
  }
  const kinds: Awaited<ReturnType<typeof measureKind>>[] = []
  for (const [kind, questions] of Object.entries(all)) {
    const limits = kind.startsWith('generated') ? [20] : LIMITS
    const paths = limits.flatMap((limit) => questions.map((question) => pathOf('pets', question, limit)))
    kinds.push(await measureKind(service, door, kind, paths, limits.length > 1, reachOf(kind, engine)))
  }
  const facets = Object.values(fixedQuestions(examples)).flat()
  const paths = facets.map((question) => pathOf('pets/facets', question))
  const reach = reachOf(SIX_FACETS, engine)
  kinds.push(await measureKind(service, door, SIX_FACETS, paths, false, reach))
  const peak = megabytesOf(service.pid, 'max')
  await service.stop()
  return { setup: setup(1, 0), engine, animals, filled, kinds, memoryMb: { start, peak } }
}

function reachOf(kind: string, engine: string): number {
  const [, sqlite = 0, postgres = 0] = MAX_P99_MS.find(([begins]) => kind.startsWith(begins)) ?? []
  return engine === 'SQLite' ? sqlite : postgres
}

function pathOf(resource: string, question: Question, limit?: number): string {
  // Facets take neither sort nor limit.
  const parts =
    limit === undefined
      ? [...question.filter((one) => !one.startsWith('sort=')), ...FACETS.map((facet) => `facet=${facet}`)]
      : [...question, `limit=${limit}`]
  return `/v1/${resource}?${new URLSearchParams(parts.join('&'))}`
}

/** Animals spread over the store. */
async function examplesOf(door: Door, animals: number): Promise<PetView[]> {
  const found: PetView[] = []
  for (let index = 0; index < EXAMPLES; index += 1) {
    const id = 1 + Math.floor(((index * 7_919) % EXAMPLES) * (animals / EXAMPLES))
    const answer = await ask(door, get(`/v1/pets?id=${id}&fields=*`))
    found.push(...((await answer.json()) as PetView[]))
  }
  return found
}

async function measureKind(
  service: Service,
  door: Door,
  kind: string,
  paths: string[],
  goesOn: boolean,
  reachMs: number,
) {
  const took: number[] = []
  let [short, unavailable] = [0, 0]
  const one = async (path: string): Promise<string | undefined> => {
    const since = performance.now()
    const answer = await ask(door, get(path), [503])
    const body = await answer.json()
    took.push(performance.now() - since)
    if (answer.status === 503) unavailable += 1
    const next = /<http:\/\/[^/]+(\/[^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    const limit = Number(/limit=(\d+)/.exec(path)?.[1])
    if (next && Array.isArray(body) && body.length < limit) short += 1
    return next
  }
  await service.longestTurnMs()
  const before = busyMsOf(service.pid)
  for (const path of paths) {
    let next = await one(path)
    for (let more = 0; goesOn && next && more < 3; more += 1) next = await one(next)
  }
  const cpuMicroseconds = ((busyMsOf(service.pid) - before) * 1_000) / took.length
  const longestTurnMs = await service.longestTurnMs()
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.ceil(took.length * share) - 1] ?? Number.NaN
  return {
    ...{ kind, answers: took.length, short, unavailable, p50Ms: at(0.5), p99Ms: at(0.99), worstMs: at(1) },
    ...{ cpuMicroseconds, longestTurnMs, reachMs },
  }
}

const TITLES = ['', 'answers', 'p50 ms', 'p99 ms', 'target', 'worst ms', 'CPU µs', 'turn ms', 'short', '503']

export function searchReport({ engine, animals, filled, kinds, memoryMb, setup: own }: Searches): string {
  const rows = kinds.map((one) => [
    `  ${one.kind}`,
    whole(one.answers),
    one.p50Ms.toFixed(2),
    one.p99Ms.toFixed(2),
    `≤ ${one.reachMs}`,
    one.worstMs.toFixed(1),
    whole(one.cpuMicroseconds),
    one.longestTurnMs.toFixed(1),
    whole(one.short),
    whole(one.unavailable),
  ])
  const { insertSeconds, indexSeconds, indexCpuSeconds, storeMb } = filled
  return [
    `${whole(animals)} animals on ${engine}: inserted in ${whole(insertSeconds)} s, indexed in ` +
      `${whole(indexSeconds)} s (${whole(indexCpuSeconds)} s processor time); ${whole(storeMb)} MB`,
    ...aligned([TITLES, ...rows]),
    `Resident memory of the service: ${whole(memoryMb.start)} MB at the start, ` +
      `${whole(memoryMb.peak)} MB at its peak.`,
    `One connection, no page requested twice. ${describeMachine(own)}`,
  ].join('\n')
}
