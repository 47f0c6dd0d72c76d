/** The result of one test. */
export interface Outcome {
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

export const HEADING = cells('test', 'rounds', 'seed', 'result', 'seconds', 'figure')

/** One line per outcome. A failed outcome is followed by the command that repeats it. */
export function tableOf(command: string, outcomes: Outcome[]): string {
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
