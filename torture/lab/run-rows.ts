import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type EventData, run } from 'node:test'
import { inspect, parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../../src/testing/setup.ts'
import { forEachConcurrently } from './parallel.ts'
import { FIGURE } from './rounds.ts'

/** One line of `npm run torture` or `npm run checks`. */
export interface Row {
  /** The name of its first file when absent. */
  name?: string
  /** Paths of its tests in the command's folder, without `.test.ts`. */
  files: string[]
  /** Number of rounds of each version. */
  rounds?: [short: number, usual: number, night: number]
  /** Left out of the short version because even one round takes too long. */
  long?: true
  /** Measures time or memory, so no other row runs at the same time, not even in the short version. */
  alone?: true
  /** Minutes until the test is stopped as hanging, with the usual rounds; 10 when absent. */
  minutes?: number
}

interface RowRun {
  name: string
  rounds: number | undefined
  seed: number
}

/** Rows of the short version that run at the same time. Most of them spend their time waiting. */
const SHORT_CONCURRENCY = 3

type TestEnd = EventData.TestPass | EventData.TestFail

/** Runs the rows that the command line asks for, and prints a table. @param command also the tests' folder */
export async function runRows(command: 'torture' | 'checks', allRows: Row[]): Promise<void> {
  const rows = allRows.map((row) => ({ ...row, name: row.name ?? basename(row.files[0] ?? '') }))
  const { values, positionals } = parseArgs({
    options: {
      rounds: { type: 'string' },
      seed: { type: 'string' },
      short: { type: 'boolean', default: false },
      night: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const length = values.short ? 0 : values.night ? 2 : 1
  const names = rows.map(({ name }) => name)
  const unknown = positionals.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`unknown row ${unknown.join(', ')}. Rows: ${names.join(', ')}`)
  const chosen = rows.filter(({ name, long }) =>
    positionals.length > 0 ? positionals.includes(name) : !(long && values.short),
  )
  const [rounds, seed] = [parseInteger(values.rounds), parseInteger(values.seed)]

  // Rows test what happens on a disk, so their files must not be in memory, the default of the tests.
  process.env.TMPDIR ??= tmpdir()
  await globalSetup()
  const outcomes: Outcome[] = []
  process.stdout.write(HEADING)
  const runRow = async (row: (typeof chosen)[number]): Promise<void> => {
    const { name, minutes = 10 } = row
    const files = row.files.map((file) => join(command, `${file}.test.ts`))
    const timeout = minutes * 60_000 * (values.night ? 20 : 1)
    const rowRun = {
      name,
      rounds: rounds ?? row.rounds?.[length],
      seed: seed ?? Math.floor(Math.random() * 1e6),
    }
    const rowOutcomes = await runTests(rowRun, { files, timeout })
    outcomes.push(...rowOutcomes)
    process.stdout.write(tableOf(command, rowOutcomes))
  }
  const isConcurrent = ({ alone }: Row): boolean => values.short && !alone
  await forEachConcurrently(chosen.filter(isConcurrent), SHORT_CONCURRENCY, runRow)
  await forEachConcurrently(
    chosen.filter((row) => !isConcurrent(row)),
    1,
    runRow,
  )
  await globalTeardown()
  const withResult = (result: Outcome['result']) => outcomes.filter((outcome) => outcome.result === result)
  const failed = withResult('FAILED')
  // Failures are repeated at the end, because a CI log may show only the end of a long output.
  process.stdout.write(tableOf(command, failed))
  console.log(
    `${withResult('passed').length} passed, ${failed.length} failed, ${withResult('skipped').length} skipped`,
  )
  process.exitCode = failed.length > 0 ? 1 : 0
}

function parseInteger(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--rounds and --seed must be whole numbers, not ${text}`)
  return Number(text)
}

/** Runs the test files of a row, each in its own process. */
async function runTests(rowRun: RowRun, options: { files: string[]; timeout: number }): Promise<Outcome[]> {
  const env = {
    ...process.env,
    TORTURE_SEED: String(rowRun.seed),
    TORTURE_ROUNDS: String(rowRun.rounds ?? ''),
  }
  const outcomes: Outcome[] = []
  const addOutcome = (result: Outcome['result'], { name, details }: TestEnd, ...figures: string[]) =>
    outcomes.push({ ...rowRun, test: name, result, seconds: details.duration_ms / 1_000, figures })
  for await (const { type, data } of run({ ...options, env, concurrency: 1 })) {
    if (type === 'test:stderr') process.stderr.write(data.message)
    if (type === 'test:pass' && data.nesting === 0) {
      if (data.skip === undefined) addOutcome('passed', data)
      else addOutcome('skipped', data, String(data.skip))
    }
    if (type === 'test:fail' && data.nesting === 0)
      addOutcome('FAILED', data, inspect(data.details.error.cause))
    // node:test sends a diagnostic after the end of its test.
    if (type === 'test:diagnostic' && data.message.startsWith(FIGURE))
      outcomes.at(-1)?.figures.push(data.message.slice(FIGURE.length))
  }
  return outcomes
}

interface Outcome {
  /** Name of the row. */
  name: string
  /** Title of the test. */
  test: string
  rounds: number | undefined
  seed: number
  result: 'passed' | 'FAILED' | 'skipped'
  seconds: number
  /** Reported figures, the reason of a skip, or the error. */
  figures: string[]
}

/** Column widths of name, rounds, seed, result and seconds. Title and figures come last. */
const WIDTHS = [16, 9, 7, 8, 7]

const HEADING = cells('test', 'rounds', 'seed', 'result', 'seconds', 'figure')

/** One line per outcome. A failed outcome is followed by the command that repeats it. */
function tableOf(command: string, outcomes: Outcome[]): string {
  return outcomes
    .map(({ name, test, rounds, seed, result, seconds, figures }) => {
      const failed = result === 'FAILED'
      const lastCell = figures.length > 0 && !failed ? `${test}: ${figures.join('; ')}` : test
      const row = cells(name, String(rounds ?? ''), String(seed), result, seconds.toFixed(1), lastCell)
      const roundsOption = rounds === undefined ? '' : ` --rounds ${rounds}`
      const repeat = `to repeat: npm run ${command} -- ${name}${roundsOption} --seed ${seed}`
      return failed ? `${row}${figures.map(indented).join('')}    ${repeat}\n` : row
    })
    .join('')
}

function cells(...values: string[]): string {
  return `${values.map((value, index) => value.padEnd(WIDTHS[index] ?? 0)).join(' ')}\n`
}

function indented(text: string): string {
  return `    ${text.replaceAll('\n', '\n    ')}\n`
}
