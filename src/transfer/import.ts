import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import * as keys from '../keys/store.ts'
import { type Refusal, Refused } from './animal.ts'
import { type Judged, type Outcome, type Plan, Tried } from './import-batch.ts'
import { categoryNamed, judge, readCategories } from './judge.ts'
import { refuseKnownFile, refuseOwnIds } from './own-ids.ts'
import { type Batch, batchesOf, type Reading } from './read-batches.ts'
import { isKnown } from './store.ts'
import { EndedEarly, linesIn, type Summary } from './summary.ts'

export interface Options extends Omit<Plan, 'now'>, Reading {
  /** Name of the category for those whose own one is not known. */
  category: string | undefined
  /** Whether the ids may be those of this very store, which nobody means; looked for at the first animals. */
  mayHaveOwnIds: boolean
  /** Whether to add animals of a file that came before. */
  again?: boolean
  clock: () => number
  /** Hears of every line that does not go in, in their order. */
  onRefused(refusal: Refusal): void
  /** Hears after each batch what was done so far. */
  onBatch(done: Summary): void
}

/**
 * Brings the animals of a file into a store.
 *
 * @throws {EndedEarly} when the file cannot be read to its end, or the store not be written
 * @throws when nothing was done
 */
export async function importAnimals(
  { db, write }: Writer & { db: Db },
  input: AsyncIterable<Buffer>,
  options: Options,
): Promise<Summary> {
  await check(db, options)
  const { fingerprint, again, idColumn, source, update } = options
  const hasIds = idColumn !== undefined && (await isKnown(db, source))
  if (fingerprint && !again && !hasIds) await refuseKnownFile(db, fingerprint, update)
  const done: Summary = { added: 0, updated: 0, unchanged: 0, refused: 0 }
  try {
    for await (const batch of batchesOf(input, options)) {
      const isFirst = linesIn(done) === 0
      if (isFirst && options.mayHaveOwnIds) await refuseOwnIds(db, batch.drafts, options.source)
      await bringIn(await judgeAll(db, batch, options), write, options, done)
    }
  } catch (error) {
    throw linesIn(done) > 0 ? new EndedEarly(done, error as Error) : error
  }
  return done
}

/** What is wrong with an animal keeps that animal out, and no other. */
async function judgeAll(db: Db, { drafts, refused }: Batch, { category, clock }: Options) {
  const now = clock()
  const categories = await readCategories(db)
  const fallback = category === undefined ? undefined : categoryNamed(categories, category)
  const judged = { animals: [] as Judged[], refused: [...refused] }
  for (const { line, animal, sourceId } of drafts) {
    try {
      const pet = judge(animal, categories, fallback, now)
      judged.animals.push({ line, sourceId, pet, unlisted: animal.unlisted === true })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      judged.refused.push({ line, ...(sourceId !== undefined && { id: sourceId }), reason: error.message })
    }
  }
  return judged
}

/** Counts what is done as it is done. */
async function bringIn(
  { animals, refused }: { animals: Judged[]; refused: Refusal[] },
  write: Writer['write'],
  options: Options,
  done: Summary,
): Promise<void> {
  const all = [...refused]
  try {
    for (let rest = animals; rest.length > 0; ) {
      const fingerprint = options.idColumn === undefined ? options.fingerprint : undefined
      const { source, keyId, update, dryRun } = options
      const plan: Plan = { source, keyId, update, dryRun, fingerprint, now: options.clock() }
      const outcome = await write('importBatch', rest, plan).catch(outcomeOfTrial)
      done.added += outcome.added
      done.updated += outcome.updated
      done.unchanged += outcome.unchanged
      all.push(...outcome.refused)
      rest = rest.slice(outcome.taken)
    }
  } finally {
    done.refused += all.length
    all.sort((one, other) => one.line - other.line).forEach(options.onRefused)
    options.onBatch(done)
  }
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
