import type { Command } from 'commander'
import type { Outcome, Progress, Stores } from '../db/copy.ts'
import type { Comparison } from '../db/copy-check.ts'
import { ConfigError, databaseUrl } from '../setting.ts'
import { bar, drawnLine, print, whole } from './terminal.ts'

const NOT_TO_BE_USED =
  'the copy differs from its source, and is not to be used: copy again into an empty store'
const CHANGED_SINCE =
  'the target is a finished copy of this store, and one of the two has changed since: nothing was copied'

/** Moves a store to another engine, or another place; of the settings it needs none. */
export function copyCommand(program: Command): void {
  program
    .command('copy')
    .description('copy a store into an empty one, on either engine; no service may run on them')
    .requiredOption('--from <url>', 'the store to copy, as in DATABASE_URL')
    .requiredOption('--to <url>', 'the one to fill; run again, the command goes on where it was stopped')
    .option('--json', 'print the comparison as JSON')
    .action(async (options: Stores & { json?: true }) => {
      const stores = { from: checked('--from', options.from), to: checked('--to', options.to) }
      const { copyStore } = await import('../db/copy.ts')
      const drawn = progressBar(process.stderr)
      const outcome = await copyStore(stores, drawn.show).finally(drawn.clear)
      await print(options.json ? jsonOf(outcome) : tableOf(outcome.comparisons))
      if (!outcome.equal) throw new Error(outcome.finishedBefore ? CHANGED_SINCE : NOT_TO_BE_USED)
    })
}

/** Not by the reader of arguments, which would print what is wrong, with its password. */
function checked(option: string, url: string): string {
  try {
    return databaseUrl(url)
  } catch (error) {
    throw new ConfigError(`${option} ${(error as ConfigError).message}`)
  }
}

function jsonOf({ equal, comparisons }: Outcome): string {
  // A number as far as every reader of JSON knows it exactly, which no id of ours goes beyond.
  const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
  return JSON.stringify({ equal, tables: comparisons }, plain, 2)
}

/** So much of a hash tells tables apart at a glance; whether they are equal, the whole of it said. */
const SHOWN_HASH = 16

function tableOf(comparisons: Comparison[]): string {
  const lines = comparisons.map(({ table, rows, lastIds, hashes, equal }) => [
    table,
    both(rows.map(whole)),
    both(lastIds?.map(String) ?? ['']),
    both(hashes.map((hash) => hash.slice(0, SHOWN_HASH))),
    equal ? 'equal' : 'DIFFERS',
  ])
  const all = [['table', 'rows', 'last id', 'sha256', ''], ...lines]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? []
  const isFigure = (column: number) => column === 1 || column === 2
  return all
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0
          return isFigure(column) ? cell.padStart(width) : cell.padEnd(width)
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** One value where both stores have the same. */
function both(values: string[]): string {
  return [...new Set(values)].join(' / ')
}

interface Bar {
  show: Progress
  clear(): void
}

function progressBar(terminal: NodeJS.WriteStream): Bar {
  const line = drawnLine(terminal)
  let current: string | undefined
  let [startedAt, startedWith] = [0, 0]
  return {
    show(step, done, total) {
      const now = performance.now()
      const isNew = step !== current
      // What an earlier run copied says nothing about the speed of this one.
      if (isNew) [current, startedAt, startedWith] = [step, now, done]
      const rate = ((done - startedWith) / Math.max(now - startedAt, 1)) * 1_000
      line.draw(() => barLine(step, done, total, rate), isNew || done >= total)
    },
    clear: line.clear,
  }
}

function barLine(step: string, done: number, total: number, rate: number): string {
  const share = total === 0 ? 1 : Math.min(done / total, 1)
  const left = rate > 0 ? `, ${Math.ceil((total - done) / rate)} s left` : ''
  return `${step} ${bar(share)} ${Math.floor(share * 100)}% ${whole(done)}/${whole(total)} rows, ${whole(Math.round(rate))}/s${left}`
}
