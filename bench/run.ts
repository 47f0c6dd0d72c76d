import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { load } from './load.ts'
import { type Pair, summarise, table } from './report.ts'
import {
  ANIMALS,
  addAnimals,
  countAnimals,
  MEASUREMENTS,
  type Measurement,
  type Recorded,
  record,
  recordAlike,
} from './requests.ts'
import {
  addAvailable,
  type Bare,
  makeKey,
  type Service,
  type Store,
  startBare,
  startService,
} from './servers.ts'

// adoptable beside a bare node:http server that answers the same bytes, in turns, so that both meet the same
// moods of the machine. Nothing is judged here: it fails only when an answer was wrong or missing.

const STARTS = 5
const WARM_UP_SECONDS = 1

/** More than adoptable gives away in a second; each order needs one of its own. */
const ANIMALS_A_SECOND = 12_000

/** For everything but the measurements. Whoever needs longer hangs. */
const OVERHEAD_MS = 120_000

interface Contest {
  key: string
  service: Service
  bare: Bare
  file: string
  /** Animals that the service said it has added. */
  added: number
}

const { rounds, seconds } = readOptions()
const loads = 2 * MEASUREMENTS.length
const mostMs = OVERHEAD_MS + loads * (rounds * seconds + WARM_UP_SECONDS) * 2_000
setTimeout(() => fail(`not done after ${Math.round(mostMs / 1_000)} s`), mostMs).unref()

const folder = mkdtempSync(join(tmpdir(), 'adoptable-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
try {
  const results = summarise({ rounds, seconds, ...(await measure(join(folder, 'bench.db'))) })
  writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(results, rounded, 2)}\n`)
  console.log(table(results))
} catch (error) {
  fail(error)
}

function readOptions(): { rounds: number; seconds: number } {
  const { values } = parseArgs({
    options: { rounds: { type: 'string' }, seconds: { type: 'string' }, quick: { type: 'boolean' } },
  })
  const [rounds, seconds] = values.quick ? [2, 1] : [7, 3]
  const options = { rounds: Number(values.rounds ?? rounds), seconds: Number(values.seconds ?? seconds) }
  if (!Object.values(options).every((value) => value >= 1 && Number.isInteger(value))) {
    fail('usage: npm run bench -- [--quick] [--rounds N] [--seconds S]')
  }
  return options
}

function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value
}

function fail(reason: unknown): never {
  console.error('bench:', reason)
  process.exit(1)
}

async function measure(file: string) {
  const store = { databaseUrl: `sqlite:${file}` }
  const key = await makeKey(store)
  const { service, readyMs } = await startOften(store)
  const bare = await startBare()
  const contest: Contest = { key, service, bare, file, added: ANIMALS }
  const memoryAtStart = service.memory()
  await addAnimals(service.port, key)
  const pairs = await compareInRounds(contest)
  const memoryAtEnd = service.memory()
  const found = await countAnimals(service.port, key)
  if (found !== contest.added) throw new Error(`${contest.added} animals were added, and ${found} are there`)
  await Promise.all([service.stop(), bare.stop()])
  return { animals: ANIMALS, readyMs, memoryAtStart, memoryAtEnd, pairs }
}

/** The last service started keeps running. */
async function startOften(store: Store): Promise<{ service: Service; readyMs: number[] }> {
  const readyMs: number[] = []
  while (true) {
    const service = await startService(store)
    readyMs.push(service.readyMs)
    if (readyMs.length === STARTS) return { service, readyMs }
    await service.stop()
  }
}

async function compareInRounds(contest: Contest): Promise<Map<string, Pair[]>> {
  for (const measurement of MEASUREMENTS) await compare(contest, measurement, WARM_UP_SECONDS, 0)
  const pairs = new Map<string, Pair[]>(MEASUREMENTS.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const measurement of MEASUREMENTS) {
      pairs.get(measurement.name)?.push(await compare(contest, measurement, seconds, round))
    }
  }
  return pairs
}

async function prepare(contest: Contest, measurement: Measurement, seconds: number): Promise<Recorded[]> {
  const { key, service, file, added } = contest
  const { requests, forAnimal } = measurement
  if (!forAnimal) return record(service.port, key, requests)
  const count = ANIMALS_A_SECOND * seconds
  addAvailable(file, count)
  contest.added += count
  const ids = Array.from({ length: count }, (_, index) => added + 1 + index)
  return recordAlike(service.port, key, ids.map(forAnimal))
}

/** Both right after each other; who is first changes with the round. */
async function compare(
  contest: Contest,
  measurement: Measurement,
  seconds: number,
  round: number,
): Promise<Pair> {
  const { service, bare } = contest
  const exchanges = await prepare(contest, measurement, seconds)
  await bare.answer(Object.fromEntries(exchanges.map(({ name, answer }) => [name, answer])))
  const runAdoptable = async () => {
    const figures = await load(service.port, exchanges, seconds)
    if (measurement.adds) contest.added += measurement.requests.length + figures.answers
    return { figures, memory: service.memory() }
  }
  const first = round % 2 === 0 ? await runAdoptable() : undefined
  const ofBare = await load(bare.port, exchanges, seconds)
  const { figures, memory } = first ?? (await runAdoptable())
  return { adoptable: figures, bare: ofBare, memory }
}
