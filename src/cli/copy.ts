import type { Command } from 'commander'
import { ConfigError, databaseUrl, photosUrl } from '../config.ts'
import type { Outcome, Progress, Stores } from '../db/copy.ts'
import type { Comparison } from '../db/copy-check.ts'
import type { Copied } from '../photos/storage/copy.ts'
import type { CommandContext } from './command-context.ts'
import { copyPhotos, photosText } from './copy-photos.ts'
import { bar, drawnLine, note, type Output, print, whole } from './terminal.ts'

const NOT_TO_BE_USED =
  'the copy differs from its source, and is not to be used: copy again into an empty store'
const CHANGED_SINCE =
  'the target is a finished copy of this store, and one of the two has changed since: nothing was copied'

interface Given {
  from?: string
  to?: string
  photosFrom?: string
  photosTo?: string
  json?: true
}

/** Moves a store, and the files of photos, to another engine or address; of the settings it needs none. */
export function copyCommand(program: Command, { stdout, stderr }: CommandContext): void {
  program
    .command('copy')
    .description('copy a store into an empty one, on either engine, or the files of photos, or both')
    .option('--from <url>', 'the store to copy, as in DATABASE_URL; no service may run on it')
    .option('--to <url>', 'the one to fill; run again, the command goes on where it was stopped')
    .option('--photos-from <url>', 'where the files of photos are, as in PHOTOS_URL; the service may run')
    .option('--photos-to <url>', 'where they shall be too; run again, it copies those that came since')
    .option('--json', 'print the comparison as JSON')
    .action(async ({ json, ...given }: Given) => {
      const stores = bothOf(given, 'from', 'to', databaseUrl)
      const photos = bothOf(given, 'photosFrom', 'photosTo', photosUrl)
      if (!stores && !photos)
        throw new ConfigError('copy needs --from and --to, or --photos-from and --photos-to')
      const outcome = stores && (await copyRows(stores, stderr))
      const files = photos && outcome?.equal !== false ? await copyPhotos(photos, stderr) : undefined
      await print(stdout, json ? jsonOf(outcome, files) : textOf(outcome, files))
      if (outcome && !photos) tellOfPhotos(outcome, stderr)
      if (outcome && !outcome.equal) throw new Error(outcome.finishedBefore ? CHANGED_SINCE : NOT_TO_BE_USED)
    })
}

async function copyRows(stores: Stores, stderr: Output): Promise<Outcome> {
  const { copyStore } = await import('../db/copy.ts')
  const drawn = progressBar(stderr)
  const outcome = await copyStore(stores, drawn.show).finally(drawn.clear)
  if (outcome.equal) await makeSearchable(stores.to)
  return outcome
}

/** What is searched follows from the animals, and was not copied. */
async function makeSearchable(target: string): Promise<void> {
  const { openForCommand } = await import('../db/open-database.ts')
  const { changes } = await import('../changes.ts')
  const { mergeAll } = await import('../pets/search/upkeep.ts')
  const { write, close } = await openForCommand(target, changes)
  try {
    while (await write(changes.indexAnimals, true));
    await mergeAll(write)
  } finally {
    await close()
  }
}

/** The service would look for their files at the new address. */
function tellOfPhotos({ comparisons }: Outcome, stderr: Output): void {
  const count = comparisons.find(({ table }) => table === 'photo')?.rows[0] ?? 0
  const text =
    `The rows name the ${whole(count)} photos, but their files stay at the old address. ` +
    '--photos-from and --photos-to copy them.'
  if (count > 0) note(stderr, text)
}

/** @throws {ConfigError} when there is only one of them, or one is wrong */
function bothOf(
  given: Given,
  from: 'from' | 'photosFrom',
  to: 'to' | 'photosTo',
  check: (url: string) => string,
): Stores | undefined {
  const [one, other] = [given[from], given[to]]
  if (one === undefined && other === undefined) return undefined
  if (one === undefined || other === undefined)
    throw new ConfigError(`${optionOf(from)} goes with ${optionOf(to)}`)
  return { from: checked(optionOf(from), one, check), to: checked(optionOf(to), other, check) }
}

const optionOf = (name: string): string =>
  `--${name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`

/** Not by the reader of arguments, which would print what is wrong, with its password. */
function checked(option: string, url: string, check: (url: string) => string): string {
  try {
    if (url === '') throw new ConfigError('must not be empty')
    return check(url)
  } catch (error) {
    throw new ConfigError(`${option} ${(error as ConfigError).message}`)
  }
}

function jsonOf(outcome: Outcome | undefined, photos: Copied | undefined): string {
  // A number as far as every reader of JSON knows it exactly, which no id of ours goes beyond.
  const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
  const { equal, comparisons: tables } = outcome ?? {}
  return JSON.stringify({ equal, tables, photos }, plain, 2)
}

function textOf(outcome: Outcome | undefined, photos: Copied | undefined): string {
  const table = outcome ? [tableOf(outcome.comparisons)] : []
  return [...table, ...(photos ? [photosText(photos)] : [])].join('\n')
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

function progressBar(terminal: Output): Bar {
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
