import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import { ownOf, type Viewer } from '../orders/store.ts'
import { APPLICATION_COLUMNS, type Stored, toStored } from './store.ts'

/** Those that wait for somebody's decision. */
const WAITING = ['received', 'in_review'] as const

/** More are not counted. */
export const MOST_COUNTED = 1_000

export interface QueuePage {
  limit: number
  /** The id behind which it begins. */
  after?: number | undefined
}

/** What waits longest comes first; one more than asked for tells that there is a next page. */
export async function waiting(db: Db, page: QueuePage, viewer: Viewer): Promise<Stored[]> {
  const found: Stored[] = []
  // Of each status an index has the order; of both together none has.
  for (const status of WAITING) {
    const rows = ownOf(ofStatus(db, status, page).select(APPLICATION_COLUMNS), viewer)
    found.push(...(await rows.execute()).map(toStored))
  }
  return found.sort((one, other) => one.id - other.id).slice(0, page.limit + 1)
}

function ofStatus(db: Db, status: string, { limit, after = 0 }: QueuePage) {
  return db
    .selectFrom('application')
    .where('status', '=', status)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit + 1)
}

/** How many wait, up to one more than are counted. */
export async function countWaiting(db: Db, viewer: Viewer): Promise<number> {
  let all = 0
  for (const status of WAITING) {
    const rows = ownOf(ofStatus(db, status, { limit: MOST_COUNTED }).select('id'), viewer)
    const counted = db.selectFrom(rows.as('waiting')).select(sql<number>`count(*)`.as('count'))
    all += Number((await counted.executeTakeFirstOrThrow()).count)
  }
  return Math.min(all, MOST_COUNTED + 1)
}
