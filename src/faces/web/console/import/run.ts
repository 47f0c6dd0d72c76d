import { basename, extname } from 'node:path'
import { Readable } from 'node:stream'
import type { Context } from '../../../../context.ts'
import type { Caller } from '../../../../http/caller.ts'
import { type Format, findFormat, type Mapping } from '../../../../transfer/animal.ts'
import { importAnimals, type Options } from '../../../../transfer/import.ts'
import { MAPPINGS } from '../../../../transfer/mappings/all.ts'
import { createTableMapping } from '../../../../transfer/mappings/chosen.ts'
import { createOwnMapping } from '../../../../transfer/mappings/own.ts'
import { openOwnTable, type Table } from '../../../../transfer/read.ts'
import {
  EMPTY_SUMMARY,
  IncompleteImportError,
  type Refusal,
  RefusalError,
  type Summary,
} from '../../../../transfer/report.ts'
import type { ValidAnimal } from '../../../../transfer/validate.ts'
import type { Texts } from '../../texts/texts.ts'
import { type Reason, storeRefused } from './refused.ts'
import type { ImportSettings, UploadedFile } from './uploads.ts'

/** The pages and the download have up to this many refused lines. */
const MAX_REFUSALS = 10_000

/**
 * Lines per transaction. The service ends a transaction on PostgreSQL after 850 ms, and a busy machine needs
 * that long for 2,000 animals.
 */
const BATCH_SIZE = 500

/** The page shows this many animals, so people can check how the columns are read. */
const EXAMPLE_COUNT = 3

export interface ImportRun {
  done: Summary
  refused: Refusal[]
  /** The first valid animals. */
  examples: ValidAnimal['pet'][]
  /** The reason why the import ended early. Absent if the import finished. */
  failed?: Reason | undefined
}

interface RunOptions {
  dryRun: boolean
  /** The language of the reasons in the download of refused lines. */
  words: Texts['console']
  onBatch?: (done: Summary) => void
  /** Called before each step. If it throws, the import ends. */
  onStep?: () => void
}

/** Imports the animals of a file like the command `import`. A dry run changes nothing. */
export async function runImport(
  context: Context,
  caller: Caller,
  upload: UploadedFile,
  { dryRun, words, onBatch = () => undefined, onStep }: RunOptions,
): Promise<ImportRun> {
  const { db, write, clock } = context
  const { bytes, chosen } = upload
  const refused: Refusal[] = []
  const first = new Map<number, ValidAnimal['pet']>()
  function onValid(animals: ValidAnimal[]): void {
    if (first.size < EXAMPLE_COUNT) for (const { line, pet } of animals) first.set(line, pet)
  }
  function onRefused(refusal: Refusal): void {
    first.delete(refusal.line)
    if (refused.length < MAX_REFUSALS) refused.push(refusal)
  }
  async function resultFor(done: Summary): Promise<ImportRun> {
    if (refused.length > 0) await storeRefused(context, caller, upload, refused, words)
    return { done, refused, examples: [...first.values()].slice(0, EXAMPLE_COUNT) }
  }
  const table =
    chosen.columns && (await openOwnTable({ bytes: () => Readable.from([bytes]) }, chosen.encoding))
  const options = {
    ...optionsOf(chosen, table),
    ...{ keyId: caller.id, dryRun, clock },
    ...{ onRefused, onValid, batchSize: BATCH_SIZE },
    onBatch(summary: Summary) {
      onStep?.()
      for (const line of [...first.keys()].slice(EXAMPLE_COUNT)) first.delete(line)
      onBatch(summary)
    },
  }
  try {
    return resultFor(await importAnimals({ db, write }, { bytes: () => piecesOf(bytes, onStep) }, options))
  } catch (error) {
    const { done, cause } =
      error instanceof IncompleteImportError ? error : { done: EMPTY_SUMMARY, cause: error }
    if (!(cause instanceof RefusalError)) throw cause
    return { ...(await resultFor(done)), failed: { reason: cause.message, why: cause.why } }
  }
}

/**
 * The format from the ending of the file's name, if the program writes that format. Otherwise, the program's
 * first format.
 */
export function formatOf(
  { name }: Pick<ImportSettings, 'name'>,
  { formats }: Pick<Mapping, 'formats'>,
): Format {
  const named = findFormat(name)
  return named && formats.includes(named) ? named : formats[0]
}

function optionsOf(chosen: ImportSettings, table: Table | undefined) {
  const { name, from, category, organization, currency, dayFirst, pounds, keep, id, encoding } = chosen
  const mapping = table
    ? createTableMapping(table.headings, { columns: new Map(chosen.columns), id })
    : (MAPPINGS[from] ?? createOwnMapping())
  const isUpdate = !keep && mapping.idColumn !== undefined
  return {
    ...{ format: formatOf(chosen, mapping), mapping, update: isUpdate, idColumn: mapping.idColumn },
    keep,
    // PostgreSQL does not accept NUL characters.
    source: (chosen.source || from || basename(name, extname(name)) || 'upload')
      .replaceAll(/\p{Cc}/gu, '')
      .slice(0, 100)
      .toWellFormed(),
    locale: { currency, dayFirst, pounds },
    encoding,
    category: category || undefined,
    organization: organization || undefined,
    statusChoices: new Map(chosen.statuses),
    mayHaveOwnIds: from === '',
  } satisfies Partial<Options>
}

const PIECE = 65_536

async function* piecesOf(bytes: Buffer, onStep?: () => void): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE) {
    onStep?.()
    yield bytes.subarray(from, from + PIECE)
  }
}
