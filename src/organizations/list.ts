import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import { cachedByVersion } from '../http/page-cache.ts'
import { yieldToEventLoop } from '../http/turns.ts'
import { latitudesAround, metersBetween } from '../places/distance.ts'
import { type Region, reachOf } from '../places/gazetteer.ts'
import type { OrganizationQuery } from './schema.ts'
import {
  findMany,
  fold,
  ORGANIZATION_COLUMNS,
  type Row,
  type StoredOrganization,
  toOrganization,
} from './store.ts'

/**
 * The position of an organization in a list. In a list by distance it is the distance and the id. Otherwise
 * it is the id.
 */
export type OrganizationPosition = [id: number] | [meters: number, id: number]

export type ListStart = Omit<OrganizationQuery, 'cursor' | 'near'> & {
  near?: Region | undefined
  after?: OrganizationPosition | undefined
}

/** An organization, with its distance if the list is sorted by distance. */
type ListedOrganization = StoredOrganization & { distanceMeters?: number }

/**
 * Lists organizations. Returns up to `limit + 1`. If the extra organization is present, a next page exists.
 */
export function list(db: Db, start: ListStart): Promise<ListedOrganization[]> {
  return start.near ? nearest(db, start, start.near) : byId(db, start)
}

export function positionOf({ id, distanceMeters }: ListedOrganization): OrganizationPosition {
  return distanceMeters === undefined ? [id] : [distanceMeters, id]
}

function matching(db: Db, { q, country, region }: ListStart) {
  let rows = db.selectFrom('organization')
  if (q !== undefined) {
    // Uses `replace`, which compares byte by byte in both engines. `like` differs between the engines.
    const has = (column: 'folded_name' | 'folded_code') =>
      sql<boolean>`replace(${sql.ref(column)}, ${fold(q)}, '') <> ${sql.ref(column)}`
    rows = rows.where(({ or }) => or([has('folded_name'), has('folded_code')]))
  }
  if (country !== undefined) rows = rows.where('country', '=', country)
  if (region !== undefined) rows = rows.where('region', '=', fold(region))
  return rows
}

async function byId(db: Db, start: ListStart): Promise<ListedOrganization[]> {
  let rows = matching(db, start).select(ORGANIZATION_COLUMNS).orderBy('id')
  if (start.after) rows = rows.where('id', '>', start.after[0])
  return (await rows.limit(start.limit + 1).execute()).map(toOrganization)
}

const MILLION = 1_000_000

/**
 * Measures the distance to every organization in a band of latitudes, which has a few thousand organizations
 * at most.
 */
async function nearest(db: Db, start: ListStart, near: Region): Promise<ListedOrganization[]> {
  const maxMeters = reachOf(near, start.within * 1_000)
  const [from, to] = latitudesAround(near, maxMeters)
  const [afterMeters, afterId] = (start.after ?? [-1, 0]) as [number, number]
  const rows = await matching(db, start)
    .select(['id', 'latitude', 'longitude'])
    .where('latitude', '>=', Math.floor(from * MILLION))
    .where('latitude', '<=', Math.ceil(to * MILLION))
    .execute()
  const measured = rows.flatMap(({ id, latitude, longitude }) => {
    const point = { latitude: Number(latitude) / MILLION, longitude: Number(longitude) / MILLION }
    const meters = metersBetween(near, point)
    const isAfter = meters > afterMeters || (meters === afterMeters && id > afterId)
    return meters <= maxMeters && isAfter ? [{ id, meters }] : []
  })
  measured.sort((one, other) => one.meters - other.meters || one.id - other.id)
  const page = measured.slice(0, start.limit + 1)
  const found = await findMany(
    db,
    page.map(({ id }) => id),
  )
  const byId = new Map(found.map((one) => [one.id, one]))
  return page.flatMap(({ id, meters }) => {
    const organization = byId.get(id)
    return organization ? [{ ...organization, distanceMeters: meters }] : []
  })
}

/**
 * @param version changes whenever an organization may have changed
 * @returns a function that returns all organizations. An organization that has not changed stays the same
 * object
 */
export function createOrganizationCache(db: Db, version: () => number): () => Promise<StoredOrganization[]> {
  let cached = new Map<number, { row: Row; organization: StoredOrganization }>()
  return cachedByVersion(version, async () => {
    const next: typeof cached = new Map()
    const rows = db.selectFrom('organization').select(ORGANIZATION_COLUMNS).orderBy('id')
    for (const row of await rows.execute()) {
      const before = cached.get(row.id)
      if (before && isDeepStrictEqual(before.row, row)) next.set(row.id, before)
      else {
        await yieldToEventLoop()
        next.set(row.id, { row, organization: toOrganization(row) })
      }
    }
    cached = next
    return [...next.values()].map(({ organization }) => organization)
  })
}

/** The country that most organizations are in; undefined if no organization has a country. */
export async function findMainCountry(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('organization')
    .select('country')
    .where('country', 'is not', null)
    .groupBy('country')
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .orderBy('country')
    .executeTakeFirst()
  return row?.country ?? undefined
}

/** Lists the numbers of all ranges of `size` ids, up to the last id. Range 0 has the ids 1 to `size`. */
export async function listIdRanges(db: Db, size: number): Promise<number[]> {
  const last = await db
    .selectFrom('organization')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst()
  return Array.from({ length: Math.ceil(Number(last?.id ?? 0) / size) }, (_, index) => index)
}

interface DatedCode {
  code: string
  /** Unix time in milliseconds. */
  updatedAt: number
}

/** Lists the organizations whose ids are from `from` to `to`, including both. */
export async function listBetween(db: Db, from: number, to: number): Promise<DatedCode[]> {
  return db
    .selectFrom('organization')
    .select(['code', 'updated_at as updatedAt'])
    .where('id', '>=', from)
    .where('id', '<=', to)
    .orderBy('id')
    .execute()
}
