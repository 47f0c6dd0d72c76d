import { type ExpressionBuilder, sql } from 'kysely'
import { dialectOf, type Visible } from '../db/dialect.ts'
import { prepared } from '../db/prepared.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { PetStatus } from './fields.ts'
import {
  columnsOf,
  etagOfPet,
  PET_COLUMNS,
  type Picked,
  type PickedRow,
  pickedFrom,
  type Row,
  type Show,
  toWhole,
} from './row.ts'
import type { Pet } from './schema.ts'
import { type Seen, SHOWN_COLUMNS, type Shown, seenOf, seenWhole, toShown } from './store.ts'

/** What the table of animals answers alone, and where the page begins, as its cursor says. */
export interface PageStart {
  limit: number
  sort: 'id' | '-id'
  /** Any of them. */
  status?: readonly PetStatus[] | undefined
  categoryId?: number | undefined
  organizationId?: number | undefined
  id?: number[] | undefined
  after?: number | undefined
  picked?: Picked | undefined
}

/** Animals as a caller sees them, and the only one that was asked for, with its validators. */
interface Listed extends Visible<Pick<Shown, 'id' | 'etag' | keyof Seen>> {
  only?: Shown | undefined
}

/** In order after the place; one animal more than asked for, or a cut, tells that there is a next page. */
export async function list(db: Db, start: PageStart, show: Show): Promise<Listed> {
  if (start.id) return readNamed(db, start, show)
  const { picked } = start
  if (!picked) {
    return read(db, start, (row: Row) => {
      const { id, version } = row
      return { id, etag: etagOfPet(id, version), ...seenWhole(row, show) }
    })
  }
  return read(db, start, (row: PickedRow) => {
    const { id, version } = row
    return { id, etag: etagOfPet(id, version), ...seenOf(() => pickedFrom(row, show, picked)) }
  })
}

/** The same, each with all that is known of it. */
export function listWhole(
  db: Db,
  start: Omit<PageStart, 'id' | 'picked'>,
  photosAt: string,
): Promise<Visible<Pet>> {
  return read(db, start, (row: Row) => toWhole(row, photosAt))
}

/** Whether any animal has more than the contract's members. */
export async function hasProfiles(db: Db): Promise<boolean> {
  const some = db.selectFrom('pet').select('id').limit(1)
  const held = ({ eb, or }: ExpressionBuilder<Tables, 'pet'>) =>
    or([
      ...(['external_id', 'organization_id', 'profile', 'staff_part'] as const).map((column) =>
        eb(column, 'is not', null),
      ),
    ])
  return (await some.where(held).executeTakeFirst()) !== undefined
}

async function read<Animal extends { id: number }, Read extends Row | PickedRow>(
  db: Db,
  start: PageStart,
  toAnimal: (row: Read) => Animal,
): Promise<Visible<Animal>> {
  const readRows = async (inside: Db) => ((await preparedPage(inside, start)) as Read[]).map(toAnimal)
  if (start.sort !== 'id') return { found: await readRows(db) }
  return dialectOf(db).readVisible(db, readRows)
}

/** Who names an animal gets it, whoever is still adding others. */
async function readNamed(db: Db, start: PageStart, show: Show): Promise<Listed> {
  const rows = await page(db, start).clearSelect().select(SHOWN_COLUMNS).execute()
  const found = rows.map((row) => toShown(row as unknown as PickedRow, show, start.picked))
  return { found, only: start.id?.length === 1 ? found[0] : undefined }
}

/** The query of `list`. */
export function page(db: Db, start: PageStart) {
  const { status = [], picked } = start
  const columns = picked ? columnsOf(picked) : PET_COLUMNS
  if (status.length <= 1) return ordered(db, start, status[0]).select(columns)
  // An index has the animals of each status in order: the first of each, and of those the first.
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

/** Of any place without ids, of which there can be many. */
const pageQuery = prepared<PageStart & { oneStatus: PetStatus | undefined }, Row | PickedRow>(
  (db, fill, { status, categoryId, organizationId, sort, after, picked }) => {
    const given = {
      // One is a value; of several there are few, and each has a query of its own.
      ...(status && { status: status.length === 1 ? [fill('oneStatus')] : status }),
      ...(categoryId !== undefined && { categoryId: fill('categoryId') }),
      ...(organizationId !== undefined && { organizationId: fill('organizationId') }),
      ...(after !== undefined && { after: fill('after') }),
    }
    return page(db, { limit: fill('limit'), sort, picked, ...given })
  },
  ({ status, categoryId, organizationId, sort, after, picked }) =>
    [
      ...[sort, picked?.profile, status && (status.length === 1 || status.join('-'))],
      ...[categoryId, organizationId, after].map((value) => value !== undefined),
    ].join(),
)

function preparedPage(db: Db, start: PageStart): Promise<(Row | PickedRow)[]> {
  return pageQuery(db, { ...start, oneStatus: start.status?.[0] })
}
