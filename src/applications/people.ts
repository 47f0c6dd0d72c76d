import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import * as adopters from '../orders/adopters.ts'
import type { Order } from '../orders/schema.ts'
import { APPLICATION_COLUMNS, type Stored, toStored } from './store.ts'

/** All that the store has of somebody, under an e-mail address. */
export interface Person {
  orders: Order[]
  applications: Stored[]
}

/** So many rows are looked through at once. */
const PAGE = 1_000

/** Whoever asks for their data gives one address, in whatever case of its letters. */
export async function findPerson(db: Db, email: string): Promise<Person> {
  const isTheirs = (found: string | undefined): boolean => found?.toLowerCase() === email.toLowerCase()
  return {
    orders: await adopters.ordersOf(db, isTheirs),
    applications: await applicationsOf(db, isTheirs),
  }
}

async function applicationsOf(db: Db, isTheirs: (email: string | undefined) => boolean): Promise<Stored[]> {
  const found: Stored[] = []
  let after = 0
  for (;;) {
    const rows = await db
      .selectFrom('application')
      .select(APPLICATION_COLUMNS)
      .where('id', '>', after)
      .where(sql<SqlBool>`applicant is not null`)
      .orderBy('id')
      .limit(PAGE)
      .execute()
    found.push(...rows.map(toStored).filter(({ personal }) => isTheirs(personal?.applicant.email)))
    if (rows.length < PAGE) return found
    after = rows.at(-1)?.id ?? after
  }
}
