import { join } from 'node:path'
import { type Adoptable, adoptable, CREATE, FILTERS, MEASUREMENTS, SAME_PAGE } from './adoptable.ts'
import { BARE, type Contestant, compete } from './contest.ts'
import { ON_SQLITE, startPeers } from './peers.ts'
import { aligned, type Comparison, closing, type Setup, setup, summarise, table, whole } from './report.ts'
import { ANIMALS, addAnimals, countAnimals, type Door } from './requests.ts'
import { makeKey, memoryOf, type Service, type Store, startBare, startService } from './servers.ts'
import { type Spread, spread } from './statistics.ts'

// adoptable beside a bare node:http server that answers the same bytes, and beside what a user would pick
// instead.

export interface Options {
  rounds: number
  seconds: number
  warmUpSeconds: number
  /** How often the start is measured. */
  starts: number
}

export interface Speed {
  setup: Setup
  contestants: { name: string; made: string; readyMs: Spread; memoryMb: number | undefined }[]
  skipped: string[]
  comparisons: Comparison[]
  memory: { startMb: number | undefined; afterMb: number | undefined; peakMb: number | undefined }
}

const OWN = 'adoptable'
const MAX_MEMORY_MB = 120

export async function measureSpeed(options: Options, folder: string): Promise<Speed> {
  const { rounds, seconds } = options
  const store = { databaseUrl: `sqlite:${join(folder, 'bench.db')}` }
  const key = await makeKey(store)
  const { service, readyMs } = await startOften(store, options.starts)
  const door = { port: service.port, key }
  const own: Adoptable = { ...adoptable(OWN, service, key), readyMs, made: 'fastify, node:sqlite' }
  const { nowMb: startMb } = memoryOf(service.pid)
  await addAnimals(door)
  const { peers: others, skipped } = await startPeers(ON_SQLITE, (name) => join(folder, `${name}.db`))
  const contestants: Contestant[] = [own, ...others]
  const bare = await startBare()
  const measured = await compete({ ...options, bare, contestants, measurements: Object.keys(MEASUREMENTS) })
  await refuseLoss(own, door)
  const { nowMb: afterMb, peakMb } = memoryOf(service.pid)
  const told = contestants.map(({ name, made = '', readyMs = [], pid }) => ({
    name,
    made,
    readyMs: spread(readyMs),
    memoryMb: memoryOf(pid).peakMb,
  }))
  await Promise.all([bare, ...contestants].map((contestant) => contestant.stop()))
  const reach = (measurement: string, name: string) => (name === OWN ? MEASUREMENTS[measurement] : undefined)
  return {
    setup: setup(rounds, seconds),
    contestants: told,
    skipped,
    comparisons: summarise(measured, BARE, 'speed', reach),
    memory: { startMb, afterMb, peakMb },
  }
}

/** The last service started keeps running. */
async function startOften(store: Store, starts: number): Promise<{ service: Service; readyMs: number[] }> {
  const readyMs: number[] = []
  while (true) {
    const service = await startService(store)
    readyMs.push(service.readyMs)
    if (readyMs.length === starts) return { service, readyMs }
    await service.stop()
  }
}

/** Speed that loses a write counts nothing. */
async function refuseLoss(own: Adoptable, door: Door): Promise<void> {
  const found = await countAnimals(door)
  if (found !== own.added()) throw new Error(`${own.added()} animals were added, and ${found} are there`)
}

export function speedReport(speed: Speed): string {
  const { memory } = speed
  const started = speed.contestants.map(({ name, readyMs, memoryMb }) => [
    `  ${name}`,
    whole(readyMs.median),
    whole(memoryMb),
  ])
  return [
    ...table(speed.comparisons, 'speed'),
    '',
    `Speed is of ${BARE}, which sends the same bytes; ${whole(ANIMALS)} animals at the start.`,
    `Resident memory of adoptable: ${whole(memory.startMb)} MB after the start, ${whole(memory.afterMb)} MB ` +
      `after all this, ${whole(memory.peakMb)} MB at its peak (reach ≤ ${MAX_MEMORY_MB}).`,
    '',
    ...aligned([['', 'ready ms', 'peak MB'], ...started]).map((line, index) => {
      const made = speed.contestants[index - 1]?.made
      return made ? `${line}  ${made}` : line
    }),
    ...speed.skipped.map((reason) => `  skipped: ${reason}`),
    '',
    ...closing(speed.setup),
  ].join('\n')
}

/** What the chart shows of all contestants. */
export const SHOWN = [SAME_PAGE, FILTERS, CREATE]
