import type { Command } from 'commander'
import { ConfigError, readDatabaseUrl, readPhotosUrl } from '../config.ts'
import type { Comparison, CopyResult, CopyUrls, Progress } from '../db/copy.ts'
import type { CopyCounts } from '../photos/storage/open.ts'
import type { CommandContext } from './command.ts'
import { alignColumns, formatBar, formatCount, note, type Output, openStatusLine, print } from './terminal.ts'

const COPY_DIFFERS = 'the copy differs from its source: do not use it, and copy again into an empty store'
const STORE_CHANGED =
  'nothing was copied: the target is a finished copy of this store, and one of the two has changed since then'

interface CopyOptions {
  from?: string
  to?: string
  photosFrom?: string
  photosTo?: string
  json?: true
}

/** Copies a store or photo files to another engine or address. Needs no settings. */
export function copyCommand(program: Command, { stdout, stderr }: CommandContext): void {
  program
    .command('copy')
    .description('copy a store into an empty one on either engine, or photo files, or both')
    .option('--from <url>', 'the store to copy, as in DATABASE_URL; stop its service first')
    .option('--to <url>', 'the empty store to fill; run the command again to resume an interrupted copy')
    .option(
      '--photos-from <url>',
      'where the photo files are, as in PHOTOS_URL; the service may keep running',
    )
    .option('--photos-to <url>', 'where to copy them; run the command again to copy newer photos')
    .option('--json', 'print the comparison as JSON')
    .action(async ({ json, ...options }: CopyOptions) => {
      const stores = parsePair(options, 'from', 'to', readDatabaseUrl)
      const photos = parsePair(options, 'photosFrom', 'photosTo', readPhotosUrl)
      if (!stores && !photos)
        throw new ConfigError('copy needs --from and --to, or --photos-from and --photos-to')
      const outcome = stores && (await copyRows(stores, stderr))
      const files = photos && outcome?.equal !== false ? await copyPhotos(photos, stderr) : undefined
      await print(stdout, json ? formatJson(outcome, files) : formatResult(outcome, files))
      if (outcome && !photos) notePhotos(outcome, stderr)
      if (outcome && !outcome.equal) throw new Error(outcome.finishedBefore ? STORE_CHANGED : COPY_DIFFERS)
    })
}

async function copyRows(stores: CopyUrls, stderr: Output): Promise<CopyResult> {
  const { copyStore } = await import('../db/copy.ts')
  const drawn = progressBar(stderr)
  const outcome = await copyStore(stores, drawn.show).finally(drawn.clear)
  if (outcome.equal) await makeSearchable(stores.to)
  return outcome
}

/** Builds the search index, which is not copied because it is computed from the animals. */
async function makeSearchable(target: string): Promise<void> {
  const { openForCommand } = await import('../db/open-database.ts')
  const { changes } = await import('../changes.ts')
  const { mergeAll } = await import('../pets/search/index-animals.ts')
  const { write, close } = await openForCommand(target, changes)
  try {
    while (await write(changes.indexAnimals, true));
    await mergeAll(write)
  } finally {
    await close()
  }
}

/** @param stores as PHOTOS_URL names them */
async function copyPhotos({ from, to }: CopyUrls, stderr: Output): Promise<CopyCounts> {
  if (from === to) throw new Error('--photos-from and --photos-to must be different')
  const { copyFiles } = await import('../photos/storage/open.ts')
  const { openPhotoStoreAt } = await import('../photos/storage/open.ts')
  const line = openStatusLine(stderr)
  const show = (done: CopyCounts) => line.draw(() => formatPhotos(done))
  return copyFiles(await openPhotoStoreAt(from), await openPhotoStoreAt(to), show).finally(line.clear)
}

function formatPhotos({ copied, there }: CopyCounts): string {
  return `photo files: ${formatCount(copied)} copied, ${formatCount(there)} already present`
}

