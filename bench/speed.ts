import { join } from 'node:path'
import { megabytesOf } from '../torture/lab/proc.ts'
import {
  type Adoptable,
  adoptable,
  CREATE,
  FILTERS,
  MEASUREMENTS,
  SAME_PAGE,
  startAdoptable,
} from './adoptable.ts'
import { BARE, type Contestant, compete, type Sending } from './contest.ts'
import { ON_POSTGRES, ON_SQLITE, startPeers } from './peers.ts'
import { aligned, describeSetup, setup, summarise, table, whole } from './report.ts'
import { ANIMALS, countAnimals } from './requests.ts'
import { makeKey, type Store, startBare, startService, withOwnDatabase } from './servers.ts'

// Compares adoptable with a bare node:http server that sends the same bytes, and with typical alternatives.

export interface Options {
  rounds: number
  seconds: number
  warmUpSeconds: number
}

export type Speed = Awaited<ReturnType<typeof measureSpeed>>

const OWN = 'adoptable'
const MAX_MEMORY_MB = 120

/** Compares adoptable with a bare server and the peers. */
export async function measureSpeed(options: Options, folder: string) {
  const own = await startAdoptable(OWN, { databaseUrl: `sqlite:${join(folder, `${OWN}.db`)}` })
  const { peers, skipped } = await startPeers(ON_SQLITE, (name) => join(folder, `${name}.db`))
  const contestants: Contestant[] = [own, ...peers]
  const bare = await startBare()
  const contest = { ...options, bare, contestants }
  const measured = await compete({ ...contest, measurements: Object.keys(MEASUREMENTS) })
  await assertNothingLost(own)
  const measuredContestants = contestants.map(({ name, readyMs, startMb, pid }) => ({
    ...{ name, readyMs },
    ...(startMb !== undefined && { startMb }),
    peakMb: megabytesOf(pid, 'max'),
  }))
  await Promise.all([bare, ...contestants].map((contestant) => contestant.stop()))
  const reach = (measurement: string, name: string) => (name === OWN ? MEASUREMENTS[measurement] : undefined)
  return {
    setup: setup(options.rounds, options.seconds),
    contestants: measuredContestants,
    skipped,
    comparisons: summarise(measured, BARE, reach),
  }
}

/** @throws if an animal is missing */
async function assertNothingLost(own: Adoptable): Promise<void> {
  const found = await countAnimals(own.door)
  if (found !== own.added()) throw new Error(`${own.added()} animals were added, but ${found} exist`)
}

export function speedReport({ comparisons, contestants, skipped, setup }: Speed): string {
  const started = contestants.map(({ name, readyMs, startMb, peakMb }) => [
    ...[`  ${name}`, whole(readyMs), whole(startMb), whole(peakMb)],
  ])
  return [
    ...table(comparisons),
    '',
    `Speed is relative to ${BARE}; ${whole(ANIMALS)} animals at the start.`,
    '',
    ...aligned([['', 'ready ms', 'RSS MB at start', 'at peak'], ...started]),
    `Target for ${OWN}: at most ${MAX_MEMORY_MB} MB.`,
    ...skipped.map((reason) => `  skipped: ${reason}`),
    '',
    ...describeSetup(setup),
  ].join('\n')
}

/** Measurements in the chart. */
export const SHOWN = [SAME_PAGE, FILTERS, CREATE]

// The service on both kinds of store, with one process and with two. Creates its own database on the given
// PostgreSQL, and leaves its counters in Redis until they expire.

const MIN_RATIO = 0.35

/** With this many callers, few have two simultaneous requests, which would share one call to Redis. */
const MANY_KEYS = 32

export const NEEDS = 'network: set BENCH_DATABASE_URL to a PostgreSQL and BENCH_REDIS_URL to a Redis'

/** @returns undefined if the servers are not configured */
export async function measureScale(options: Options, folder: string) {
  const { BENCH_DATABASE_URL: serverUrl, BENCH_REDIS_URL: redisUrl } = process.env
  if (!serverUrl || !redisUrl) return undefined
  const embedded = { databaseUrl: `sqlite:${join(folder, 'scale.db')}` }
  return withOwnDatabase(serverUrl, (databaseUrl) =>
    withOwnDatabase(serverUrl, (peerUrl) =>
      measureBoth(options, embedded, { databaseUrl, redisUrl }, peerUrl),
    ),
  )
}

async function measureBoth(options: Options, embedded: Store, network: Store, peerUrl: string) {
  const one = await startAdoptable('one file', embedded)
  const two = await startAdoptable('PostgreSQL and Redis', network)
  const both = await startService(network, { workers: 2 })
  // The supervisor answers no requests, so its processor time and memory mean nothing.
  const workers = { ...adoptable('the same, two processes', both, two.door.key ?? ''), pid: undefined }
  const many = await withKeys(`the same, ${MANY_KEYS} keys`, network, two)
  const { peers, skipped } = await startPeers(ON_POSTGRES, () => peerUrl)
  const contestants = [one, two, many, workers, ...peers]
  const bare = await startBare()
  const contest = { ...options, bare, contestants }
  // Creates come last: after a change, another process may still answer with the old page for a moment.
  const reads = await compete({ ...contest, measurements: [SAME_PAGE, FILTERS] })
  const creates = await compete({ ...contest, measurements: [CREATE] })
  await Promise.all([bare, one, two, both, ...peers].map((server) => server.stop()))
  const reach = (measurement: string, name: string) =>
    measurement === SAME_PAGE && name === two.name ? MIN_RATIO : undefined
  return {
    setup: setup(options.rounds, options.seconds),
    skipped,
    comparisons: summarise(new Map([...reads, ...creates]), BARE, reach),
  }
}

/** Requests the same page with one key after another. */
async function withKeys(name: string, store: Store, service: Contestant): Promise<Contestant> {
  const callers: Contestant[] = []
  while (callers.length < MANY_KEYS) callers.push(adoptable(name, service, await makeKey(store)))
  async function prepare(measurement: string, seconds: number): Promise<Sending | undefined> {
    if (measurement !== SAME_PAGE) return undefined
    const sendings = await Promise.all(callers.map((caller) => caller.prepare(measurement, seconds)))
    return { exchanges: sendings.flatMap((sending) => sending?.exchanges ?? []) }
  }
  const { port, pid, readyMs, stop } = service
  return { name, port, pid, readyMs, prepare, stop }
}

export function scaleReport({
  comparisons,
  skipped,
  setup,
}: Awaited<ReturnType<typeof measureBoth>>): string {
  const missing = skipped.map((reason) => `  skipped: ${reason}`)
  return [...table(comparisons), ...missing, '', ...describeSetup(setup)].join('\n')
}
