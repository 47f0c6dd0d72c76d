import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureEvents } from './events.ts'
import { FULL_SIZE, measureFollow, QUICK_SIZE } from './follow.ts'
import { aligned, barChart } from './report.ts'
import { measureSearch, type Searches, searchReport } from './search.ts'
import { withOwnDatabase } from './servers.ts'
import {
  measureScale,
  measureSpeed,
  NEEDS,
  type Options,
  SHOWN,
  type Speed,
  scaleReport,
  speedReport,
} from './speed.ts'
import { measureStartup, startupReport } from './startup.ts'

// npm run bench: chooses the measurements, prints and stores the results. See bench/README.md.

const USAGE =
  'usage: npm run bench -- [--startup | --network | --search | --events | --follow | --quick | --against FOLDER] ' +
  '[--rounds N] [--seconds S] [--animals N]'

const FULL: Options = { rounds: 7, seconds: 2, warmUpSeconds: 1 }
const QUICK: Options = { rounds: 1, seconds: 0.1, warmUpSeconds: 0.05 }
/** Number of animals for `--search` without `--animals`. */
const SEARCH_ANIMALS = { quick: 1_000, full: 200_000 }
/** Number of webhooks that get one event with `--events`. */
const ENDPOINTS = { quick: 100, full: 10_000 }

/** The bench counts as hanging after this time. */
const MAX_MS = { quick: 5 * 60_000, full: 120 * 60_000 }

const RESULTS = new URL('results.json', import.meta.url)

const { values: flags } = readFlags()
const options = readOptions()
setTimeout(() => fail('not done in time'), flags.quick ? MAX_MS.quick : MAX_MS.full).unref()

const folder = mkdtempSync(join(tmpdir(), 'adoptable-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
try {
  const { quick, startup, network, search, events, follow, against } = flags
  const isPlain = !(startup || network || search || events || follow || against)
  const kinds: [isChosen: boolean, measure: () => Promise<void>][] = [
    [isPlain || startup, starts],
    [isPlain, speed],
    [search, searches],
    [events, eventRows],
    [network, scale],
    [follow, following],
  ]
  // With `--quick` figures do not matter, so all run at the same time.
  if (quick) await Promise.all(kinds.map(([, measure]) => measure()))
  else for (const [isChosen, measure] of kinds) if (isChosen) await measure()
  if (against) console.log(speedReport(await measureSpeed(options, folder, against)))
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

async function eventRows(): Promise<void> {
  const { quick } = flags
  const rows = await measureEvents(options.seconds, quick ? ENDPOINTS.quick : ENDPOINTS.full, folder)
  console.log(`${aligned(rows).join('\n')}\n`)
  if (!quick) storeResults('events', Object.fromEntries(rows.slice(1)))
}

async function scale(): Promise<void> {
  const results = await measureScale(options, folder)
  if (!results) console.log(`  skipped: ${NEEDS}`)
  else console.log(scaleReport(results))
  if (results && !flags.quick) storeResults('network', results)
}

async function following(): Promise<void> {
  const results = await measureFollow(flags.quick ? QUICK_SIZE : FULL_SIZE, folder)
  console.log('following, lag in seconds', results)
  if (!flags.quick) storeResults('follow', results)
}

function speedChart({ comparisons, setup: { versions, machine } }: Speed): string {
  const shown = comparisons.filter(({ name }) => SHOWN.includes(name))
  const note = `Requests a second, as a ratio to a bare node:http server that sends the same bytes. Node ${versions.node}, ${machine.cores} cores.`
  return barChart('How fast, with keys, limits and durable data', note, shown, 'adoptable')
}

function readResults() {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {}
}

/** Replaces the results of one kind. All other results stay. */
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
        events: flag,
        follow: flag,
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
