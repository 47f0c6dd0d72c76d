import { basename, extname } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { Config } from '../config.ts'
import { ConfigError } from '../config.ts'
import { isCurrency } from '../http/iso-codes.ts'
import type { PetStatus } from '../pets/fields.ts'
import { type Format, findFormat, SOURCE_NAME } from '../transfer/animal.ts'
import type { Encoding } from '../transfer/encoding.ts'
import type { Options } from '../transfer/import.ts'
import type { PhotoImportOptions } from '../transfer/photos.ts'
import { foldStatus, STATUS_RESULTS, type StatusChoices, type StatusResult } from '../transfer/statuses.ts'

/** The options of the command as parsed. */
export interface CommandOptions {
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

export type ImportOptions = Omit<Options, 'onBatch' | 'onRefused'>

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
    throw new ConfigError(`--format is ${mapping.formats.join(' or ')} here, not ${format}`)
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
export async function openPhotoImport(
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

export function parseSource(text: string): string {
  if (!SOURCE_NAME.test(text)) throw new InvalidArgumentError('It must have 1 to 100 printable characters.')
  return text
}

/** Reads one choice, such as `Medical Hold=unlisted`, and adds it to the choices before it. */
export function parseStatusChoice(text: string, choices: StatusChoices = new Map()): StatusChoices {
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

export function parseKey(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('It must be the id of a key.')
  return Number(text)
}

export function parseCurrency(text: string): string {
  if (!isCurrency(text)) throw new InvalidArgumentError('It must be a currency code, such as EUR.')
  return text
}
