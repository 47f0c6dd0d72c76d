import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type EventData, run } from 'node:test'
import { inspect, parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../../src/testing/setup.ts'
import { each } from './parallel.ts'
import { FIGURE } from './rounds.ts'
import { HEADING, type Outcome, tableOf } from './table.ts'

/** One line of `npm run torture` or `npm run checks`. */
export interface Row {
  /** That of its first file when absent. */
  name?: string
  /** Its tests: paths in the command's folder, without `.test.ts`. */
  files: string[]
  /** How often: in the short version, as usual, and in a night. */
  rounds?: [short: number, usual: number, night: number]
  /** Not in the short version: it takes too long however few the rounds are. */
  long?: true
  /** Measures time or memory: no other row runs at the same time, not even in the short version. */
  alone?: true
  /** Minutes that the usual rounds may take before the test counts as hanging; 10 when absent. */
  minutes?: number
}

interface Turn {
  name: string
  rounds: number | undefined
  seed: number
}

/** Rows of the short version that run at the same time. Most rows wait for most of their time. */
const SHORT_CONCURRENCY = 3

type Ended = EventData.TestPass | EventData.TestFail

/**
 * Runs the rows that the command line asks for, and prints a table.
 *
 * @param command its name, which is also that of the folder of its tests
 */
export async function runRows(command: 'torture' | 'checks', given: Row[]): Promise<void> {
  const rows = given.map((row) => ({ ...row, name: row.name ?? basename(row.files[0] ?? '') }))
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
  if (unknown.length > 0)
    throw new Error(`there is no test ${unknown.join(', ')}; there are ${names.join(', ')}`)
  const chosen = rows.filter(({ name, long }) =>
    positionals.length > 0 ? positionals.includes(name) : !(long && values.short),
  )
  const [rounds, seed] = [wholeOf(values.rounds), wholeOf(values.seed)]

  // These rows test what happens on a disk, so their files lie on one.
  process.env.TMPDIR ??= tmpdir()
  await globalSetup()
  const outcomes: Outcome[] = []
  process.stdout.write(HEADING)
  const runRow = async (row: (typeof chosen)[number]): Promise<void> => {
    const { name, minutes = 10 } = row
    const files = row.files.map((file) => join(command, `${file}.test.ts`))
    const timeout = minutes * 60_000 * (values.night ? 20 : 1)
    const turn = {
      name,
      rounds: rounds ?? row.rounds?.[length],
      seed: seed ?? Math.floor(Math.random() * 1e6),
    }
    const ended = await take(turn, { files, timeout })
    outcomes.push(...ended)
    process.stdout.write(tableOf(command, ended))
  }
  const isConcurrent = ({ alone }: Row): boolean => values.short && !alone
  await each(chosen.filter(isConcurrent), SHORT_CONCURRENCY, runRow)
  await each(
    chosen.filter((row) => !isConcurrent(row)),
    1,
    runRow,
  )
  await globalTeardown()
  const which = (result: Outcome['result']) => outcomes.filter((outcome) => outcome.result === result)
  const failed = which('FAILED')
  // Once more at the end: of a long output that may be all that is kept.
  process.stdout.write(tableOf(command, failed))
  console.log(`${which('passed').length} passed, ${failed.length} failed, ${which('skipped').length} skipped`)
  process.exitCode = failed.length > 0 ? 1 : 0
}

function wholeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--rounds and --seed are whole numbers, not ${text}`)
  return Number(text)
}

/** Runs tests in processes of their own. */
async function take(turn: Turn, options: { files: string[]; timeout: number }): Promise<Outcome[]> {
  const env = {
    ...process.env,
    TORTURE_SEED: String(turn.seed),
    TORTURE_ROUNDS: String(turn.rounds ?? ''),
  }
  const outcomes: Outcome[] = []
  const end = (result: Outcome['result'], { name, details }: Ended, ...figures: string[]) =>
    outcomes.push({ ...turn, test: name, result, seconds: details.duration_ms / 1_000, figures })
  for await (const { type, data } of run({ ...options, env, concurrency: 1 })) {
    if (type === 'test:stderr') process.stderr.write(data.message)
    if (type === 'test:pass' && data.nesting === 0) {
      if (data.skip === undefined) end('passed', data)
      else end('skipped', data, String(data.skip))
    }
    if (type === 'test:fail' && data.nesting === 0) end('FAILED', data, inspect(data.details.error.cause))
    // It follows the end of its test.
    if (type === 'test:diagnostic' && data.message.startsWith(FIGURE))
      outcomes.at(-1)?.figures.push(data.message.slice(FIGURE.length))
  }
  return outcomes
}
