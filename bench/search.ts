import { aligned, type Setup, setup, whole } from './report.ts'
import { ask, type Door } from './requests.ts'
import { fixedQuestions, generatedQuestions, type PetView, type Question } from './search-questions.ts'
import { fillStore, type StoreFigures } from './search-store.ts'
import { computedMs, makeKey, memoryOf, type Service, type Store, startService } from './servers.ts'

// Measures searches: one connection sends one query after another, and requests no page twice.

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

export interface KindFigures {
  kind: string
  answers: number
  /** Pages that have a next page although they have fewer animals than requested. */
  short: number
  /** Answers with 503, for example while a store reads everything from disk for the first time. */
  unavailable: number
  p50Ms: number
  p99Ms: number
  worstMs: number
  worst: string
  cpuMicroseconds: number
  longestTurnMs: number
  reachMs: number
}

export interface Searches {
  setup: Setup
  engine: string
  animals: number
  filled: StoreFigures
  asked: KindFigures[]
  memoryMb: { start: number | undefined; peak: number | undefined }
}

export async function measureSearch(url: string, animals: number): Promise<Searches> {
  const filled = await fillStore(url, animals)
  const key = await makeKey({ databaseUrl: url })
  return { ...(await measureAllKinds(url, key, animals)), filled }
}

/** Measures all kinds of queries on a filled store. */
export async function measureAllKinds(
  url: string,
  key: string,
  animals: number,
): Promise<Omit<Searches, 'filled'>> {
  const store: Store = { databaseUrl: url }
  const service = await startService(store, { probed: true })
  const door = { port: service.port, key }
  const { nowMb: start } = memoryOf(service.pid)
  const examples = await examplesOf(door, animals)
  const engine = url.startsWith('sqlite:') ? 'SQLite' : 'PostgreSQL'
  const all = { ...fixedQuestions(examples), ...generatedQuestions(examples, GENERATED) }
  for (const question of Object.values(generatedQuestions(examples, WARM_UP, WARM_UP_SEED)).flat()) {
    await warmUpWith(door, pathOf('pets', question, 20))
    await warmUpWith(door, pathOf('pets/facets', question))
  }
  const asked: KindFigures[] = []
  for (const [kind, questions] of Object.entries(all)) {
    const limits = kind.startsWith('generated') ? [20] : LIMITS
    const paths = limits.flatMap((limit) => questions.map((question) => pathOf('pets', question, limit)))
    asked.push(await measureKind(service, door, kind, paths, limits.length > 1, reachOf(kind, engine)))
  }
  const facets = Object.values(fixedQuestions(examples)).flat()
  const paths = facets.map((question) => pathOf('pets/facets', question))
  const reach = reachOf(SIX_FACETS, engine)
  asked.push(await measureKind(service, door, SIX_FACETS, paths, false, reach))
  const { peakMb: peak } = memoryOf(service.pid)
  await service.stop()
  return { setup: setup(1, 0), engine, animals, asked, memoryMb: { start, peak } }
}

async function warmUpWith(door: Door, path: string): Promise<void> {
  await (await ask(door, { method: 'GET', path }, [503])).arrayBuffer()
}

function reachOf(kind: string, engine: string): number {
  const [, sqlite = 0, postgres = 0] = MAX_P99_MS.find(([begins]) => kind.startsWith(begins)) ?? []
  return engine === 'SQLite' ? sqlite : postgres
}

function pathOf(resource: string, question: Question, limit?: number): string {
  const query = new URLSearchParams()
  // Facets take neither sort nor limit.
  for (const [name, value] of question)
    if (limit !== undefined || name !== 'sort') query.append(name, String(value))
  if (limit !== undefined) query.set('limit', String(limit))
  else for (const facet of FACETS) query.append('facet', facet)
  return `/v1/${resource}?${query}`
}

/** Animals spread over the store. */
async function examplesOf(door: Door, animals: number): Promise<PetView[]> {
  const found: PetView[] = []
  for (let index = 0; index < EXAMPLES; index += 1) {
    const id = 1 + Math.floor(((index * 7_919) % EXAMPLES) * (animals / EXAMPLES))
    const path = `/v1/pets?id=${id}&fields=*`
    found.push(...((await (await ask(door, { method: 'GET', path })).json()) as PetView[]))
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
): Promise<KindFigures> {
  const took: { ms: number; path: string }[] = []
  let [short, unavailable] = [0, 0]
  const one = async (path: string): Promise<string | undefined> => {
    const since = performance.now()
    const answer = await ask(door, { method: 'GET', path }, [503])
    const body = await answer.json()
    took.push({ ms: performance.now() - since, path })
    if (answer.status === 503) unavailable += 1
    const next = /<http:\/\/[^/]+(\/[^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    const limit = Number(/limit=(\d+)/.exec(path)?.[1])
    if (next && Array.isArray(body) && body.length < limit) short += 1
    return next
  }
  await service.longestTurnMs()
  const before = computedMs(service.pid)
  for (const path of paths) {
    let next = await one(path)
    for (let more = 0; goesOn && next && more < 3; more += 1) next = await one(next)
  }
  const cpuMicroseconds = ((computedMs(service.pid) - before) * 1_000) / took.length
  const longestTurnMs = await service.longestTurnMs()
  took.sort((a, b) => a.ms - b.ms)
  const at = (share: number) => took[Math.ceil(took.length * share) - 1]?.ms ?? Number.NaN
  return {
    ...{ kind, answers: took.length, short, unavailable, p50Ms: at(0.5), p99Ms: at(0.99), worstMs: at(1) },
    ...{ worst: took.at(-1)?.path ?? '', cpuMicroseconds, longestTurnMs, reachMs },
  }
}

export function searchReport({ engine, animals, filled, asked, memoryMb, setup }: Searches): string {
  const titles = [
    '',
    'answers',
    'p50 ms',
    'p99 ms',
    'target',
    'worst ms',
    'CPU µs',
    'longest turn ms',
    'short',
    '503',
  ]
  const rows = asked.map((one) => [
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
  const { insertSeconds, indexSeconds, indexCpuSeconds, storeMb, indexMb } = filled
  return [
    `${whole(animals)} animals on ${engine}: inserted in ` +
      `${insertSeconds.toFixed(0)} s, indexed in ` +
      `${indexSeconds.toFixed(0)} s (${indexCpuSeconds.toFixed(0)} s processor time); ` +
      `${whole(storeMb)} MB, including the index of ${whole(indexMb)} MB`,
    ...aligned([titles, ...rows]),
    `Resident memory of the service: ${whole(memoryMb.start)} MB at the start, ` +
      `${whole(memoryMb.peak)} MB at its peak.`,
    `One connection, no page requested twice. Node ${setup.versions.node}, SQLite ${setup.versions.sqlite}; ` +
      `${setup.machine.cores} × ${setup.machine.cpu}, ${setup.machine.platform}.`,
  ].join('\n')
}
