import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Figures, load } from './load.ts'
import { addAnimals, record } from './requests.ts'
import { makeKey, type Service, type Store, startService } from './servers.ts'

// The list of the same service on its two kinds of store, and by one process and by two, in turns. It needs a
// PostgreSQL and a Redis, and makes a database of its own there:
//   BENCH_DATABASE_URL=postgres://… BENCH_REDIS_URL=redis://… node bench/scale.ts [rounds] [seconds]

const [rounds = 5, seconds = 2] = process.argv.slice(2).map(Number)
const { BENCH_DATABASE_URL: serverUrl = '', BENCH_REDIS_URL: redisUrl = '' } = process.env
const NAME = `adoptable_bench_${process.pid}`
const PAGE = [{ method: 'GET', path: '/v1/pets' }] as const

interface Contestant {
  name: string
  service: Service
  key: string
}

const folder = mkdtempSync(join(tmpdir(), 'adoptable-bench-'))
await runOnServer(`create database ${NAME}`)
try {
  const embedded = { databaseUrl: `sqlite:${join(folder, 'bench.db')}` }
  const network = { databaseUrl: Object.assign(new URL(serverUrl), { pathname: NAME }).href, redisUrl }
  const one = await open('embedded', embedded)
  const two = await open('PostgreSQL and Redis', network)
  await compare(two, one)
  const workers = { ...two, name: 'two workers', service: await startService(network, 2) }
  await compare(workers, { ...two, name: 'one' })
  await Promise.all([one, two, workers].map(({ service }) => service.stop()))
} finally {
  await runOnServer(`drop database ${NAME} with (force)`)
  rmSync(folder, { recursive: true, force: true })
}

async function open(name: string, store: Store): Promise<Contestant> {
  const key = await makeKey(store)
  const service = await startService(store)
  await addAnimals(service.port, key)
  return { name, service, key }
}

/** Prints how many requests a second the one answers for each of the other's. */
async function compare(one: Contestant, other: Contestant): Promise<void> {
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const first = await measure(one)
    const second = await measure(other)
    const ratio = first.requestsPerSecond / second.requestsPerSecond
    // The first round warms both up.
    if (round > 0) ratios.push(ratio)
    console.log(line(one.name, first), '|', line(other.name, second), '|', ratio.toFixed(2))
  }
  const sorted = ratios.toSorted((a, b) => a - b)
  const [least, median, most] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map((at) => sorted[at])
  console.log(
    `${one.name} to ${other.name}: median ${median?.toFixed(2)}, ${least?.toFixed(2)}..${most?.toFixed(2)}`,
  )
}

async function measure({ service, key }: Contestant): Promise<Figures> {
  return load(service.port, await record(service.port, key, [...PAGE]), seconds)
}

function line(name: string, { requestsPerSecond, p99Ms, loadBusy }: Figures): string {
  return `${name}: ${Math.round(requestsPerSecond)}/s, p99 ${p99Ms.toFixed(1)} ms, load ${loadBusy.toFixed(2)}`
}

async function runOnServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
