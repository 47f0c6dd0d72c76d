import { hash } from 'node:crypto'
import { basename, extname } from 'node:path'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { Caller } from '../../../../http/caller.ts'
import { FORMATS, type Format, type Mapping, type Refusal, Refused } from '../../../../transfer/animal.ts'
import { importAnimals, type Options } from '../../../../transfer/import.ts'
import { chosenBy } from '../../../../transfer/mappings/chosen.ts'
import { ownBy } from '../../../../transfer/mappings/own.ts'
import { MAPPINGS } from '../../../../transfer/mappings.ts'
import type { Judged } from '../../../../transfer/plan.ts'
import { readTable, type Table } from '../../../../transfer/read-table.ts'
import { EndedEarly, type Summary } from '../../../../transfer/summary.ts'
import type { Reason } from './refusal-words.ts'
import { type Chosen, columnsOf, type Uploaded } from './uploads.ts'

/** So many refused lines are shown. */
const MAX_SHOWN = 100

/** So many animals are enough to see whether the columns are read as they are meant. */
const EXAMPLES = 3

export interface Ran {
  done: Summary
  refused: Refusal[]
  /** The first animals as they come in. */
  examples: Judged['pet'][]
  /** Why it did not come to its end. */
  failed?: Reason | undefined
}

export const NOTHING: Summary = { added: 0, updated: 0, unchanged: 0, refused: 0, leftOut: {} }

/** Brings the animals of a file in, or only tries it, as the command `import` does. */
export async function runImport(
  { db, write, clock }: Context,
  caller: Caller,
  { bytes, chosen }: Uploaded,
  { dryRun, onBatch = () => undefined }: { dryRun: boolean; onBatch?: (done: Summary) => void },
): Promise<Ran> {
  const refused: Refusal[] = []
  const first = new Map<number, Judged['pet']>()
  function onSound(animals: Judged[]): void {
    if (first.size < EXAMPLES) for (const { line, pet } of animals) first.set(line, pet)
  }
  function onRefused(refusal: Refusal): void {
    first.delete(refusal.line)
    if (refused.length < MAX_SHOWN) refused.push(refusal)
  }
  const ranTo = (done: Summary) => ({ done, refused, examples: [...first.values()].slice(0, EXAMPLES) })
  const table = chosen.columns === '' ? undefined : await readTable(piecesOf(bytes))
  const options = {
    ...optionsOf(chosen, table),
    ...{ keyId: caller.id, fingerprint: hash('sha256', bytes), dryRun, clock },
    ...{ onRefused, onSound },
    onBatch(summary: Summary) {
      for (const line of [...first.keys()].slice(EXAMPLES)) first.delete(line)
      onBatch(summary)
    },
  }
  try {
    return ranTo(await importAnimals({ db, write }, piecesOf(bytes), options))
  } catch (error) {
    const why = error instanceof EndedEarly ? error.cause : error
    if (!isAboutFile(why)) throw why
    const failed = { reason: why.message, why: why instanceof Refused ? why.why : [] }
    return { ...ranTo(error instanceof EndedEarly ? error.done : NOTHING), failed }
  }
}

/** How a file is read whose name ends so; the first form of its program where that says nothing. */
export function formatOf({ name }: Pick<Chosen, 'name'>, { formats }: Pick<Mapping, 'formats'>): Format {
  const ending = extname(name).slice(1).toLowerCase()
  const named = ending === 'jsonl' ? 'ndjson' : FORMATS.find((format) => format === ending)
  return named && formats.includes(named) ? named : formats[0]
}

function optionsOf(chosen: Chosen, table: Table | undefined) {
  const { name, from, category, organization, currency, dayFirst, pounds, update, id } = chosen
  const mapping = table ? chosenBy(table.headings, columnsOf(chosen)) : (MAPPINGS[from] ?? ownBy())
  const isUpdate = (update === 'yes' || id !== '') && mapping.idColumn !== undefined
  return {
    ...{ format: formatOf(chosen, mapping), mapping, update: isUpdate, idColumn: mapping.idColumn },
    // PostgreSQL takes no NUL.
    source: (chosen.source || from || basename(name, extname(name)) || 'upload')
      .replaceAll(/\p{Cc}/gu, '')
      .slice(0, 100)
      .toWellFormed(),
    habits: { currency, dayFirst: dayFirst === 'yes', pounds: pounds === 'yes' },
    category: category || undefined,
    organization: organization || undefined,
    mayHaveOwnIds: from === '',
  } satisfies Partial<Options>
}

/** Whether an error says something of the file; all others are ours. */
function isAboutFile(error: unknown): error is Error {
  if (error instanceof Refused) return true
  return (
    error instanceof Error && !(error instanceof ApiError) && Object.getPrototypeOf(error) === Error.prototype
  )
}

const PIECE = 65_536

export async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.subarray(from, from + PIECE)
}
