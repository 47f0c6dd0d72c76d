import type { Db } from './tables.ts'

/** What signs cursors, in hexadecimal: the same at every start. */
export async function cursorSecret(db: Db): Promise<string> {
  const { value } = await db
    .selectFrom('secret')
    .select('value')
    .where('name', '=', 'cursor')
    .executeTakeFirstOrThrow(() => new Error('this store is an unfinished copy: run `adoptable copy` again'))
  return value
}

/** @returns false when there is one of this name, which stays */
export async function insertSecret(db: Db, name: string, value: string): Promise<boolean> {
  const inserted = await db
    .insertInto('secret')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst()
  return inserted !== undefined
}
