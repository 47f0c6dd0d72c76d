import { sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { inList, listOf } from '../db/list-parameter.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { type Changes, changeBlock } from '../search/change-postings.ts'
import { changeOrders, type Ordered } from '../search/orders.ts'
import { clearIndex, raiseGeneration, setBackfill, stateOf } from '../search/state.ts'
import { takeTurns } from '../search/turns.ts'
import { highestId, readSearched } from './changed.ts'
import { forgetGone, type Held, updateHeld } from './held-areas.ts'
import { indexAreas } from './index-areas.ts'
import { noteTokens } from './note-tokens.ts'
import { keysOf } from './order-keys.ts'
import { type SearchedRow, searchedRowOf } from './tokens.ts'

/**
 * So many animals are one change, where so many wait: the more they are, the more of them share a row of the
 * index, which then is written once. Other changes wait meanwhile, for some 0.4 s.
 */
export const STEP = 4_000
/** Of animals with long texts fewer: the writer has little memory (src/db/writer.ts), and holds this. */
const MOST_TOKENS = 400_000
/** So many animals, as they were and as they are, are held at once. */
const READ_AT_ONCE = 100
const IN_HAND = 'search index'

/**
 * Takes animals that have changed into the index, which then knows them as they are, and goes on with
 * organizations that have moved. It is the same however often it is done.
 *
 * @param most of animals
 * @returns whether there may be more, or undefined while somebody else is at work on the index
 */
export async function indexAnimals(db: Db, most = STEP): Promise<boolean | undefined> {
  if (!(await isInHand(db))) return undefined
  const built = await backfill(db, most)
  const hasMoved = await indexAreas(db, most / STEP)
  const held = new Map<number, Held>()
  const blocks: Changes = new Map()
  const orders = { gone: [] as Ordered[], come: [] as Ordered[] }
  const ids: number[] = []
  let tokens = 0
  let mayBeMore = true
  while (mayBeMore && ids.length < most && tokens < MOST_TOKENS) {
    const wanted = Math.min(READ_AT_ONCE, most - ids.length)
    const changes = await takeChanges(db, built, ids.at(-1) ?? 0, wanted)
    // Behind the lock of the changes: nobody alters these animals until this is done, or sees them half done.
    const rows = await readSearched(
      db,
      changes.map(({ pet_id }) => pet_id),
    )
    const now = new Map(rows.map(([id, , ...row]) => [id, row as SearchedRow]))
    const changed = changes.map(({ pet_id: id, was }) => ({
      id,
      before: was === null ? undefined : searchedRowOf(was),
      after: now.get(id),
    }))
    const organizations = changed.flatMap(({ before, after }) => [before, after].flatMap(organizationOf))
    const unknown = new Set(organizations.filter((id) => !held.has(id)))
    for (const [id, one] of await updateHeld(db, [...unknown])) held.set(id, one)
    for (const { id, ...change } of changed) {
      tokens += noteTokens(blocks, id, change, held)
      const [old, fresh] = [change.before, change.after].map((row) => (row ? orderedOf(id, row) : []))
      orders.gone.push(...(old ?? []).filter((one) => !fresh?.some((other) => isSame(one, other))))
      orders.come.push(...(fresh ?? []))
      ids.push(id)
      await takeTurns()
    }
    mayBeMore = changes.length === wanted
  }
  const goesOn = mayBeMore || hasMoved || built.to <= built.last
  if (ids.length === 0) return goesOn
  for (const [block, changed] of blocks) await changeBlock(db, block, changed)
  await changeOrders(db, orders.gone, orders.come)
  await deleteChanges(db, { ids: listOf(db, ids) })
  if (!mayBeMore) await forgetGone(db)
  await raiseGeneration(db)
  return goesOn
}

/**
 * Has the index made anew, by `indexAnimals`; until then searches wait. @returns false while somebody is
 * at work on it
 */
export async function rebuildIndex(db: Db): Promise<boolean> {
  if (!(await isInHand(db))) return false
  await clearIndex(db, await highestId(db))
  await db.deleteFrom('search_area').execute()
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
async function backfill(db: Db, most: number): Promise<Built> {
  const { backfillFrom: from, backfillTo: last } = await stateOf(db)
  if (from > last) return ALL_BUILT
  const to = Math.min(from + most, last + 1)
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
function takeChanges(db: Db, { to, last }: Built, behind: number, most: number) {
  const changes = db
    .selectFrom('search_change')
    .select(['pet_id', 'was'])
    .where(({ eb, or }) => or([eb('pet_id', '<', to), eb('pet_id', '>', last)]))
    .where('pet_id', '>', behind)
    .orderBy('pet_id')
    .limit(most)
  return dialectOf(db).lockRows(changes).execute()
}

const deleteChanges = prepared<{ ids: unknown }, []>((db, fill) =>
  db.deleteFrom('search_change').where('pet_id', 'in', inList(db, fill('ids'), 'bigint')),
)

const organizationOf = (row: SearchedRow | undefined): number[] =>
  row && row[4] !== null ? [Number(row[4])] : []

const orderedOf = (id: number, row: SearchedRow): Ordered[] =>
  keysOf(row).map(([sort, key]) => ({ sort, key, pet_id: id }))

const isSame = (one: Ordered, other: Ordered): boolean => one.sort === other.sort && one.key === other.key
