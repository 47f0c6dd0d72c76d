import { join } from 'node:path'
import { type Adoptable, adoptable, CREATE, FILTERS, MEASUREMENTS, SAME_PAGE } from './adoptable.ts'
import { BARE, type Contestant, compete } from './contest.ts'
import { type Exchange, load } from './load.ts'
import { startPeers } from './peers.ts'
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
import { ANIMALS, addAnimals, countAnimals, type Door, NEW_PET, record } from './requests.ts'
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
  /** Photos that are uploaded at the same time. */
  uploads: number
}

export interface Speed {
  setup: Setup
  contestants: { name: string; made: string; readyMs: Spread; memoryMb: number | undefined }[]
  skipped: string[]
  comparisons: Comparison[]
  storm: { quietP99Ms: Spread; stormP99Ms: Spread; ratio: Spread; loopP999Ms: Spread }
  memory: { startMb: number | undefined; afterMb: number | undefined; peakMb: number | undefined }
}

const OWN = 'adoptable'
const MOST_MEMORY_MB = 120
const MOST_STORM_RATIO = 3
const MOST_LOOP_DELAY_MS = 10

export async function measureSpeed(options: Options, folder: string): Promise<Speed> {
  const { rounds, seconds } = options
  const file = join(folder, 'bench.db')
  const store = { databaseUrl: `sqlite:${file}` }
  const key = await makeKey(store)
  const { service, readyMs } = await startOften(store, options.starts)
  const door = { port: service.port, key }
  const own: Adoptable = { ...adoptable(OWN, service, key, { file }), readyMs, made: 'fastify, node:sqlite' }
  const { nowMb: startMb } = memoryOf(service.pid)
  await addAnimals(door)
  const { peers: others, skipped } = await startPeers(folder)
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
  const storm = await measureStorm(store, key, options)
  const reach = (measurement: string, name: string) => (name === OWN ? MEASUREMENTS[measurement] : undefined)
  return {
    setup: setup(rounds, seconds),
    contestants: told,
    skipped,
    comparisons: summarise(measured, BARE, 'speed', reach),
    storm,
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

/** Reads alone, and then the same reads while as many connections again do nothing but create. */
async function measureStorm(
  store: Store,
  key: string,
  { rounds, seconds }: Options,
): Promise<Speed['storm']> {
  const { port, loopP999Ms, stop } = await startService(store, { probed: true })
  const door = { port, key }
  // What is created is not on this page, which has to be made anew after every commit all the same.
  const reads = await record(door, [{ method: 'GET', path: '/v1/pets?status=sold' }])
  const creates: Exchange[] = await record(door, [{ method: 'POST', path: '/v1/pets', body: NEW_PET }])
  await load(port, reads, { seconds })
  const quiet: number[] = []
  const storm: number[] = []
  const loop: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    quiet.push((await load(port, reads, { seconds })).p99Ms)
    await loopP999Ms()
    const both = [load(port, reads, { seconds }), load(port, creates, { seconds })]
    storm.push((await Promise.all(both))[0]?.p99Ms ?? Number.NaN)
    loop.push(await loopP999Ms())
  }
  await stop()
  return {
    quietP99Ms: spread(quiet),
    stormP99Ms: spread(storm),
    ratio: spread(storm.map((p99Ms, round) => p99Ms / (quiet[round] ?? Number.NaN))),
    loopP999Ms: spread(loop),
  }
}

export function speedReport(speed: Speed): string {
  const { storm, memory } = speed
  const started = speed.contestants.map(({ name, readyMs, memoryMb }) => [
    `  ${name}`,
    whole(readyMs.median),
    whole(memoryMb),
  ])
  return [
    ...table(speed.comparisons, 'speed'),
    '',
    `Speed is of ${BARE}, which sends the same bytes; ${whole(ANIMALS)} animals at the start.`,
    `p99 of reads while 64 more connections create: ${storm.stormP99Ms.median.toFixed(2)} ms, ` +
      `${storm.quietP99Ms.median.toFixed(2)} ms without: ${fine(storm.ratio.median)} × ` +
      `(${fine(storm.ratio.least)}..${fine(storm.ratio.most)}; reach ≤ ${MOST_STORM_RATIO}).`,
    `Delay of the event loop meanwhile, p99.9: ${fine(storm.loopP999Ms.median)} ms ` +
      `(${fine(storm.loopP999Ms.least)}..${fine(storm.loopP999Ms.most)}; reach ≤ ${MOST_LOOP_DELAY_MS}).`,
    `Resident memory of adoptable: ${whole(memory.startMb)} MB after the start, ${whole(memory.afterMb)} MB ` +
      `after all this, ${whole(memory.peakMb)} MB at its peak (reach ≤ ${MOST_MEMORY_MB}).`,
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
