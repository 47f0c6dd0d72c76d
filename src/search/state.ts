import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'

/** How far the index is. */
export interface IndexState {
  /** Another one when it was brought up to date meanwhile. */
  generation: number
  /** Animals from this id to that one are not in it yet. */
  backfillFrom: number
  backfillTo: number
}

const readState = prepared<object, [generation: number, from: number, to: number]>((db) =>
  db.selectFrom('search_state').select(['generation', 'backfill_from', 'backfill_to']),
)

export async function stateOf(db: Db): Promise<IndexState> {
  const [row] = await readState(db, {})
  const [generation, backfillFrom, backfillTo] = row ?? [0, 1, 0]
  return { generation, backfillFrom, backfillTo }
}

/** Tells readers that the index is another one now. */
export async function raiseGeneration(db: Db): Promise<void> {
  const update = db.updateTable('search_state')
  await update.set(({ eb, ref }) => ({ generation: eb(ref('generation'), '+', 1) })).execute()
}

/** From here on animals are still to be taken in. */
export async function setBackfill(db: Db, from: number): Promise<void> {
  await db.updateTable('search_state').set({ backfill_from: from }).execute()
}

/** Forgets all: animals up to this id are to be taken in anew. */
export async function clearIndex(db: Db, to: number): Promise<void> {
  await db.deleteFrom('search_posting').execute()
  await db.deleteFrom('search_order').execute()
  await db.updateTable('search_state').set({ backfill_from: 1, backfill_to: to }).execute()
  await raiseGeneration(db)
}
