import { join } from 'node:path'
import { type Adoptable, adoptable, CREATE, FILTERS, MEASUREMENTS, SAME_PAGE } from './adoptable.ts'
import { BARE, type Contestant, compete } from './contest.ts'
import { ON_SQLITE, startPeers } from './peers.ts'
import {
  aligned,
  type Comparison,
  describeSetup,
  type Setup,
  setup,
  summarise,
  table,
  whole,
} from './report.ts'
import { ANIMALS, addAnimals, countAnimals, type Door } from './requests.ts'
import { makeKey, memoryOf, type Service, type Store, startBare, startService } from './servers.ts'
import { type Spread, spread } from './statistics.ts'

// Compares adoptable with a bare node:http server that sends the same bytes, and with typical alternatives.

export interface Options {
  rounds: number
  seconds: number
  warmUpSeconds: number
  /** Number of measured starts. */
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
  const { service, readyMs } = await startRepeatedly(store, options.starts)
  const door = { port: service.port, key }
  const own: Adoptable = { ...adoptable(OWN, service, key), readyMs, made: 'fastify, node:sqlite' }
  const { nowMb: startMb } = memoryOf(service.pid)
  await addAnimals(door)
  const { peers: others, skipped } = await startPeers(ON_SQLITE, (name) => join(folder, `${name}.db`))
  const contestants: Contestant[] = [own, ...others]
  const bare = await startBare()
  const measured = await compete({ ...options, bare, contestants, measurements: Object.keys(MEASUREMENTS) })
  await assertNothingLost(own, door)
  const { nowMb: afterMb, peakMb } = memoryOf(service.pid)
  const shownContestants = contestants.map(({ name, made = '', readyMs = [], pid }) => ({
    name,
    made,
    readyMs: spread(readyMs),
    memoryMb: memoryOf(pid).peakMb,
  }))
  await Promise.all([bare, ...contestants].map((contestant) => contestant.stop()))
  const reach = (measurement: string, name: string) => (name === OWN ? MEASUREMENTS[measurement] : undefined)
  return {
    setup: setup(rounds, seconds),
    contestants: shownContestants,
    skipped,
    comparisons: summarise(measured, BARE, 'speed', reach),
    memory: { startMb, afterMb, peakMb },
  }
}

/** Starts the service several times. The last one keeps running. */
async function startRepeatedly(
  store: Store,
  starts: number,
): Promise<{ service: Service; readyMs: number[] }> {
  const readyMs: number[] = []
  while (true) {
    const service = await startService(store)
    readyMs.push(service.readyMs)
    if (readyMs.length === starts) return { service, readyMs }
    await service.stop()
  }
}

/** @throws if an animal is missing */
async function assertNothingLost(own: Adoptable, door: Door): Promise<void> {
  const found = await countAnimals(door)
  if (found !== own.added()) throw new Error(`${own.added()} animals were added, but ${found} exist`)
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
    `Speed is relative to ${BARE}, which sends the same bytes; ${whole(ANIMALS)} animals at the start.`,
    `Resident memory of adoptable: ${whole(memory.startMb)} MB after the start, ${whole(memory.afterMb)} MB ` +
      `after the measurements, ${whole(memory.peakMb)} MB at its peak (target ≤ ${MAX_MEMORY_MB}).`,
    '',
    ...aligned([['', 'ready ms', 'peak MB'], ...started]).map((line, index) => {
      const made = speed.contestants[index - 1]?.made
      return made ? `${line}  ${made}` : line
    }),
    ...speed.skipped.map((reason) => `  skipped: ${reason}`),
    '',
    ...describeSetup(speed.setup),
  ].join('\n')
}

/** Measurements in the chart. */
export const SHOWN = [SAME_PAGE, FILTERS, CREATE]
