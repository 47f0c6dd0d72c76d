import * as categories from '../categories/store.ts'
import { FIRST_BREEDS, FIRST_COLORS } from '../db/migrations/first-words.ts'
import type { Db } from '../db/tables.ts'
import { isForeignKeyViolation } from '../db/violation.ts'
import { ApiError } from '../errors.ts'
import type { Kind, NewWord, Word, WordQuery } from './schema.ts'

const WORD_COLUMNS = ['id', 'category_id as categoryId', 'name'] as const

type Start = Pick<WordQuery, 'limit'> & {
  categoryId?: number | undefined
  after?: number | undefined
}

/** By id behind the place; one more than asked for tells that there is a next page. */
export async function list(db: Db, kind: Kind, { categoryId, limit, after = 0 }: Start): Promise<Word[]> {
  let rows = db.selectFrom('vocabulary').select(WORD_COLUMNS).where('kind', '=', kind).where('id', '>', after)
  if (categoryId !== undefined) rows = rows.where('category_id', '=', categoryId)
  return rows
    .orderBy('id')
    .limit(limit + 1)
    .execute()
}

/** @throws {ApiError} breed_not_found, color_not_found */
export async function get(db: Db, kind: Kind, id: number): Promise<Word> {
  const word = await db
    .selectFrom('vocabulary')
    .select(WORD_COLUMNS)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!word) throw notFound(kind)
  return word
}

/** @throws {ApiError} validation_failed when there is no such category, breed_exists, color_exists */
export async function insertWord(db: Db, kind: Kind, { categoryId, name }: NewWord): Promise<Word> {
  if (!(await categories.find(db, categoryId))) throw categories.unknownCategory()
  const added = await insertSome(db, kind, categoryId, [name]).catch((error) => {
    // Somebody removed the category meanwhile.
    throw isForeignKeyViolation(error) ? categories.unknownCategory() : error
  })
  if (!added[0]) throw new ApiError(kind === 'breed' ? 'breed_exists' : 'color_exists')
  return added[0]
}

/** @throws {ApiError} breed_not_found, color_not_found */
export async function deleteWord(db: Db, kind: Kind, id: number): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('vocabulary')
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound(kind)
}

export function notFound(kind: Kind): ApiError {
  return new ApiError(kind === 'breed' ? 'breed_not_found' : 'color_not_found')
}

/** Adds what a new store has, to the categories that go by the same names. @returns how many were added */
export async function fillVocabulary(db: Db): Promise<Record<Kind, number>> {
  const added = { breed: 0, color: 0 }
  const ids = new Map((await categories.list(db)).map(({ id, name }) => [categories.fold(name), id]))
  for (const [kind, words] of [
    ['breed', FIRST_BREEDS],
    ['color', FIRST_COLORS],
  ] as const) {
    for (const [category, names] of Object.entries(words)) {
      const id = ids.get(categories.fold(category))
      if (id !== undefined) added[kind] += (await insertSome(db, kind, id, names.split('; '))).length
    }
  }
  return added
}

/** Without those that are there. Looked at first, so that they use no id up. */
async function insertSome(db: Db, kind: Kind, categoryId: number, names: string[]): Promise<Word[]> {
  const folded = names.map((name) => categories.fold(name))
  const known = await db
    .selectFrom('vocabulary')
    .select('folded_name')
    .where('kind', '=', kind)
    .where('category_id', '=', categoryId)
    .where('folded_name', 'in', folded)
    .execute()
  const taken = new Set(known.map(({ folded_name }) => folded_name))
  const rows = names.flatMap((name, index) => {
    const own = { kind, category_id: categoryId, name, folded_name: folded[index] as string }
    return taken.has(own.folded_name) ? [] : [own]
  })
  if (rows.length === 0) return []
  return db
    .insertInto('vocabulary')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(WORD_COLUMNS)
    .execute()
}
