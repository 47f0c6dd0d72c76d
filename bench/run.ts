import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureEvents } from './events.ts'
import { FULL_SIZE, followReport, measureFollow, QUICK_SIZE } from './follow.ts'
import { aligned, barChart } from './report.ts'
import { measureSearch, searchReport } from './search.ts'
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
  'usage: npm run bench -- [--startup | --network | --search | --events | --follow | --quick] ' +
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

const isPlain = !(flags.startup || flags.network || flags.search || flags.events || flags.follow)
/** By the name under which its results are stored: whether it is chosen, and the measurement. */
const kinds: Record<string, [isChosen: boolean, measure: () => Promise<object | undefined>]> = {
  startup: [isPlain || flags.startup, () => show(measureStartup(options, folder), startupReport)],
  speed: [isPlain, speed],
  search: [flags.search, searches],
  events: [flags.events, events],
  network: [flags.network, () => show(measureScale(options, folder), (one) => one && scaleReport(one))],
  follow: [
    flags.follow,
    () => show(measureFollow(flags.quick ? QUICK_SIZE : FULL_SIZE, folder), followReport),
  ],
}
try {
  // With `--quick` figures do not matter, so all run at the same time.
  if (flags.quick) await Promise.all(Object.values(kinds).map(([, measure]) => measure()))
  else
    for (const [kind, [isChosen, measure]] of Object.entries(kinds)) {
      const results = isChosen ? await measure() : undefined
      if (results) storeResults({ [kind]: results })
    }
} catch (error) {
  fail(error)
}

async function show<Results>(
  measured: Promise<Results>,
  report: (results: Results) => string | undefined,
): Promise<Results> {
  const results = await measured
  console.log(`${report(results) ?? `  skipped: ${NEEDS}`}\n`)
  return results
}

async function speed(): Promise<Speed> {
  const results = await show(measureSpeed(options, folder), speedReport)
  const chart = speedChart(results)
  if (!flags.quick) writeFileSync(new URL('../docs/bench.svg', import.meta.url), chart)
  return results
}

async function searches() {
  const { animals } = options
  const measured = [await show(measureSearch(`sqlite:${join(folder, 'search.db')}`, animals), searchReport)]
  const { BENCH_DATABASE_URL: server } = process.env
  const onServer = (url: string) => show(measureSearch(url, animals), searchReport)
  if (server) measured.push(await withOwnDatabase(server, onServer))
  else console.log('  skipped: PostgreSQL. Set BENCH_DATABASE_URL to include it\n')
  // Stores the latest run for each number of animals.
  return { ...readResults().search, [animals]: measured }
}

async function events() {
  const endpoints = flags.quick ? ENDPOINTS.quick : ENDPOINTS.full
  const rows = await show(measureEvents(options.seconds, endpoints, folder), (all) => aligned(all).join('\n'))
  return Object.fromEntries(rows.slice(1))
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
function storeResults(results: object): void {
  writeFileSync(RESULTS, `${JSON.stringify({ ...readResults(), ...results }, rounded, 2)}\n`)
}

function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 10_000) / 10_000 : value
}

function readFlags() {
  const flag = { type: 'boolean', default: false } as const
  const text = { type: 'string' } as const
  const kinds = { startup: flag, network: flag, search: flag, events: flag, follow: flag }
  const sizes = { animals: text, rounds: text, seconds: text }
  try {
    return parseArgs({ options: { ...kinds, ...sizes, quick: flag } })
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
