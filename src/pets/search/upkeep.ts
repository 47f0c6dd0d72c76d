import { sql } from 'kysely'
import { changes } from '../../db/change.ts'
import { dialectOf } from '../../db/dialect.ts'
import type { Db } from '../../db/tables.ts'
import type { Write } from '../../db/write.ts'
import { inSteps, type Job } from '../../jobs/job.ts'

/*
 * The job that keeps searches right and fast.
 *
 * FTS5 keeps what is written in segments. A search reads all of them, and takes a tenth of the time when they
 * are merged into one (https://www.sqlite.org/fts5.html, section 6.8). PostgreSQL needs no such care.
 */

/** So many pages are merged in one change, which takes about 20 ms. */
const PAGES = 64
/**
 * FTS5 itself keeps small segments few. All are merged when there are more than these, and those beside the
 * largest hold an eighth as much: so the largest is not written again and again.
 */
const MAX_SEGMENTS = 8
const SHARE_BESIDE = 1 / 8

/** Whether there are more segments than a search should have to read. */
async function isMergeDue(db: Db): Promise<boolean> {
  if (dialectOf(db).engine === 'postgres') return false
  const { rows } = await sql<{ pages: number }>`
    select count(*) as pages from pet_tokens_idx group by segid order by pages desc
  `.execute(db)
  const [largest = 0, ...others] = rows.map(({ pages }) => Number(pages))
  const beside = others.reduce((sum, pages) => sum + pages, 0)
  return rows.length > MAX_SEGMENTS && beside > largest * SHARE_BESIDE
}

/** @param begin whether all segments there are now are to become one @returns whether there is more to do */
export async function mergeTokens(db: Db, begin: boolean): Promise<boolean> {
  if (dialectOf(db).engine === 'postgres') return false
  const before = await totalChanges(db)
  await sql`insert into pet_tokens (pet_tokens, rank) values ('merge', ${begin ? -PAGES : PAGES})`.execute(db)
  // Its manual: where it does nothing the count rises by less than two.
  return (await totalChanges(db)) - before >= 2
}

async function totalChanges(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select total_changes() as count`.execute(db)
  return Number(rows[0]?.count)
}

/** Merges all segments in small steps. */
export async function mergeAll(write: Write, mayGoOn = async () => true): Promise<void> {
  let isFirst = true
  await inSteps(async () => {
    const mayBeMore = await write(changes.mergeTokens, isFirst)
    isFirst = false
    return mayBeMore
  }, mayGoOn)
}

/** Goes on with organizations that moved with many animals, and keeps searches fast. */
export const searchIndex: Job = {
  isDue: async ({ db }) => (await isBehind(db)) || (await isMergeDue(db)),
  async run({ db, write }, mayGoOn) {
    await inSteps(async () => (await write(changes.indexAnimals, true)) || (await isBehind(db)), mayGoOn)
    if (await isMergeDue(db)) await mergeAll(write, mayGoOn)
  },
}

async function isBehind(db: Db): Promise<boolean> {
  for (const table of ['search_change', 'search_move'] as const)
    if (await db.selectFrom(table).select(sql<number>`1`.as('one')).limit(1).executeTakeFirst()) return true
  return false
}
