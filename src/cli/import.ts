import { basename, extname, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Config, ConfigError } from '../config.ts'
import { isCurrency } from '../http/iso-codes.ts'
import type { PetStatus } from '../pets/fields.ts'
import { FORMATS, type Format, findFormat, PROGRAMS, SOURCE_NAME, US_LOCALE } from '../transfer/animal.ts'
import { ENCODINGS, type Encoding } from '../transfer/encoding.ts'
import type { Options } from '../transfer/import.ts'
import type { PhotoImportOptions } from '../transfer/photos.ts'
import { countLines, IncompleteImportError, type Summary } from '../transfer/report.ts'
import { foldStatus, STATUS_RESULTS, type StatusChoices, type StatusResult } from '../transfer/statuses.ts'
import {
  type CommandContext,
  parseDuration,
  requireStore,
  requireStoreOrInit,
  settingsHelp,
} from './command.ts'
import { openInput } from './import-input.ts'
import { formatDetails, formatMissing, formatSummary, openProgress, openRejects } from './import-report.ts'
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
    .option('--day-first', 'read 03/04/2020 as April 3; default: the other dates of the file decide')
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
  if (!json) stderr.write(formatDetails(done))
  await print(stdout, json ? JSON.stringify({ ...done, dryRun, complete: !ended, seconds }) : text)
  if (ended)
    throw new Error(
      `${ended.message}; the import stopped early, after ${formatCount(countLines(done))} lines`,
    )
  const missing = formatMissing(done)
  if (missing !== undefined) throw new Error(missing)
}

/** @throws the error itself if nothing was imported */
function toEndedImport(error: unknown): { done: Summary; ended: IncompleteImportError } {
  if (!(error instanceof IncompleteImportError)) throw error
  return { done: error.done, ended: error }
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

interface CommandOptions {
  format?: Format
  from?: string
  category?: string
  status?: StatusChoices
  organization?: string
  currency: string
  dayFirst?: true
  monthFirst?: true
  encoding?: Encoding
  pounds?: true
  update?: string
  source?: string
  key?: number
  again?: true
  watch?: true
  every: number
  removed?: PetStatus
  photos?: true
  photosPrivate?: true
  init?: true
  dryRun?: true
  rejects?: string
  json?: true
}

type ImportOptions = Omit<Options, 'onBatch' | 'onRefused'>

/** @throws {ConfigError} */
export async function parseOptions(file: string, options: CommandOptions): Promise<ImportOptions> {
  if (options.watch && options.update === undefined)
    throw new ConfigError(
      '--watch needs --update COLUMN and --key ID to update animals that it has already imported',
    )
  if (options.watch && options.again)
    throw new ConfigError('--watch and --again exclude each other: each change would add all animals again')
  if (options.photosPrivate && !options.photos) throw new ConfigError('--photos-private needs --photos')
  if (options.removed !== undefined && !options.watch) throw new ConfigError('--removed needs --watch')
  if (options.dayFirst && options.monthFirst)
    throw new ConfigError('--day-first and --month-first exclude each other')
  if (options.watch && /^https?:/.test(file)) refuseAddress(file)
  const mapping =
    (await import('../transfer/mappings/all.ts')).MAPPINGS[options.from ?? ''] ??
    (await import('../transfer/mappings/own.ts')).createOwnMapping(options.update)
  const format = options.format ?? findFormat(file) ?? mapping.formats[0]
  if (!mapping.formats.includes(format)) {
    const advice = options.from && format === 'csv' ? ': import a CSV without --from' : ''
    throw new ConfigError(`--format is ${mapping.formats.join(' or ')} here, not ${format}${advice}`)
  }
  if (options.update !== undefined && options.key === undefined) {
    throw new ConfigError(
      '--update needs --key ID for the history of animals; `adoptable keys list` lists the ids',
    )
  }
  const name =
    options.source ?? options.from ?? (file === '-' ? '' : basename(file, extname(file)).slice(0, 100))
  const idColumn = options.update ?? mapping.idColumn
  if (idColumn !== undefined && name === '')
    throw new ConfigError('--update needs --source NAME when reading stdin')
  return {
    format,
    mapping,
    source: name,
    idColumn,
    update: options.update !== undefined,
    guessesColumns: options.from === undefined,
    keyId: options.key ?? null,
    locale: {
      currency: options.currency,
      dayFirst: options.dayFirst ?? (options.monthFirst ? false : undefined),
      pounds: options.pounds === true,
    },
    encoding: options.encoding,
    category: options.category,
    statusChoices: options.status,
    organization: options.organization,
    dryRun: options.dryRun === true,
    again: options.again === true,
    removed: options.removed,
    mayHaveOwnIds: options.from === undefined && options.source === undefined && !options.again,
    clock: Date.now,
  }
}

/** Opens what is needed to import photos. The caller closes it. */
async function openPhotoImport(
  config: Config,
  options: CommandOptions,
): Promise<PhotoImportOptions | undefined> {
  if (!options.photos || options.dryRun) return undefined
  const { openPhotos } = await import('../photos/storage/open.ts')
  return {
    files: await openPhotos(config),
    allRenditions: config.photosPublicUrl !== undefined,
    privateToo: options.photosPrivate === true,
  }
}

/** @throws {ConfigError} */
function refuseAddress(address: string): void {
  if (!URL.canParse(address)) throw new ConfigError('the address to watch is not a valid URL')
  const { username, password } = new URL(address)
  // A log line with the address would reveal the user name and the password.
  if (username || password)
    throw new ConfigError('the address to watch must not contain a user name or password')
}

function parseSource(text: string): string {
  if (!SOURCE_NAME.test(text)) throw new InvalidArgumentError('It must have 1 to 100 printable characters.')
  return text
}

/** Reads one choice, such as `Medical Hold=unlisted`, and adds it to the choices before it. */
function parseStatusChoice(text: string, choices: StatusChoices = new Map()): StatusChoices {
  const sign = text.lastIndexOf('=')
  const result = text
    .slice(sign + 1)
    .trim()
    .toLowerCase() as StatusResult
  if (sign < 0 || !STATUS_RESULTS.includes(result))
    throw new InvalidArgumentError(
      `Write the status in the file, = and one of: ${STATUS_RESULTS.join(', ')}. For example: "Medical Hold=unlisted".`,
    )
  return new Map(choices).set(foldStatus(text.slice(0, sign)), result)
}

function parseKey(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('It must be the id of a key.')
  return Number(text)
}

function parseCurrency(text: string): string {
  if (!isCurrency(text)) throw new InvalidArgumentError('It must be a currency code, such as EUR.')
  return text
}
