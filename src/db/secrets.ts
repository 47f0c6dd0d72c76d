import type { Db } from './tables.ts'

/** Reads the secret that signs cursors, in hexadecimal. Every start returns the same one. */
export async function getCursorSecret(db: Db): Promise<string> {
  const { value } = await db
    .selectFrom('secret')
    .select('value')
    .where('name', '=', 'cursor')
    .executeTakeFirstOrThrow(() => new Error('this store is an unfinished copy: run `adoptable copy` again'))
  return value
}

/** Stores a secret. @returns false if a secret with this name exists; that secret stays unchanged */
export async function insertSecret(db: Db, name: string, value: string): Promise<boolean> {
  const inserted = await db
    .insertInto('secret')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst()
  return inserted !== undefined
}
