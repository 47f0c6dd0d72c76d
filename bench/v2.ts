import { ANY } from './answers.ts'
import { BARE, type Contestant, compete, type Sending } from './contest.ts'
import { VISITORS } from './pages.ts'
import { aligned, type Comparison, closing, type Setup, setup, summarise, table, whole } from './report.ts'
import { ask, type Door, type Request, record, unseen } from './requests.ts'
import type { Asked } from './search.ts'
import { type Filled, fillStore } from './search-store.ts'
import { computedMs, makeKey, memoryOf, runCommand, startBare, startService } from './servers.ts'
import { randomFrom } from './skewed.ts'
import type { Options } from './speed.ts'

// What the face for old clients costs: beside a bare server that sends the same bytes, and page by page.

const OWN = 'adoptable'
const TOKEN = 'an access token'
const ASKED = 'animals, the same page'
const UNASKED = 'animals, pages never asked before'

/** What is measured, and how much of the bare server is to be reached. */
const MEASUREMENTS: Record<string, number | undefined> = { [TOKEN]: 0.3, [ASKED]: 0.6, [UNASKED]: 0.2 }

/** Of pages one after the other, in milliseconds: on SQLite to a million animals, above that, and on PostgreSQL. */
const MOST_MS = { million: 20, more: 100, postgres: 300 }
/** A load that asks for each once gets through fewer in its time. */
const MOST_PAGES = 4_000
const LISTS = 300
/** The first page of each list, those that follow, and one that somebody jumps to. */
const PAGES = [1, 2, 3, 40]
const PAGE_BYTES = { shortest: 100, longest: 1_000_000 }

const CLIENT = ['keys', 'create', '--client', '--json', '--name', 'bench', '--plan', 'enterprise']
const NEVER = ['--per-minute', '1000000000', '--per-day', '1000000000']

type Walked = Omit<Asked, 'kind' | 'short' | 'unavailable'>

export interface V2 {
  setup: Setup
  engine: string
  animals: number
  filled: Filled
  comparisons: Comparison[]
  walked: Walked
  memoryMb: number | undefined
}

export async function measureV2(options: Options & { animals: number }, url: string): Promise<V2> {
  const store = { databaseUrl: url, settings: VISITORS }
  const filled = await fillStore(url, options.animals)
  const key = await makeKey(store)
  const client = JSON.parse(await runCommand(store, [...CLIENT, ...NEVER])) as Client
  const service = await startService(store, { probed: true })
  const { port } = service
  const door = { port, key: await tokenOf({ port }, client) }
  const own: Contestant = {
    ...{ name: OWN, port, pid: service.pid, stop: service.stop },
    prepare: async (measurement) => sendings(door, { port, key }, client)[measurement]?.(),
  }
  const bare = await startBare()
  const measurements = Object.keys(MEASUREMENTS)
  const measured = await compete({ ...options, bare, contestants: [own], measurements })
  await bare.stop()
  await service.longestTurnMs()
  const before = computedMs(service.pid)
  const took = await walk(door, await lists({ port, key }, options.animals))
  const cpuMicroseconds = ((computedMs(service.pid) - before) * 1_000) / took.length
  const longestTurnMs = await service.longestTurnMs()
  const { peakMb: memoryMb } = memoryOf(service.pid)
  await service.stop()
  const engine = url.startsWith('sqlite:') ? 'SQLite' : 'PostgreSQL'
  const reach = options.animals > 1_000_000 ? MOST_MS.more : MOST_MS.million
  const at = (share: number) => took[Math.ceil(took.length * share) - 1]?.ms ?? Number.NaN
  return {
    setup: setup(options.rounds, options.seconds),
    ...{ engine, animals: options.animals, filled, memoryMb },
    comparisons: summarise(measured, BARE, 'speed', (name, who) =>
      who === BARE ? undefined : MEASUREMENTS[name],
    ),
    walked: {
      ...{ answers: took.length, p50Ms: at(0.5), p99Ms: at(0.99), worstMs: at(1) },
      ...{ worst: took.at(-1)?.path ?? '', cpuMicroseconds, longestTurnMs },
      reachMs: engine === 'SQLite' ? reach : MOST_MS.postgres,
    },
  }
}

