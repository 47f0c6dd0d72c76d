import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import * as keys from '../keys/store.ts'
import { importBatch, type Outcome, type Plan, type Refusal, Tried } from './import-batch.ts'
import { categoryNamed, readCategories } from './judge.ts'
import { refuseOwnIds } from './own-ids.ts'
import { type Batch, batchesOf, type Reading } from './read-batches.ts'
import { EndedEarly, linesIn, type Summary } from './summary.ts'

export interface Options extends Omit<Plan, 'now'>, Reading {
  /** Whether the ids may be those of this very store, which nobody means; looked for at the first animals. */
  mayHaveOwnIds: boolean
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
  const done: Summary = { added: 0, updated: 0, unchanged: 0, refused: 0 }
  try {
    for await (const batch of batchesOf(input, options)) {
      const isFirst = linesIn(done) === 0
      if (isFirst && options.mayHaveOwnIds) await refuseOwnIds(db, batch.drafts, options.source)
      await bringIn(batch, write, options, done)
    }
  } catch (error) {
    throw linesIn(done) > 0 ? new EndedEarly(done, error as Error) : error
  }
  return done
}

/** Counts what is done as it is done. */
async function bringIn(
  { drafts, refused }: Batch,
  write: Writer['write'],
  options: Options,
  done: Summary,
): Promise<void> {
  const all = [...refused]
  try {
    for (let rest = drafts; rest.length > 0; ) {
      const plan: Plan = { ...options, now: options.clock() }
      const outcome = await write(importBatch, rest, plan).catch(outcomeOfTrial)
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
