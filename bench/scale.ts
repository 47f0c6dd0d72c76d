import { join } from 'node:path'
import { adoptable, CREATE, FILTERS, SAME_PAGE } from './adoptable.ts'
import { BARE, type Contestant, compete, type Sending } from './contest.ts'
import { withOwnDatabase } from './own-database.ts'
import { ON_POSTGRES, startPeers } from './peers.ts'
import { type Comparison, describeSetup, type Setup, setup, summarise, table } from './report.ts'
import { addAnimals } from './requests.ts'
import { makeKey, type Service, type Store, startBare, startService } from './servers.ts'
import type { Options } from './speed.ts'

// The service on both kinds of store, with one process and with two. Creates its own database on the given
// PostgreSQL, and leaves its counters in Redis until they expire.

const MIN_RATIO = 0.35

/** With this many callers, few have two simultaneous requests, which would share one call to Redis. */
const MANY_KEYS = 32

export interface Scale {
  setup: Setup
  skipped: string[]
  comparisons: Comparison[]
}

export const NEEDS = 'network: set BENCH_DATABASE_URL to a PostgreSQL and BENCH_REDIS_URL to a Redis'

/** @returns undefined if the servers are not configured */
export async function measureScale(options: Options, folder: string): Promise<Scale | undefined> {
  const { BENCH_DATABASE_URL: serverUrl, BENCH_REDIS_URL: redisUrl } = process.env
  if (!serverUrl || !redisUrl) return undefined
  const embedded = { databaseUrl: `sqlite:${join(folder, 'scale.db')}` }
  return withOwnDatabase(serverUrl, (databaseUrl) =>
    withOwnDatabase(serverUrl, (peerUrl) =>
      measureBoth(options, embedded, { databaseUrl, redisUrl }, peerUrl),
    ),
  )
}

async function measureBoth(
  options: Options,
  embedded: Store,
  network: Store,
  peerUrl: string,
): Promise<Scale> {
  const one = await open('one file', embedded)
  const two = await open('PostgreSQL and Redis', network)
  const both = await startService(network, { workers: 2 })
  // The supervisor answers no requests, so its processor time and memory mean nothing.
  const workers = { ...adoptable('the same, two processes', both, two.key), pid: undefined }
  const many = await withKeys(`the same, ${MANY_KEYS} keys`, network, two.service)
  const { peers, skipped } = await startPeers(ON_POSTGRES, () => peerUrl)
  const contestants = [one.contestant, two.contestant, many, workers, ...peers]
  const bare = await startBare()
  const contest = { ...options, bare, contestants }
  // The creates come last: after a change by one process, another process may still answer with the old page
  // for a moment.
  const reads = await compete({ ...contest, measurements: [SAME_PAGE, FILTERS] })
  const creates = await compete({ ...contest, measurements: [CREATE] })
  await Promise.all([bare, one.service, two.service, both, ...peers].map((server) => server.stop()))
  const reach = (measurement: string, name: string) =>
    measurement === SAME_PAGE && name === two.contestant.name ? MIN_RATIO : undefined
  return {
    setup: setup(options.rounds, options.seconds),
    skipped,
    comparisons: summarise(new Map([...reads, ...creates]), BARE, 'speed', reach),
  }
}

async function open(name: string, store: Store) {
  const key = await makeKey(store)
  const service = await startService(store)
  await addAnimals({ port: service.port, key })
  return { key, service, contestant: adoptable(name, service, key) }
}

/** Requests the same page with one key after another. */
async function withKeys(name: string, store: Store, service: Service): Promise<Contestant> {
  const callers: Contestant[] = []
  while (callers.length < MANY_KEYS) callers.push(adoptable(name, service, await makeKey(store)))
  async function prepare(measurement: string, seconds: number): Promise<Sending | undefined> {
    if (measurement !== SAME_PAGE) return undefined
    const sendings = await Promise.all(callers.map((caller) => caller.prepare(measurement, seconds)))
    return { exchanges: sendings.flatMap((sending) => sending?.exchanges ?? []) }
  }
  return { name, port: service.port, pid: service.pid, prepare, stop: service.stop }
}

export function scaleReport({ comparisons, skipped, setup }: Scale): string {
  const missing = skipped.map((reason) => `  skipped: ${reason}`)
  return [...table(comparisons, 'speed'), ...missing, '', ...describeSetup(setup)].join('\n')
}