interface Client {
  clientId: string
  clientSecret: string
}

const get = (path: string): Request => ({ method: 'GET', path })

function tokenRequest({ clientId, clientSecret }: Client): Request {
  const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  return { method: 'POST', path: '/v2/oauth2/token', body: JSON.stringify(fields) }
}

async function tokenOf(door: Door, client: Client): Promise<string> {
  const { access_token } = (await (await ask(door, tokenRequest(client))).json()) as { access_token: string }
  return access_token
}

function sendings(door: Door, admin: Door, client: Client): Record<string, () => Promise<Sending>> {
  const recorded = async (from: Door, request: Request): Promise<Sending> => {
    const exchanges = await record(from, [request])
    const [{ answer } = {}] = exchanges
    return { exchanges, answers: answer ? { [ANY]: answer } : {} }
  }
  return {
    [TOKEN]: () => recorded({ port: door.port }, tokenRequest(client)),
    [ASKED]: () => recorded(door, get('/v2/animals')),
    async [UNASKED]() {
      const { answers } = await recorded(door, get('/v2/animals?limit=20&page=2'))
      // A commit, after which every page has to be made anew.
      const body = JSON.stringify({ name: String(performance.now()) })
      await ask(admin, { method: 'PATCH', path: '/v1/pets/1', body })
      const paths = Array.from({ length: MOST_PAGES }, (_, index) =>
        get(`/v2/animals?limit=20&page=${1 + (index % 40)}&x=${index}`),
      )
      const exchanges = unseen(door, paths, 0).map((one) => ({ ...one, ...PAGE_BYTES }))
      return { exchanges, once: true, ...(answers && { answers }) }
    },
  }
}

/** Lists with one to four filters that an animal of the store fits. */
async function lists(door: Door, animals: number): Promise<string[]> {
  const random = randomFrom(11)
  const found: string[] = []
  while (found.length < LISTS) {
    const id = 1 + Math.floor(random() * animals)
    const [pet] = (await (await ask(door, get(`/v1/pets?id=${id}&fields=*`))).json()) as Shown[]
    const held = filtersOf(pet).sort(() => random() - 0.5)
    const query = new URLSearchParams(held.slice(0, 1 + Math.floor(random() * 4)))
    if (found.length % 10 === 0) query.set('location', '80202')
    found.push(String(query))
  }
  return found
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the service shows
type Shown = Record<string, any>

function filtersOf({ breed = {}, goodWith = {}, colors = [], ...pet }: Shown = {}): [string, string][] {
  const held: [string, unknown][] = [
    ['gender', pet.sex],
    ['size', pet.size],
    ['age', pet.age],
    ['coat', pet.coat],
    ['breed', breed.primary],
    ['color', colors[0]],
    ['good_with_cats', goodWith.cats],
  ]
  return held.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
}

async function walk(door: Door, queries: string[]): Promise<{ ms: number; path: string }[]> {
  const took: { ms: number; path: string }[] = []
  for (const query of queries)
    for (const page of PAGES) {
      const path = `/v2/animals?${query}&page=${page}`
      const since = performance.now()
      await (await ask(door, get(path))).text()
      took.push({ ms: performance.now() - since, path })
    }
  return took.sort((a, b) => a.ms - b.ms)
}

export function v2Report({ engine, animals, comparisons, walked, memoryMb, setup }: V2): string {
  const { answers, p50Ms, p99Ms, worstMs, cpuMicroseconds, longestTurnMs, reachMs } = walked
  return [
    ...table(comparisons, 'speed'),
    '',
    `Speed is of ${BARE}, which sends the same bytes; ${whole(animals)} animals on ${engine}.`,
    ...aligned([
      ['', 'answers', 'p50 ms', 'p99 ms', 'reach', 'worst ms', 'CPU µs', 'longest turn ms'],
      [
        ...['  pages of filtered lists, with totals', whole(answers), p50Ms.toFixed(2), p99Ms.toFixed(2)],
        ...[`≤ ${reachMs}`, worstMs.toFixed(1), whole(cpuMicroseconds), longestTurnMs.toFixed(1)],
      ],
    ]),
    `Resident memory of adoptable: ${whole(memoryMb)} MB at its peak.`,
    '',
    ...closing(setup),
  ].join('\n')
}
