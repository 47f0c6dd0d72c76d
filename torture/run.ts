import { type EventData, run } from 'node:test'
import { inspect, parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../src/testing/setup.ts'
import { FIGURE } from './given.ts'
import { KEPT, ROWS, type Row } from './rows.ts'
import { HEADING, type Outcome, tableOf } from './table.ts'

// npm run torture; README.md says how it is used.

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
    night: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const length = values.short ? 'short' : values.night ? 'night' : 'usual'

type Ended = EventData.TestPass | EventData.TestFail

interface Turn {
  row: Row
  rounds: number | undefined
  seed: number
}

function turns(): Turn[] {
  const unknown = positionals.filter((name) => !ROWS.some((row) => row.name === name))
  if (unknown.length > 0) {
    throw new Error(
      `there is no test ${unknown.join(', ')}; there are ${ROWS.map(({ name }) => name).join(', ')}`,
    )
  }
  const chosen = ROWS.filter(({ name, long }) =>
    positionals.length > 0 ? positionals.includes(name) : !(long && values.short),
  )
  const [rounds, seed] = [wholeOf(values.rounds), wholeOf(values.seed)]
  return chosen.flatMap((row) => {
    const first = {
      row,
      rounds: rounds ?? row.rounds?.[length],
      seed: seed ?? Math.floor(Math.random() * 1e6),
    }
    const kept = seed === undefined ? KEPT.filter(({ name }) => name === row.name) : []
    return [first, ...kept.map((turn) => ({ row, ...turn }))]
  })
}

function wholeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--rounds and --seed are whole numbers, not ${text}`)
  return Number(text)
}

/** Runs the tests of a row in processes of their own. */
async function take({ row, rounds, seed }: Turn): Promise<Outcome[]> {
  process.env.TORTURE_SEED = String(seed)
  process.env.TORTURE_ROUNDS = rounds === undefined ? '' : String(rounds)
  const outcomes: Outcome[] = []
  const end = (result: Outcome['result'], { name, details }: Ended, ...figures: string[]) => {
    const seconds = details.duration_ms / 1_000
    outcomes.push({ name: row.name, test: name, rounds, seed, result, seconds, figures })
  }
  const events = run({
    files: row.files ?? [`torture/${row.name}.test.ts`],
    concurrency: 1,
    timeout: (row.minutes ?? 10) * 60_000 * (length === 'night' ? 20 : 1),
  })
  for await (const { type, data } of events) {
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

await globalSetup()
const outcomes: Outcome[] = []
process.stdout.write(HEADING)
for (const turn of turns()) {
  const ended = await take(turn)
  outcomes.push(...ended)
  process.stdout.write(tableOf(ended))
}
await globalTeardown()
const count = (result: Outcome['result']): number =>
  outcomes.filter((outcome) => outcome.result === result).length
console.log(`${count('passed')} passed, ${count('FAILED')} failed, ${count('skipped')} skipped`)
process.exitCode = count('FAILED') > 0 ? 1 : 0
