import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { PetStatus } from '../pets/fields.ts'
import { FORMATS, findFormat, PROGRAMS, US_LOCALE } from '../transfer/animal.ts'
import { ENCODINGS } from '../transfer/encoding.ts'
import type { Options } from '../transfer/import.ts'
import { countLines, IncompleteImportError, type Summary } from '../transfer/report.ts'
import {
  type CommandContext,
  parseDuration,
  requireStore,
  requireStoreOrInit,
  settingsHelp,
} from './command.ts'
import { openInput } from './import-input.ts'
import {
  type CommandOptions,
  type ImportOptions,
  openPhotoImport,
  parseCurrency,
  parseKey,
  parseOptions,
  parseSource,
  parseStatusChoice,
} from './import-options.ts'
import {
  formatLeftOut,
  formatMissing,
  formatNotes,
  formatStatuses,
  formatSummary,
  openProgress,
  openRejects,
} from './import-report.ts'
import { formatCount, print, type Streams } from './terminal.ts'
import { watch } from './watch.ts'

const STATUSES: PetStatus[] = ['available', 'pending', 'sold']

/** Imports the animals of a file. A service may use the store at the same time. */
export function importCommand(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description('add the animals in a file to the store; the service may keep running')
    .argument('<file>', 'the file to read, or - for stdin')
    .addOption(new Option('--format <format>', 'default: the ending of the file name').choices(FORMATS))
    .addOption(new Option('--from <program>', 'the program that exported the file').choices(PROGRAMS))
    .option('--category <name>', 'category for animals whose own category is unknown')
    .option(
      '--status <word=result>',
      'what a status in the file means: available, pending, sold or unlisted; repeatable',
      parseStatusChoice,
    )
    .option('--organization <code>', 'organization for animals without one')
    .option(
      '--currency <code>',
      'currency of fees in files from other programs',
      parseCurrency,
      US_LOCALE.currency,
    )
    .option('--day-first', 'read 03/04/2020 as April 3; default: as other dates of the file show')
    .option('--month-first', 'read 03/04/2020 as March 4')
    .addOption(
      new Option('--encoding <name>', 'how characters are encoded; default: detected').choices(ENCODINGS),
    )
    .option('--pounds', 'read weights without a unit as pounds; default: kilograms')
    .option('--update <column>', 'update animals already imported with the same id in this column')
    .option(
      '--source <name>',
      'where these ids come from; default: the name of the program or file',
      parseSource,
    )
    .option('--photos', 'also download photos from the https addresses in the file')
    .option('--photos-private', 'also download over http and from this machine and its network')
    .option('--key <id>', 'id of the key to show in the history of animals', parseKey)
    .option('--again', 'add all animals again from a file that was imported before')
    .option('--watch', 'keep importing changes of a file, folder or URL until stopped')
    .addOption(
      new Option('--every <time>', 'how often --watch checks for changes, for example 30s, 5m or 1h')
        .argParser(parseDuration)
        .default(parseDuration('5m'), '5m'),
    )
    .addOption(
      new Option('--removed <status>', 'status for animals that --watch no longer finds').choices(STATUSES),
    )
    .option('--init', 'create a new store if none exists')
    .option('--dry-run', 'only report what would be done')
    .option('--rejects <file>', 'write all refused lines to this file, with number and reason')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'PHOTOS_URL', 'PHOTOS_PUBLIC_URL'))
    .action((file: string, flags: CommandOptions) => importFile(file, flags, context))
}

async function importFile(file: string, flags: CommandOptions, context: CommandContext): Promise<void> {
  const config = context.settings()
  const parsed = await parseOptions(file, flags)
  const { databaseUrl } = config
  const options = { ...parsed, photos: await openPhotoImport(config, flags) }
  const rejects = openRejects(context.stderr, flags.rejects)
  const close = async () => {
    rejects.close()
    await options.photos?.files.close()
  }
  if (flags.watch) {
    const { format, ...others } = options
    const formatOfName = (name: string) => flags.format ?? findFormat(name) ?? format
    const watched = { place: file, every: flags.every, formatOf: formatOfName, options: others }
    requireStore(databaseUrl)
    return watch(databaseUrl, { ...watched, onRefused: rejects.add }, context).finally(close)
  }
  const startedAt = performance.now()
  const { done, ended } = await run(file, context, {
    databaseUrl,
    ...options,
    init: flags.init,
    onRefused: rejects.add,
  })
    .then((summary) => ({ done: summary, ended: undefined }), toEndedImport)
    .finally(close)
  const seconds = (performance.now() - startedAt) / 1_000
  await report(context, done, { ended, seconds, json: flags.json, options })
}

interface ReportOptions {
  ended: IncompleteImportError | undefined
  seconds: number
  json: true | undefined
  options: ImportOptions
}

/** @throws if the import stopped early or something was not imported, so the exit code is 1 */
async function report(
  { stdout, stderr }: Streams,
  done: Summary,
  { ended, seconds, json, options }: ReportOptions,
): Promise<void> {
  const { dryRun } = options
  const text = (ended ? 'stopped early: ' : '') + formatSummary(done, seconds, dryRun)
  const texts = [...formatNotes(done), formatStatuses(done.statuses), formatLeftOut(done)]
  const shown = texts.filter((text) => text !== undefined)
  if (shown.length > 0 && !json) stderr.write(`${shown.join('\n')}\n`)
  await print(stdout, json ? JSON.stringify({ ...done, dryRun, complete: !ended, seconds }) : text)
  if (ended) throw new Error(`${ended.message}; ${describeRest(done)}`)
  const missing = formatMissing(done)
  if (missing !== undefined) throw new Error(missing)
}

/** @throws the error itself if nothing was imported */
function toEndedImport(error: unknown): { done: Summary; ended: IncompleteImportError } {
  if (!(error instanceof IncompleteImportError)) throw error
  return { done: error.done, ended: error }
}

/** How far the import came. */
function describeRest(done: Summary): string {
  return `the import stopped early, after ${formatCount(countLines(done))} lines`
}

async function run(
  file: string,
  streams: Streams,
  {
    databaseUrl,
    init,
    ...options
  }: Omit<Options, 'onBatch'> & { databaseUrl: string; init: true | undefined },
): Promise<Summary> {
  const { importAnimals } = await import('../transfer/import.ts')
  const { openForTrial, openForCommand } = await import('../db/open-database.ts')
  const { changes } = await import('../changes.ts')
  // Opens the file first, because opening the store may create the store.
  await using input = await openInput(file, streams)
  const progress = openProgress(streams.stderr, input.size)
  const made = options.dryRun ? undefined : requireStoreOrInit(init, databaseUrl)
  const store = await (options.dryRun ? openForTrial : openForCommand)(databaseUrl, changes)
  if (made !== undefined) streams.stderr.write(`created the store ${resolve(made)}\n`)
  try {
    return await importAnimals(store, input, {
      ...options,
      fingerprint: await input.fingerprint(),
      onRefused(refusal) {
        progress.clear()
        options.onRefused(refusal)
      },
      onBatch: (done) => progress.show(done, input.read()),
    })
  } finally {
    progress.clear()
    await store.close()
  }
}
