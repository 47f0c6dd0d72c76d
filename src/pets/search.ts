import { sql } from 'kysely'
import { dialectOf, type Visible } from '../db/dialect.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { View } from '../http/caller.ts'
import type { Validators } from '../http/conditional.ts'
import type { Pet, PetQuery } from './schema.ts'
import { PET_COLUMNS, type Row, STORED_COLUMNS, type StoredRow, toPet, toStored } from './store.ts'

/** Where a page begins, as its cursor says. */
export type PageStart = Omit<PetQuery, 'cursor'> & { after?: number | undefined }

/** Animals, and the validators of the only one that was asked for. */
interface Listed extends Visible<Pet> {
  only?: Validators | undefined
}

/** In order after the place; one animal more than asked for, or a cut, tells that there is a next page. */
export async function list(db: Db, start: PageStart): Promise<Listed> {
  if (start.id) return readNamed(db, start)
  if (start.sort !== 'id') return { found: await read(db, start) }
  return dialectOf(db).readVisible(db, (inside) => read(inside, start))
}

async function read(db: Db, start: PageStart): Promise<Pet[]> {
  return (await preparedPage(db, start)).map(toPet)
}

/** Who names an animal gets it, whoever is still adding others. */
async function readNamed(db: Db, start: PageStart): Promise<Listed> {
  const rows = await page(db, start).clearSelect().select(STORED_COLUMNS).execute()
  const named = rows.map((row) => toStored(Object.values(row) as StoredRow))
  return { found: named.map(({ pet }) => pet), only: start.id?.length === 1 ? named[0] : undefined }
}

/** The query of `list`. */
export function page(db: Db, start: PageStart) {
  const { limit, status, categoryId, id, sort, after } = start
  const [direction, beyond] = sort === 'id' ? (['asc', '>'] as const) : (['desc', '<'] as const)
  let rows = db
    .selectFrom('pet')
    .select(PET_COLUMNS)
    .orderBy('id', direction)
    .limit(sql<number>`${limit} + 1`)
  if (status) rows = rows.where('status', '=', status)
  if (categoryId !== undefined) rows = rows.where('category_id', '=', categoryId)
  if (id) rows = rows.where('id', 'in', id as never)
  if (after !== undefined) rows = rows.where('id', beyond, after)
  return rows
}

/** Of any place without ids, of which there can be many. */
const preparedPage = prepared<PageStart, Row>(
  (db, fill, { status, categoryId, sort, after }) => {
    const given = {
      ...(status && { status: fill('status') }),
      ...(categoryId !== undefined && { categoryId: fill('categoryId') }),
      ...(after !== undefined && { after: fill('after') }),
    }
    return page(db, { limit: fill('limit'), sort, ...given })
  },
  ({ status, categoryId, sort, after }) =>
    [sort, ...[status, categoryId, after].map((value) => value !== undefined)].join(),
)

/** What a cursor belongs to: everything that decides which animals follow which. */
export function scopeOf({ status, categoryId, id, sort }: Omit<PetQuery, 'cursor'>, view: View): string {
  const ids = id?.map(String).sort()
  return JSON.stringify(['pets', view, sort, status, categoryId?.toString(), ids])
}
