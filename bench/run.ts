import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { againstReport, measureAgainst } from './against.ts'
import { barChart, growthChart } from './chart.ts'
import { type Growth, growthReport, measureGrowth, SIZES } from './growth.ts'
import { withOwnDatabase } from './own-database.ts'
import { measurePages, pagesReport } from './pages.ts'
import { measurePhotos, photosReport } from './photos.ts'
import type { Comparison } from './report.ts'
import { measureRich, richReport } from './rich.ts'
import { measureScale, NEEDS, scaleReport } from './scale.ts'
import { measureSearch, type Searches, searchReport } from './search.ts'
import { type Beside, besideBTrees, besideReport } from './search-beside.ts'
import { measureCreates } from './search-creates.ts'
import { measureSpeed, type Options, SHOWN, type Speed, speedReport } from './speed.ts'
import { measureStartup, startupReport } from './startup.ts'
import { measureV2, type V2, v2Report } from './v2.ts'

// npm run bench: says what is measured, and where the figures go. See bench/README.md.

const USAGE =
  'usage: npm run bench -- [--startup | --growth | --network | --rich | --photos | --search | --pages | --v2 | ' +
  '--quick | --against FOLDER] [--rounds N] [--seconds S] [--animals N]'

const FULL: Options = { rounds: 7, seconds: 2, warmUpSeconds: 1, starts: 5, uploads: 8 }
const QUICK: Options = { rounds: 1, seconds: 0.1, warmUpSeconds: 0.05, starts: 1, uploads: 2 }
/** Kinds that run at the same time: nobody reads the figures of `--quick`. */
const QUICK_CONCURRENCY = 3
/** With `--search`, `--pages` and `--v2`, unless `--animals` tells. */
const SEARCHED = { quick: 1_000, full: 200_000 }
/** Others take long to fill. */
const MOST_BESIDE = 1_000_000
const QUICK_SIZES = SIZES.slice(0, 2)

/** Whoever needs longer hangs. */
const MOST_MS = { quick: 5 * 60_000, full: 120 * 60_000 }

const RESULTS = new URL('results.json', import.meta.url)

const { values: flags } = readFlags()
const options = readOptions()
setTimeout(() => fail('not done in time'), flags.quick ? MOST_MS.quick : MOST_MS.full).unref()