/** Warns that the copy of the photo files is a separate step. */
function notePhotos({ comparisons }: CopyResult, stderr: Output): void {
  const count = comparisons.find(({ table }) => table === 'photo')?.rows[0] ?? 0
  const text =
    `The copy refers to ${formatCount(count)} photos whose files are still at the old address. ` +
    'Copy them with --photos-from and --photos-to.'
  if (count > 0) note(stderr, text)
}

/** @throws {ConfigError} if only one of the options is given, or one is invalid */
function parsePair(
  options: CopyOptions,
  from: 'from' | 'photosFrom',
  to: 'to' | 'photosTo',
  check: (url: string) => string,
): CopyUrls | undefined {
  const [one, other] = [options[from], options[to]]
  if (one === undefined && other === undefined) return undefined
  if (one === undefined || other === undefined)
    throw new ConfigError(`${optionOf(from)} needs ${optionOf(to)}`)
  return { from: checkUrl(optionOf(from), one, check), to: checkUrl(optionOf(to), other, check) }
}

const optionOf = (name: string): string =>
  `--${name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`

/** Checks the URL here, because the argument parser would print an invalid URL with its password. */
function checkUrl(option: string, url: string, check: (url: string) => string): string {
  try {
    if (url === '') throw new ConfigError('must not be empty')
    return check(url)
  } catch (error) {
    throw new ConfigError(`${option} ${(error as ConfigError).message}`)
  }
}

function formatJson(outcome: CopyResult | undefined, photos: CopyCounts | undefined): string {
  // Every id is small enough to be exact in JSON.
  const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
  const { equal, comparisons: tables } = outcome ?? {}
  return JSON.stringify({ equal, tables, photos }, plain, 2)
}

function formatResult(outcome: CopyResult | undefined, photos: CopyCounts | undefined): string {
  const table = outcome ? [formatTable(outcome.comparisons)] : []
  return [...table, ...(photos ? [formatPhotos(photos)] : [])].join('\n')
}

/** The output shows this many characters of a hash. The comparison uses the complete hash. */
const SHOWN_HASH = 16

function formatTable(comparisons: Comparison[]): string {
  const lines = comparisons.map(({ table, rows, lastIds, hashes, equal }) => [
    table,
    joinDistinct(rows.map(formatCount)),
    joinDistinct(lastIds?.map(String) ?? ['']),
    joinDistinct(hashes.map((hash) => hash.slice(0, SHOWN_HASH))),
    equal ? 'equal' : 'DIFFERS',
  ])
  return alignColumns([['table', 'rows', 'last id', 'sha256', ''], ...lines], [1, 2]).join('\n')
}

/** Returns one value if both stores have the same value; otherwise returns both values. */
function joinDistinct(values: string[]): string {
  return [...new Set(values)].join(' / ')
}

interface Bar {
  show: Progress
  clear(): void
}

function progressBar(terminal: Output): Bar {
  const line = openStatusLine(terminal)
  let current: string | undefined
  let [startedAt, startedWith] = [0, 0]
  return {
    show(step, done, total) {
      const now = performance.now()
      const isNew = step !== current
      // The speed of this run excludes rows that an earlier run copied.
      if (isNew) [current, startedAt, startedWith] = [step, now, done]
      const rate = ((done - startedWith) / Math.max(now - startedAt, 1)) * 1_000
      line.draw(() => formatProgress(step, done, total, rate), isNew || done >= total)
    },
    clear: line.clear,
  }
}

function formatProgress(step: string, done: number, total: number, rate: number): string {
  const share = total === 0 ? 1 : Math.min(done / total, 1)
  const left = rate > 0 ? `, ${Math.ceil((total - done) / rate)} s left` : ''
  return `${step} ${formatBar(share)} ${Math.floor(share * 100)}% ${formatCount(done)}/${formatCount(total)} rows, ${formatCount(Math.round(rate))}/s${left}`
}
