/** What became of one test. */
export interface Outcome {
  /** The row that it belongs to, and its own title. */
  name: string
  test: string
  rounds: number | undefined
  seed: number
  result: 'passed' | 'FAILED' | 'skipped'
  seconds: number
  /** What it reached, why it was skipped, or what went wrong. */
  figures: string[]
}

const WIDTHS = { name: 16, rounds: 9, seed: 7, result: 8, seconds: 7 }

/** The outcomes as lines: name, rounds, seed, result, seconds, and the title with its figures. */
export function tableOf(outcomes: Outcome[]): string {
  return outcomes.map(line).join('')
}

export const HEADING = cells({
  name: 'test',
  rounds: 'rounds',
  seed: 'seed',
  result: 'result',
  seconds: 'seconds',
  rest: 'figure',
})

/** The command that does the same again. */
export function again({ name, rounds, seed }: Outcome): string {
  return `npm run torture -- ${name}${rounds === undefined ? '' : ` --rounds ${rounds}`} --seed ${seed}`
}

function line(outcome: Outcome): string {
  const { name, test, rounds, seed, result, seconds, figures } = outcome
  const rest = figures.length > 0 && result !== 'FAILED' ? `${test}: ${figures.join('; ')}` : test
  const row = cells({
    name,
    rounds: rounds === undefined ? '' : String(rounds),
    seed: String(seed),
    result,
    seconds: seconds.toFixed(1),
    rest,
  })
  return result === 'FAILED' ? `${row}${figures.map(indented).join('')}    again: ${again(outcome)}\n` : row
}

function cells({ rest, ...values }: Record<keyof typeof WIDTHS | 'rest', string>): string {
  const padded = Object.entries(WIDTHS).map(([name, width]) =>
    values[name as keyof typeof WIDTHS].padEnd(width),
  )
  return `${padded.join(' ')} ${rest}\n`
}

function indented(text: string): string {
  return `    ${text.replaceAll('\n', '\n    ')}\n`
}
