import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import { latitudesAround, metersBetween, type Point } from '../places/distance.ts'
import type { OrganizationQuery } from './schema.ts'
import { fold, ORGANIZATION_COLUMNS, type Stored, toOrganization } from './store.ts'

/** Where a page begins: behind an id, and where the nearest come first, behind a distance too. */
export type After = [id: number] | [meters: number, id: number]

export type Start = Omit<OrganizationQuery, 'cursor' | 'near'> & {
  near?: Point | undefined
  after?: After | undefined
}

/** With the way to it where one was asked for. */
type Listed = Stored & { distanceMeters?: number }

/** In order behind the place; one more than asked for tells that there is a next page. */
export function list(db: Db, start: Start): Promise<Listed[]> {
  return start.near ? nearest(db, start, start.near) : byId(db, start)
}

export function positionOf({ id, distanceMeters }: Listed): After {
  return distanceMeters === undefined ? [id] : [distanceMeters, id]
}

function matching(db: Db, { q, country, region }: Start) {
  let rows = db.selectFrom('organization')
  if (q !== undefined) {
    // Both engines replace byte by byte, and search each in their own way.
    const has = (column: 'folded_name' | 'folded_code') =>
      sql<boolean>`replace(${sql.ref(column)}, ${fold(q)}, '') <> ${sql.ref(column)}`
    rows = rows.where(({ or }) => or([has('folded_name'), has('folded_code')]))
  }
  if (country !== undefined) rows = rows.where('country', '=', country)
  if (region !== undefined) rows = rows.where('region', '=', fold(region))
  return rows
}

async function byId(db: Db, start: Start): Promise<Listed[]> {
  let rows = matching(db, start).select(ORGANIZATION_COLUMNS).orderBy('id')
  if (start.after) rows = rows.where('id', '>', start.after[0])
  return (await rows.limit(start.limit + 1).execute()).map(toOrganization)
}

const MILLION = 1_000_000

/** There are as many organizations as a country has shelters: those of a band of latitudes are measured. */
async function nearest(db: Db, start: Start, near: Point): Promise<Listed[]> {
  const most = start.within * 1_000
  const [from, to] = latitudesAround(near, most)
  const [afterMeters, afterId] = (start.after ?? [-1, 0]) as [number, number]
  const rows = await matching(db, start)
    .select(['id', 'latitude', 'longitude'])
    .where('latitude', '>=', Math.floor(from * MILLION))
    .where('latitude', '<=', Math.ceil(to * MILLION))
    .execute()
  const measured = rows.flatMap(({ id, latitude, longitude }) => {
    const point = { latitude: Number(latitude) / MILLION, longitude: Number(longitude) / MILLION }
    const meters = metersBetween(near, point)
    const isBehind = meters > afterMeters || (meters === afterMeters && id > afterId)
    return meters <= most && isBehind ? [{ id, meters }] : []
  })
  measured.sort((one, other) => one.meters - other.meters || one.id - other.id)
  const page = measured.slice(0, start.limit + 1)
  if (page.length === 0) return []
  const found = await db
    .selectFrom('organization')
    .select(ORGANIZATION_COLUMNS)
    .where(
      'id',
      'in',
      page.map(({ id }) => id),
    )
    .execute()
  const byId = new Map(found.map((row) => [row.id, row]))
  return page.flatMap(({ id, meters }) => {
    const row = byId.get(id)
    return row ? [{ ...toOrganization(row), distanceMeters: meters }] : []
  })
}
