import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { againstReport, measureAgainst } from './against.ts'
import { barChart } from './chart.ts'
import { withOwnDatabase } from './own-database.ts'
import { measureScale, NEEDS, scaleReport } from './scale.ts'
import { measureSearch, type Searches, searchReport } from './search.ts'
import { measureSpeed, type Options, SHOWN, type Speed, speedReport } from './speed.ts'
import { measureStartup, startupReport } from './startup.ts'

// npm run bench: chooses the measurements, prints and stores the results. See bench/README.md.

const USAGE =
  'usage: npm run bench -- [--startup | --network | --search | --quick | --against FOLDER] ' +
  '[--rounds N] [--seconds S] [--animals N]'

const FULL: Options = { rounds: 7, seconds: 2, warmUpSeconds: 1, starts: 5 }
const QUICK: Options = { rounds: 1, seconds: 0.1, warmUpSeconds: 0.05, starts: 1 }
/** Measurements that run at the same time with `--quick`, whose figures do not matter. */
const QUICK_CONCURRENCY = 3
/** Number of animals for `--search` without `--animals`. */
const SEARCH_ANIMALS = { quick: 1_000, full: 200_000 }

/** The bench counts as hanging after this time. */
const MAX_MS = { quick: 5 * 60_000, full: 120 * 60_000 }

const RESULTS = new URL('results.json', import.meta.url)

const { values: flags } = readFlags()
const options = readOptions()
setTimeout(() => fail('not done in time'), flags.quick ? MAX_MS.quick : MAX_MS.full).unref()

const folder = mkdtempSync(join(tmpdir(), 'adoptable-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
try {
  const { quick, startup, network, search, against } = flags
  const isPlain = !(startup || network || search || against)
  const kinds: [isChosen: boolean, measure: () => Promise<void>][] = [
    [isPlain || startup, starts],
    [isPlain, speed],
    [search, searches],
    [network, scale],
  ]
  const chosen = kinds.filter(([isChosen]) => quick || isChosen).values()
  const lane = async (): Promise<void> => {
    for (const [, measure] of chosen) await measure()
  }
  await Promise.all(Array.from({ length: quick ? QUICK_CONCURRENCY : 1 }, lane))
  if (against) console.log(againstReport(await measureAgainst(against, options, folder)))
} catch (error) {
  fail(error)
}

async function starts(): Promise<void> {
  const results = await measureStartup(options, folder)
  console.log(`${startupReport(results)}\n`)
  if (!flags.quick) storeResults('startup', results)
}

async function speed(): Promise<void> {
  const results = await measureSpeed(options, folder)
  console.log(`${speedReport(results)}\n`)
  const chart = speedChart(results)
  if (!flags.quick) storeResults('speed', results, 'bench.svg', chart)
}

async function searches(): Promise<void> {
  const { animals } = options
  const measured: Searches[] = [await measureSearch(`sqlite:${join(folder, 'search.db')}`, animals)]
  const { BENCH_DATABASE_URL: server } = process.env
  if (server) measured.push(await withOwnDatabase(server, (url) => measureSearch(url, animals)))
  for (const one of measured) console.log(`${searchReport(one)}\n`)
  if (!server) console.log('  skipped: PostgreSQL. Set BENCH_DATABASE_URL to include it\n')
  // Stores the latest run for each number of animals.
  if (!flags.quick) storeResults('search', { ...readResults().search, [animals]: measured })
}

async function scale(): Promise<void> {
  const results = await measureScale(options, folder)
  if (!results) console.log(`  skipped: ${NEEDS}`)
  else console.log(scaleReport(results))
  if (results && !flags.quick) storeResults('network', results)
}

function speedChart({ comparisons, setup }: Speed): string {
  const shown = comparisons.filter(({ name }) => SHOWN.includes(name))
  const note = `Requests a second, as a ratio to a bare node:http server that sends the same bytes. ${where(setup)}`
  return barChart('How fast, with keys, limits and durable data', note, shown, 'adoptable')
}

function where({ versions, machine }: Speed['setup']): string {
  return `Node ${versions.node}, ${machine.cores} cores.`
}

function readResults() {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {}
}

/** Stores the results of one kind; those of other kinds stay. */
function storeResults(kind: string, results: object, chartName?: string, chart = ''): void {
  writeFileSync(RESULTS, `${JSON.stringify({ ...readResults(), [kind]: results }, rounded, 2)}\n`)
  if (chartName) writeFileSync(new URL(`../docs/${chartName}`, import.meta.url), chart)
}

function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 10_000) / 10_000 : value
}

function readFlags() {
  const flag = { type: 'boolean', default: false } as const
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      options: {
        startup: flag,
        network: flag,
        search: flag,
        animals: text,
        quick: flag,
        against: text,
        rounds: text,
        seconds: text,
      },
    })
  } catch {
    fail(USAGE)
  }
}

function readOptions(): Options & { animals: number } {
  const preset = flags.quick ? QUICK : FULL
  const rounds = Number(flags.rounds ?? preset.rounds)
  const seconds = Number(flags.seconds ?? preset.seconds)
  const animals = Number(flags.animals ?? (flags.quick ? SEARCH_ANIMALS.quick : SEARCH_ANIMALS.full))
  if (!(Number.isInteger(rounds) && rounds >= 1 && seconds > 0)) fail(USAGE)
  if (!(Number.isInteger(animals) && animals >= 1_000)) fail(USAGE)
  return { ...preset, rounds, seconds, animals }
}

function fail(reason: unknown): never {
  console.error('bench:', reason)
  process.exit(1)
}
