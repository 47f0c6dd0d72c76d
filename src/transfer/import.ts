import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import * as keys from '../keys/store.ts'
import { type Fields, type Format, type Line, type Mapping, Refused } from './animal.ts'
import { type Draft, importBatch, type Outcome, type Plan, type Refusal, Tried } from './import-batch.ts'
import { categoryNamed, readCategories } from './judge.ts'
import { readCsv } from './read-csv.ts'
import { readJson, readNdjson } from './read-lines.ts'

export interface Options extends Omit<Plan, 'now'> {
  format: Format
  mapping: Mapping
  /** The member with the id in the source; without one, animals are not told apart. */
  idColumn: string | undefined
  clock: () => number
  /** Hears of every line that does not go in, in their order. */
  onRefused(refusal: Refusal): void
  /** Hears after each batch what was done so far. */
  onBatch(done: Summary): void
}

export interface Summary {
  added: number
  updated: number
  unchanged: number
  refused: number
}

/**
 * So many lines are one transaction: a sync each, and no service beside it waits long for its turn. An import
 * that is killed leaves whole batches.
 */
const BATCH = 2_000

/**
 * Brings the animals of a file into a store.
 *
 * @throws when the file cannot be read, or the store not be written; the batches before that stay
 */
export async function importAnimals(
  { db, write }: Writer & { db: Db },
  input: AsyncIterable<Buffer>,
  options: Options,
): Promise<Summary> {
  await check(db, options)
  const done: Summary = { added: 0, updated: 0, unchanged: 0, refused: 0 }
  for await (const { drafts, refused } of batchesOf(input, options)) {
    const all = [...refused]
    for (let rest = drafts; rest.length > 0; ) {
      const plan: Plan = { ...options, now: options.clock() }
      const outcome = await write(importBatch, rest, plan).catch(outcomeOfTrial)
      done.added += outcome.added
      done.updated += outcome.updated
      done.unchanged += outcome.unchanged
      all.push(...outcome.refused)
      rest = rest.slice(outcome.taken)
    }
    done.refused += all.length
    all.sort((one, other) => one.line - other.line).forEach(options.onRefused)
    options.onBatch(done)
  }
  return done
}

/** @throws when what the options name is not there */
async function check(db: Db, { keyId, category }: Options): Promise<void> {
  const known = (await keys.list(db)).some(({ id, revoked_at }) => id === keyId && revoked_at === null)
  if (keyId !== null && !known) throw new Error(`there is no key ${keyId} that is not revoked`)
  if (category !== undefined && categoryNamed(await readCategories(db), category) === undefined)
    throw new Error(`there is no category "${category}"`)
}

function outcomeOfTrial(error: unknown): Outcome {
  if (error instanceof Tried) return error.outcome
  throw error
}

interface Batch {
  drafts: Draft[]
  refused: Refusal[]
}

async function* batchesOf(input: AsyncIterable<Buffer>, options: Options): AsyncGenerator<Batch> {
  let [drafts, refused]: [Draft[], Refusal[]] = [[], []]
  for await (const line of linesOf(input, options)) {
    let id: string | undefined
    try {
      const fields = fieldsOf(line)
      id = sourceIdOf(fields, options)
      const animal = options.mapping.toAnimal(fields, options.format)
      if (animal) drafts.push({ line: line.number, animal, sourceId: id })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      refused.push({ line: line.number, ...(id !== undefined && { id }), reason: error.message })
    }
    if (drafts.length + refused.length < BATCH) continue
    yield { drafts, refused }
    drafts = []
    refused = []
  }
  if (drafts.length + refused.length > 0) yield { drafts, refused }
}

async function* linesOf(input: AsyncIterable<Buffer>, { format, mapping }: Options): AsyncGenerator<Line> {
  const lines =
    format === 'csv'
      ? readCsv(input, mapping.columns)
      : format === 'json'
        ? readJson(input)
        : readNdjson(input)
  const { animalsIn } = mapping
  if (!animalsIn) return yield* lines
  for await (const line of lines) {
    if (line.problem !== undefined) yield line
    else
      for (const [place, value] of animalsIn(line.value).entries())
        yield { number: format === 'json' ? place + 1 : line.number, value }
  }
}

/** @throws {Refused} */
function fieldsOf({ value, problem }: Line): Fields {
  if (problem !== undefined) throw new Refused(problem)
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new Refused('It must be a JSON object.')
  return value as Fields
}

/** Long enough for any id that programs give out, and the same in both engines. */
const SOURCE_ID = /^[^\p{Cc}\p{Cs}]{1,200}$/u

/** @throws {Refused} when there is none, and an animal could not be told apart from others */
function sourceIdOf(fields: Fields, { idColumn, update }: Options): string | undefined {
  const id = idColumn === undefined ? undefined : fields[idColumn]
  if (id === undefined && !update) return undefined
  const text = ['string', 'number', 'bigint'].includes(typeof id) ? String(id) : ''
  if (!SOURCE_ID.test(text))
    throw new Refused(`${idColumn}: This must be the id of the animal, of 1 to 200 characters.`)
  return text
}
