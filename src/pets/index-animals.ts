import { sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { inList, listOf } from '../db/list-parameter.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { inSteps, type Job } from '../jobs/job.ts'
import { blockOf, firstIdOf } from '../search/bits.ts'
import { changeOrders, type Ordered } from '../search/orders.ts'
import { changeBlock, type TokenChange } from '../search/postings.ts'
import { clearIndex, raiseGeneration, setBackfill, stateOf } from '../search/state.ts'
import { takeTurns } from '../search/turns.ts'
import { highestId, readSearched } from './changed.ts'
import { keysOf } from './order-keys.ts'
import { type SearchedRow, searchedRowOf, tokensOf } from './tokens.ts'

/**
 * So many animals are one change, where so many wait: the more they are, the more of them share a row of the
 * index, which then is written once. Other changes wait meanwhile, for some 0.4 s.
 */
const STEP = 4_000
const IN_HAND = 'search index'

/** Brings the index of the search up to date. */
export const searchIndex: Job = {
  async isDue({ db }) {
    const { backfillFrom, backfillTo } = await stateOf(db)
    if (backfillFrom <= backfillTo) return true
    return (await db.selectFrom('search_change').select('pet_id').limit(1).executeTakeFirst()) !== undefined
  },
  run: ({ write }, mayGoOn) => inSteps(() => write('indexAnimals'), mayGoOn),
}

/**
 * Takes animals that have changed into the index, which then knows them as they are. It is the same
 * however often it is done.
 *
 * @returns whether there may be more
 */
export async function indexAnimals(db: Db): Promise<boolean> {
  if (!(await isInHand(db))) return false
  const built = await backfill(db)
  const goesOn = built.to <= built.last
  const changes = await takeChanges(db, built)
  if (changes.length === 0) return goesOn
  // Behind the lock of the changes: nobody alters these animals until this is done, or sees them half done.
  const rows = await readSearched(
    db,
    changes.map(({ pet_id }) => pet_id),
  )
  const now = new Map(rows.map(([id, , ...row]) => [id, row as SearchedRow]))
  const blocks = new Map<number, Map<string, TokenChange>>()
  const orders = { gone: [] as Ordered[], come: [] as Ordered[] }
  for (const { pet_id: id, was } of changes) {
    const before = was === null ? undefined : searchedRowOf(was)
    const after = now.get(id)
    const block = blocks.get(blockOf(id)) ?? new Map<string, TokenChange>()
    blocks.set(blockOf(id), block)
    noteTokens(block, id - firstIdOf(blockOf(id)), before, after)
    const [old, fresh] = [before, after].map((row) => (row ? orderedOf(id, row) : []))
    orders.gone.push(...(old ?? []).filter((one) => !fresh?.some((other) => isSame(one, other))))
    orders.come.push(...(fresh ?? []))
    await takeTurns()
  }
  for (const [block, tokens] of blocks) await changeBlock(db, block, tokens)
  await changeOrders(db, orders.gone, orders.come)
  const ids = changes.map(({ pet_id }) => pet_id)
  await deleteChanges(db, { ids: listOf(db, ids) })
  await raiseGeneration(db)
  return goesOn || changes.length === STEP
}

/**
 * Has the index made anew, by `indexAnimals`; until then searches wait. @returns false while somebody is
 * at work on it
 */
export async function rebuildIndex(db: Db): Promise<boolean> {
  if (!(await isInHand(db))) return false
  await clearIndex(db, await highestId(db))
  return true
}

async function isInHand(db: Db): Promise<boolean> {
  const held = sql<{ held: unknown }>`select ${dialectOf(db).takeInHand(IN_HAND)} as held`
  return Boolean((await held.execute(db)).rows[0]?.held)
}

/** Of animals from before the index: below which id they may come in now, and the last of all. */
interface Built {
  to: number
  last: number
}

const ALL_BUILT: Built = { to: 1, last: 0 }

/** Notes animals from before the index as changed. */
async function backfill(db: Db): Promise<Built> {
  const { backfillFrom: from, backfillTo: last } = await stateOf(db)
  if (from > last) return ALL_BUILT
  const to = Math.min(from + STEP, last + 1)
  await db
    .insertInto('search_change')
    .columns(['pet_id', 'was'])
    .expression(({ selectFrom, lit }) =>
      selectFrom('pet')
        .select(['id', lit(null).$castTo<string | null>().as('was')])
        .where('id', '>=', from)
        .where('id', '<', to),
    )
    // Also of one that has changed meanwhile nothing is in the index yet.
    .onConflict((conflict) => conflict.column('pet_id').doUpdateSet({ was: null }))
    .execute()
  await setBackfill(db, to)
  return { to, last }
}

/** Not of animals from before the index whose turn is still to come: it does not know what they were. */
function takeChanges(db: Db, { to, last }: Built) {
  const changes = db
    .selectFrom('search_change')
    .select(['pet_id', 'was'])
    .where(({ eb, or }) => or([eb('pet_id', '<', to), eb('pet_id', '>', last)]))
    .orderBy('pet_id')
    .limit(STEP)
  return dialectOf(db).lockRows(changes).execute()
}

const deleteChanges = prepared<{ ids: unknown }, []>((db, fill) =>
  db.deleteFrom('search_change').where('pet_id', 'in', inList(db, fill('ids'), 'bigint')),
)

function noteTokens(
  block: Map<string, TokenChange>,
  offset: number,
  before: SearchedRow | undefined,
  after: SearchedRow | undefined,
): void {
  const had = new Set(before ? tokensOf(before) : [])
  for (const token of after ? tokensOf(after) : []) {
    if (had.delete(token)) continue
    const change = block.get(token)
    if (change) change.add.push(offset)
    else block.set(token, { add: [offset] })
  }
  for (const token of had) {
    const change = block.get(token) ?? { add: [] }
    block.set(token, change)
    change.remove ??= []
    change.remove.push(offset)
  }
}

const orderedOf = (id: number, row: SearchedRow): Ordered[] =>
  keysOf(row).map(([sort, key]) => ({ sort, key, pet_id: id }))

const isSame = (one: Ordered, other: Ordered): boolean => one.sort === other.sort && one.key === other.key
