import { basename, extname } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { Config } from '../config.ts'
import { ConfigError } from '../config.ts'
import { isCurrency } from '../http/iso-codes.ts'
import type { PetStatus } from '../pets/fields.ts'
import { FORMATS, type Format } from '../transfer/animal.ts'
import type { Fetching } from '../transfer/fetch-photos.ts'
import type { Options } from '../transfer/import.ts'
import { MAPPINGS } from '../transfer/mappings.ts'

/** The options of the command, as they were given. */
export interface Given {
  format?: Format
  from?: string
  category?: string
  organization?: string
  currency: string
  dayFirst?: true
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

export type Wanted = Omit<Options, 'onBatch' | 'onRefused'>

/** @throws {ConfigError} */
export async function optionsOf(file: string, given: Given): Promise<Wanted> {
  if (given.watch && given.update === undefined)
    throw new ConfigError('--watch needs --update COLUMN and --key ID, since it meets the same animals again')
  if (given.photosPrivate && !given.photos) throw new ConfigError('--photos-private goes with --photos')
  if (given.removed !== undefined && !given.watch) throw new ConfigError('--removed goes with --watch')
  if (given.watch && /^https?:/.test(file)) refuseAddress(file)
  const mapping =
    MAPPINGS[given.from ?? ''] ?? (await import('../transfer/mappings/own.ts')).ownBy(given.update)
  const format = given.format ?? formatOf(file) ?? mapping.formats[0]
  if (!mapping.formats.includes(format)) {
    throw new ConfigError(`--format is ${mapping.formats.join(' or ')} here, not ${format}`)
  }
  if (given.update !== undefined && given.key === undefined) {
    throw new ConfigError(
      '--update needs --key ID, which the history of an animal names; `adoptable keys list` has the ids',
    )
  }
  const name = given.source ?? given.from ?? (file === '-' ? '' : basename(file, extname(file)).slice(0, 100))
  const idColumn = given.update ?? mapping.idColumn
  if (idColumn !== undefined && name === '')
    throw new ConfigError('--update needs --source NAME with the input')
  return {
    format,
    mapping,
    source: name,
    idColumn,
    update: given.update !== undefined,
    keyId: given.key ?? null,
    habits: {
      currency: given.currency,
      dayFirst: given.dayFirst === true,
      pounds: given.pounds === true,
    },
    category: given.category,
    organization: given.organization,
    dryRun: given.dryRun === true,
    again: given.again === true || given.watch === true,
    removed: given.removed,
    mayHaveOwnIds: given.from === undefined && given.source === undefined && !given.again,
    clock: Date.now,
  }
}

/** Where photos are brought in too, and by what; it is the caller's to close. */
export async function fetchingOf(config: Config, given: Given): Promise<Fetching | undefined> {
  if (!given.photos || given.dryRun) return undefined
  const { openPhotos } = await import('../photos/storage/open.ts')
  return {
    files: await openPhotos(config),
    allForms: config.photosPublicUrl !== undefined,
    privateToo: given.photosPrivate === true,
  }
}

/** @throws {ConfigError} */
function refuseAddress(address: string): void {
  if (!URL.canParse(address)) throw new ConfigError('the address to watch is none that a browser would open')
  const { username, password } = new URL(address)
  // Whatever is told of it would tell them too.
  if (username || password) throw new ConfigError('the address to watch may hold no name and no password')
}

export function formatOf(file: string): Format | undefined {
  const ending = extname(file).slice(1).toLowerCase()
  return ending === 'jsonl' ? 'ndjson' : FORMATS.find((format) => format === ending)
}

export function source(text: string): string {
  if (!/^[^\p{Cc}\p{Cs}]{1,100}$/u.test(text))
    throw new InvalidArgumentError('It must have 1 to 100 printable characters.')
  return text
}

export function key(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('It must be the number of a key.')
  return Number(text)
}

export function currency(text: string): string {
  if (!isCurrency(text)) throw new InvalidArgumentError('It must be the code of a currency, such as EUR.')
  return text
}
