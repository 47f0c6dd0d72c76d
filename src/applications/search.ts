import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import { ownOf, type Viewer } from '../orders/store.ts'
import type { ApplicationQuery } from './schema.ts'
import { APPLICATION_COLUMNS, type Stored, toStored } from './store.ts'

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
