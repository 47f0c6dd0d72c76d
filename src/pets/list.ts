import { type ExpressionBuilder, sql } from 'kysely'
import { dialectOf, type VisibleRows } from '../db/dialect.ts'
import { prepareQuery } from '../db/prepared.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { PetStatus } from './fields.ts'
import {
  columnsOf,
  etagOfPet,
  type FieldSelection,
  PET_COLUMNS,
  type PetView,
  type RenderedPet,
  type RenderOptions,
  type Row,
  represent,
  STORED_COLUMNS,
  type StoredRow,
  toFullPet,
  toPetView,
} from './row.ts'
import type { Pet } from './schema.ts'

// Lists animals from the table `pet`, without the search index.

/** A query that the table `pet` can answer. `after` is the id of the last animal on the previous page. */
export interface PageStart {
  limit: number
  sort: 'id' | '-id'
  /** Animals with any of these statuses. */
  status?: readonly PetStatus[] | undefined
  categoryId?: number | undefined
  organizationId?: number | undefined
  id?: number[] | undefined
  after?: number | undefined
  selection?: FieldSelection | undefined
}

/** Animals as a caller sees them. */
interface PetList extends VisibleRows<RenderedPet & { id: number; etag: string }> {
  /** The animal with its validators, if the query names exactly one id. */
  only?: PetView | undefined
}

/**
 * Lists animals. There is a next page if the result has one animal more than `limit`, or if `cutFrom` is set.
 * `cutFrom` means that the last animals were left out, because animals with lower ids may still be added.
 */
export async function list(db: Db, start: PageStart, options: RenderOptions): Promise<PetList> {
  const { selection } = start
  if (!start.id) {
    return read(db, start, (row) => {
      const { id, version } = row
      return { id, etag: etagOfPet(id, version), ...represent(row, options, selection) }
    })
  }
  // A query by ids needs no check for uncommitted changes, because the client gets each animal that exists.
  const rows = await page(db, start).clearSelect().select(STORED_COLUMNS).execute()
  const found = rows.map((row) => toPetView(row as unknown as StoredRow, options, selection))
  return { found, only: start.id.length === 1 ? found[0] : undefined }
}

/** Lists animals with all their members, public and private. */
export function listFull(
  db: Db,
  start: Omit<PageStart, 'id' | 'selection'>,
  photosBase: string,
): Promise<VisibleRows<Pet>> {
  return read(db, start, (row) => toFullPet(row, photosBase))
}

/** @returns true if any animal has members that are not among the contract's four */
export async function hasProfiles(db: Db): Promise<boolean> {
  const query = db.selectFrom('pet').select('id').limit(1)
  const hasMore = ({ eb, or }: ExpressionBuilder<Tables, 'pet'>) =>
    or([
      ...(['external_id', 'organization_id', 'profile', 'staff_part'] as const).map((column) =>
        eb(column, 'is not', null),
      ),
    ])
  return (await query.where(hasMore).executeTakeFirst()) !== undefined
}

async function read<Animal extends { id: number }>(
  db: Db,
  start: PageStart,
  toAnimal: (row: Row) => Animal,
): Promise<VisibleRows<Animal>> {
  const readRows = async (inside: Db) =>
    (await pageQuery(inside, { ...start, oneStatus: start.status?.[0] })).map(toAnimal)
  if (start.sort !== 'id') return { found: await readRows(db) }
  return dialectOf(db).readVisible(db, readRows)
}

export function page(db: Db, start: PageStart) {
  const { status = [], selection } = start
  const columns = selection ? columnsOf(selection) : PET_COLUMNS
  if (status.length <= 1) return ordered(db, start, status[0]).select(columns)
  // The index sorts the animals within each status. This query merges the first animals of each status.
  const [first, ...more] = status.map((one) =>
    db.selectFrom(ordered(db, start, one).select('id').as(`of_${one}`)).select('id'),
  )
  const ids = more.reduce((all, one) => all.unionAll(one), first as NonNullable<typeof first>)
  const { limit, sort } = start
  return ordered(db, { limit, sort }, undefined).select(columns).where('id', 'in', ids)
}

function ordered(db: Db, start: PageStart, status: PetStatus | undefined) {
  const { limit, categoryId, organizationId, id, sort, after } = start
  const [direction, beyond] = sort === 'id' ? (['asc', '>'] as const) : (['desc', '<'] as const)
  let rows = db.selectFrom('pet').orderBy('id', direction).limit(sql<number>`${limit} + 1`)
  if (status) rows = rows.where('status', '=', status)
  if (categoryId !== undefined) rows = rows.where('category_id', '=', categoryId)
  if (organizationId !== undefined) rows = rows.where('organization_id', '=', organizationId)
  if (id) rows = rows.where('id', 'in', id)
  if (after !== undefined) rows = rows.where('id', beyond, after)
  return rows
}

/** Runs the query of a page, prepared unless it has ids, whose number varies. */
const pageQuery = prepareQuery<PageStart & { oneStatus: PetStatus | undefined }, Row>(
  (db, fill, { status, categoryId, organizationId, sort, after, selection }) => {
    const conditions = {
      // One status is a parameter of the query. Each combination of several has its own prepared query.
      ...(status && { status: status.length === 1 ? [fill('oneStatus')] : status }),
      ...(categoryId !== undefined && { categoryId: fill('categoryId') }),
      ...(organizationId !== undefined && { organizationId: fill('organizationId') }),
      ...(after !== undefined && { after: fill('after') }),
    }
    return page(db, { limit: fill('limit'), sort, selection, ...conditions })
  },
  ({ status, categoryId, organizationId, sort, after, selection }) =>
    [
      ...[sort, selection?.profile, status && (status.length === 1 || status.join('-'))],
      ...[categoryId, organizationId, after].map((value) => value !== undefined),
    ].join(),
)

// Lists animals with some statuses, by ranges of ids. The database reads each range along an index.

/** Lists which ranges of ids have animals, reading one row per range. Range 0 has the ids 1 to `size`. */
export async function listIdRanges(db: Db, statuses: readonly PetStatus[], size: number): Promise<number[]> {
  const found = new Set<number>()
  for (const status of statuses) {
    const { rows } = await sql<{ number: number }>`
      with recursive part (number) as (
        select (min(id) - 1) / ${sql.lit(size)} from pet where status = ${status}
        union all
        select (select (min(id) - 1) / ${sql.lit(size)} from pet
          where status = ${status} and id > (part.number + 1) * ${sql.lit(size)})
        from part where part.number is not null
      )
      select number from part where number is not null`.execute(db)
    for (const { number } of rows) found.add(Number(number))
  }
  return [...found].sort((one, other) => one - other)
}

interface DatedPet {
  id: number
  name: string
  /** Unix time in milliseconds. */
  updatedAt: number
}

/** Lists the animals whose ids are from `from` to `to`, including both. */
export async function listBetween(
  db: Db,
  statuses: readonly PetStatus[],
  from: number,
  to: number,
): Promise<DatedPet[]> {
  return db
    .selectFrom('pet')
    .select(['id', 'name', 'updated_at as updatedAt'])
    .where('status', 'in', statuses)
    .where('id', '>=', from)
    .where('id', '<=', to)
    .orderBy('id')
    .execute()
}
