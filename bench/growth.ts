import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { renamed } from './adoptable.ts'
import { type Contestant, compete, type Sending } from './contest.ts'
import {
  aligned,
  type Comparison,
  closing,
  fine,
  type Setup,
  setup,
  summarise,
  table,
  whole,
} from './report.ts'
import {
  ask,
  type Door,
  LIMITS,
  pagesFrom,
  places,
  type Request,
  record,
  STATUSES,
  unseen,
} from './requests.ts'
import { addDirectly, makeKey, memoryOf, type Store, startService } from './servers.ts'
import type { Options } from './speed.ts'
import { spread } from './statistics.ts'

// What the same request costs while the data grows: one service for each size, asked in turns.

export const SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]

/** With its indexes and the log of the statement that adds it. */
const BYTES_AN_ANIMAL = 400

/** Every status and none in every category, in turns. */
const STATUS_OF_ROW = "case n % 4 when 1 then 'available' when 2 then 'pending' when 3 then 'sold' end"

const DEEP_PLACES = 400
const IDS_AT_ONCE = 20
const RANDOM_LISTS = 5_000
const SINGLES = 1_000
/** From one of them to the next: not the neighbour. */
const SINGLES_STEP = 379
const MOST_RATIO = 1.1
const MOST_MEMORY_RATIO = 1.2
const MOST_READY_MS = 1_000

interface Grown extends Contestant {
  readyMs: number[]
  startMb: number | undefined
}

export interface Growth {
  setup: Setup
  comparisons: Comparison[]
  sizes: { name: string; readyMs: number; startMb: number | undefined; afterMb: number | undefined }[]
  skipped: string[]
}

/** Lists that nobody asked for before: from how many places in each on, with how many animals at most. */
interface Listing {
  filters: string[]
  places: number
  mostAnimals: number
}

const BY_CATEGORY = Array.from({ length: 8 }, (_, index) => `&categoryId=${index + 1}`)
const BY_STATUS = STATUSES.map((status) => `&status=${status}`)
const BY_BOTH = BY_CATEGORY.flatMap((category) => BY_STATUS.map((status) => category + status))

/** Of 1,000 animals 250 have one status, 125 one category and 30 both: no page is shorter there. */
const LISTINGS: Record<string, Listing> = {
  'list, newest first': { filters: [''], places: 400, mostAnimals: 39 },
  'list, oldest first': { filters: ['&sort=id'], places: 400, mostAnimals: 39 },
  'list by status': { filters: BY_STATUS, places: 130, mostAnimals: 39 },
  'list by category': { filters: BY_CATEGORY, places: 50, mostAnimals: 39 },
  'list by both': { filters: BY_BOTH, places: 9, mostAnimals: 20 },
}

const SAME = 'list, the same page'
const DEEP = 'list, deep'
const FIND = 'find one'
const MEASUREMENTS = [SAME, ...Object.keys(LISTINGS), DEEP, 'list by ids', FIND]

export async function measureGrowth(options: Options, sizes: number[], folder: string): Promise<Growth> {
  const fitting = sizes.filter((size) => size * BYTES_AN_ANIMAL < freeBytes(folder))
  const skipped = sizes
    .filter((size) => !fitting.includes(size))
    .map((size) => `${whole(size)} animals: they do not fit in the free space of ${folder}`)
  const filled: Filled[] = []
  for (const size of fitting) filled.push(await fillUp(size, join(folder, `growth-${size}.db`)))
  for (let start = 1; start < options.starts; start += 1) {
    for (const { store, readyMs } of filled) {
      const service = await startService(store)
      readyMs.push(service.readyMs)
      await service.stop()
    }
  }
  const contestants: Grown[] = []
  for (const { size, key, store, deep, readyMs } of filled) {
    const { port, pid, stop, ...service } = await startService(store)
    readyMs.push(service.readyMs)
    const { nowMb: startMb } = memoryOf(pid)
    const door = { port, key }
    const pages = { [DEEP]: pagesFrom(deep, LIMITS), ...(await everyListing(door)) }
    const prepare = (measurement: string) => sendingOf(measurement, door, size, pages)
    contestants.push({ name: whole(size), port, pid, readyMs, startMb, prepare, stop })
  }
  const rounds = await compete({ ...options, contestants, measurements: MEASUREMENTS })
  const after = contestants.map(({ name, readyMs, startMb, pid }) => ({
    name,
    readyMs: spread(readyMs).median,
    startMb,
    afterMb: memoryOf(pid).nowMb,
  }))
  await Promise.all(contestants.map(({ stop }) => stop()))
  const [base = ''] = contestants.map(({ name }) => name)
  return {
    setup: setup(options.rounds, options.seconds),
    comparisons: summarise(rounds, base, 'cost', (_, name) => (name === base ? undefined : MOST_RATIO)),
    sizes: after,
    skipped,
  }
}