const folder = mkdtempSync(join(tmpdir(), 'adoptable-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
try {
  const { quick, startup, growth, network, rich, photos, search, pages, v2, against } = flags
  const isPlain = !(startup || growth || network || rich || photos || search || pages || v2 || against)
  const kinds: [isChosen: boolean, measure: () => Promise<void>][] = [
    [isPlain || startup, starts],
    [isPlain, speed],
    [rich, wide],
    [photos, pictures],
    [search, searches],
    [pages, views],
    [v2, oldClients],
    [growth, grow],
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
  if (!flags.quick) keep('startup', results)
}

async function speed(): Promise<void> {
  const results = await measureSpeed(options, folder)
  console.log(`${speedReport(results)}\n`)
  const chart = speedChart(results)
  if (!flags.quick) keep('speed', results, 'bench.svg', chart)
}

async function wide(): Promise<void> {
  const results = await measureRich(options, folder)
  console.log(`${richReport(results)}\n`)
  if (!flags.quick) keep('rich', results)
}

async function pictures(): Promise<void> {
  const results = await measurePhotos(options, folder)
  console.log(`${photosReport(results)}\n`)
  if (!flags.quick) keep('photos', results)
}

async function views(): Promise<void> {
  const results = await measurePages(options, folder)
  console.log(`${pagesReport(results)}\n`)
  if (!flags.quick) keep('pages', results)
}

async function oldClients(): Promise<void> {
  const measured: V2[] = [await measureV2(options, `sqlite:${join(folder, 'v2.db')}`)]
  const { BENCH_DATABASE_URL: server } = process.env
  if (server) measured.push(await withOwnDatabase(server, (url) => measureV2(options, url)))
  for (const one of measured) console.log(`${v2Report(one)}\n`)
  if (!server) console.log('  skipped: PostgreSQL, without BENCH_DATABASE_URL\n')
  if (!flags.quick) keep('v2', { ...kept().v2, [options.animals]: measured })
}

async function searches(): Promise<void> {
  const { animals } = options
  const file = (name: string) => `sqlite:${join(folder, name)}`
  const creates = await measureCreates({ indexed: file('indexed.db'), bare: file('bare.db') }, options)
  const measured: Searches[] = [{ ...(await measureSearch(file('search.db'), animals)), creates }]
  const fewer = Math.min(animals, MOST_BESIDE)
  const beside: Beside[] = []
  const { BENCH_DATABASE_URL: server } = process.env
  if (server) {
    measured.push(await withOwnDatabase(server, (url) => measureSearch(url, animals)))
    beside.push(await withOwnDatabase(server, (url) => besideBTrees(url, fewer)))
  }
  for (const one of measured) console.log(`${searchReport(one)}\n`)
  console.log(`${besideReport(beside)}\n`)
  if (!server) console.log('  skipped: PostgreSQL, without BENCH_DATABASE_URL\n')
  if (flags.quick) return
  // Of each number of animals the latest run is kept: together they are the chart.
  const results: Record<string, Searched> = { ...kept().search, [animals]: { measured, beside } }
  keep('search', results, 'bench-search.svg', chartOfSearches(results))
}

interface Searched {
  measured: Searches[]
  beside: Beside[]
}

async function grow(): Promise<void> {
  const results = await measureGrowth(options, flags.quick ? QUICK_SIZES : SIZES, folder)
  console.log(`${growthReport(results)}\n`)
  const chart = chartOfGrowth(results)
  if (!flags.quick) keep('growth', results, 'bench-growth.svg', chart)
}

async function scale(): Promise<void> {
  const results = await measureScale(options, folder)
  if (!results) console.log(`  skipped: ${NEEDS}`)
  else console.log(scaleReport(results))
  if (results && !flags.quick) keep('network', results)
}

function speedChart({ comparisons, setup }: Speed): string {
  const shown = comparisons.filter(({ name }) => SHOWN.includes(name))
  const note = `Requests a second, as a ratio to a bare node:http server that sends the same bytes. ${where(setup)}`
  return barChart('How fast, with keys, limits and durable data', note, shown, 'adoptable')
}

function chartOfGrowth({ comparisons, setup }: Growth): string {
  const note = `Time for an answer, as a ratio to that with 1,000 animals. ${where(setup)}`
  return growthChart('What a request costs as the data grows', note, comparisons)
}

function chartOfSearches(results: Record<string, Searched>): string {
  const sizes = Object.keys(results).sort((one, other) => Number(one) - Number(other))
  const [first] = Object.values(results)
  const lines = (first?.measured[0]?.asked ?? []).map(({ kind }) => ({
    name: kind,
    rows: sizes.map((size) => {
      const asked = results[size]?.measured[0]?.asked.find((one) => one.kind === kind)
      const p99 = asked?.p99Ms ?? 0
      return { name: Number(size).toLocaleString('en'), ratio: { median: p99, least: p99, most: p99 } }
    }),
  }))
  const setup = first?.measured[0]?.setup
  const note = `99th percentile in milliseconds, embedded store, by the number of animals. ${setup ? where(setup) : ''}`
  return growthChart('What a search takes as the data grows', note, lines as Comparison[], 'ms')
}

function where({ versions, machine }: Speed['setup']): string {
  return `Node ${versions.node}, ${machine.cores} cores.`
}

function kept() {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {}
}

/** Beside the figures of the other kinds, which stay as they were. */
function keep(kind: string, results: object, chartName?: string, chart = ''): void {
  writeFileSync(RESULTS, `${JSON.stringify({ ...kept(), [kind]: results }, rounded, 2)}\n`)
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
        growth: flag,
        network: flag,
        rich: flag,
        photos: flag,
        search: flag,
        pages: flag,
        v2: flag,
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
  const animals = Number(flags.animals ?? (flags.quick ? SEARCHED.quick : SEARCHED.full))
  if (!(Number.isInteger(rounds) && rounds >= 1 && seconds > 0)) fail(USAGE)
  if (!(Number.isInteger(animals) && animals >= 1_000)) fail(USAGE)
  return { ...preset, rounds, seconds, animals }
}

function fail(reason: unknown): never {
  console.error('bench:', reason)
  process.exit(1)
}
