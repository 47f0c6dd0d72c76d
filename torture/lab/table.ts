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

/** Of name, rounds, seed, result and seconds; the title with its figures comes last. */
const WIDTHS = [16, 9, 7, 8, 7]

export const HEADING = cells('test', 'rounds', 'seed', 'result', 'seconds', 'figure')

/** The outcomes as lines; below one that failed stands the command that does the same again. */
export function tableOf(command: string, outcomes: Outcome[]): string {
  return outcomes
    .map(({ name, test, rounds, seed, result, seconds, figures }) => {
      const failed = result === 'FAILED'
      const rest = figures.length > 0 && !failed ? `${test}: ${figures.join('; ')}` : test
      const row = cells(name, String(rounds ?? ''), String(seed), result, seconds.toFixed(1), rest)
      const often = rounds === undefined ? '' : ` --rounds ${rounds}`
      return failed
        ? `${row}${figures.map(indented).join('')}    again: npm run ${command} -- ${name}${often} --seed ${seed}\n`
        : row
    })
    .join('')
}

function cells(...values: string[]): string {
  return `${values.map((value, index) => value.padEnd(WIDTHS[index] ?? 0)).join(' ')}\n`
}

function indented(text: string): string {
  return `    ${text.replaceAll('\n', '\n    ')}\n`
}
