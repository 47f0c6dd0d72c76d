import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import { ownOf, type Viewer } from '../orders/store.ts'
import type { ApplicationQuery } from './schema.ts'
import { APPLICATION_COLUMNS, type Stored, toStored } from './store.ts'

// Lists of applications: newest first, or those that wait longest.

/** Where a page begins, as its cursor says. */
export type PageStart = Omit<ApplicationQuery, 'cursor'> & { after?: number | undefined }

/** Newest first after the position; one more than asked for tells that there is a next page. */
export async function list(db: Db, start: PageStart, viewer: Viewer): Promise<Stored[]> {
  return (await page(db, start, viewer).execute()).map(toStored)
}

/** The query of `list`. */
export function page(db: Db, { limit, status, petId, after }: PageStart, viewer: Viewer) {
  let rows = db
    .selectFrom('application')
    .select(APPLICATION_COLUMNS)
    .orderBy('id', 'desc')
    .limit(limit + 1)
  rows = petId === undefined ? ownOf(rows, viewer) : rows.where('pet_id', '=', petId).where(isOwn(viewer))
  if (status) rows = rows.where('status', '=', status)
  if (after !== undefined) rows = rows.where('id', '<', after)
  return rows
}

/**
 * As `ownOf`, in words that name no column of an index: few applications are about one animal, and those are
 * looked through, not all of a key or an organization.
 */
function isOwn({ sees, keyId, organizationId }: Viewer) {
  if (sees === 'all') return sql<SqlBool>`1 = 1`
  if (sees === 'placed') return sql<SqlBool>`placed_by + 0 = ${keyId}`
  return sql<SqlBool>`organization_id + 0 = ${organizationId}`
}

/** Those that wait for somebody's decision. */
const WAITING = ['received', 'in_review'] as const

/** More are not counted. */
export const MAX_COUNTED = 1_000

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
    const rows = ownOf(ofStatus(db, status, { limit: MAX_COUNTED }).select('id'), viewer)
    const counted = db.selectFrom(rows.as('waiting')).select(sql<number>`count(*)`.as('count'))
    all += Number((await counted.executeTakeFirstOrThrow()).count)
  }
  return Math.min(all, MAX_COUNTED + 1)
}