interface Filled {
  size: number
  key: string
  store: Store
  /** Places in the middle of the list. */
  deep: string[]
  readyMs: number[]
}

/** Half of the animals, then the places that will be deep in the list, then the other half. */
async function fillUp(size: number, file: string): Promise<Filled> {
  const store = { databaseUrl: `sqlite:${file}` }
  const key = await makeKey(store)
  addDirectly(file, size / 2, STATUS_OF_ROW)
  const service = await startService(store)
  const deep = await places({ port: service.port, key }, '', DEEP_PLACES)
  await service.stop()
  addDirectly(file, size / 2, STATUS_OF_ROW)
  return { size, key, store, deep, readyMs: [] }
}

async function everyListing(door: Door): Promise<Record<string, Request[]>> {
  const listed = Object.entries(LISTINGS).map(async ([name, { filters, places: count, mostAnimals }]) => {
    const found = await Promise.all(filters.map((filter) => places(door, filter, count)))
    return [
      name,
      pagesFrom(
        found.flat(),
        LIMITS.filter((limit) => limit <= mostAnimals),
      ),
    ] as const
  })
  return Object.fromEntries(await Promise.all(listed))
}

let changes = 0

async function sendingOf(
  measurement: string,
  door: Door,
  size: number,
  pages: Record<string, Request[]>,
): Promise<Sending> {
  if (measurement === SAME) return { exchanges: await record(door, [{ method: 'GET', path: '/v1/pets' }]) }
  // A commit, after which a page of an earlier round has to be made anew like any other.
  changes += 1
  await ask(door, renamed(1, `Name ${changes}`))
  const found = measurement === FIND
  const requests = pages[measurement] ?? (found ? singles(size) : manyIds(size))
  return { exchanges: unseen(door, requests, LIMITS.length), once: !found }
}

/** As many animals for every size, each asked for as often, from all over the list. */
function singles(size: number): Request[] {
  return Array.from({ length: SINGLES }, (_, index) => {
    const place = (index * SINGLES_STEP) % SINGLES
    return { method: 'GET', path: `/v1/pets/${1 + Math.floor((place * size) / SINGLES)}` }
  })
}

function manyIds(size: number): Request[] {
  const anyId = () => `id=${1 + Math.floor(Math.random() * size)}`
  return Array.from({ length: RANDOM_LISTS }, () => {
    const ids = Array.from({ length: IDS_AT_ONCE }, anyId)
    return { method: 'GET', path: `/v1/pets?${ids.join('&')}` }
  })
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

export function growthReport({ comparisons, sizes, skipped, setup }: Growth): string {
  const [first] = sizes
  const ratio = (value = Number.NaN, base = Number.NaN) => fine(value / base)
  const rows = sizes.map(({ name, readyMs, startMb, afterMb }) => [
    `  ${name}`,
    whole(readyMs),
    whole(startMb),
    whole(afterMb),
    ratio(afterMb, first?.afterMb),
  ])
  return [
    ...table(comparisons, 'cost'),
    '',
    `Cost is the time for an answer, of that with ${first?.name} animals. No list but the same page is asked for twice.`,
    '',
    ...aligned([['animals', 'ready ms', 'start MB', 'after MB', 'of the first'], ...rows]),
    `reach: ready ≤ ${whole(MOST_READY_MS)} ms, memory ≤ ${MOST_MEMORY_RATIO} of the first`,
    ...skipped.map((reason) => `  skipped: ${reason}`),
    '',
    ...closing(setup),
  ].join('\n')
}
