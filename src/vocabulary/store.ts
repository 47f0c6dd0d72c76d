import * as categories from '../categories/store.ts'
import { isForeignKeyViolation } from '../db/engine-errors.ts'
import { FIRST_BREEDS, FIRST_COLORS } from '../db/migrations/categories.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { NewWord, Word, WordKind, WordQuery } from './schema.ts'

const WORD_COLUMNS = ['id', 'category_id as categoryId', 'name'] as const

type ListOptions = Pick<WordQuery, 'limit'> & {
  categoryId?: number | undefined
  after?: number | undefined
}

/** Lists names with ids above `after`. One row more than `limit` means that there is a next page. */
export async function list(
  db: Db,
  kind: WordKind,
  { categoryId, limit, after = 0 }: ListOptions,
): Promise<Word[]> {
  let rows = db.selectFrom('vocabulary').select(WORD_COLUMNS).where('kind', '=', kind).where('id', '>', after)
  if (categoryId !== undefined) rows = rows.where('category_id', '=', categoryId)
  return rows
    .orderBy('id')
    .limit(limit + 1)
    .execute()
}

/** @throws {ApiError} breed_not_found, color_not_found */
export async function get(db: Db, kind: WordKind, id: number): Promise<Word> {
  const word = await db
    .selectFrom('vocabulary')
    .select(WORD_COLUMNS)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!word) throw new ApiError(NOT_FOUND[kind])
  return word
}

/** @throws {ApiError} validation_failed if the category does not exist; breed_exists, color_exists */
export async function insertWord(db: Db, kind: WordKind, { categoryId, name }: NewWord): Promise<Word> {
  if (!(await categories.find(db, categoryId))) throw categories.unknownCategoryError()
  const added = await insertMissing(db, kind, categoryId, [name]).catch((error) => {
    // The category was removed in the meantime.
    throw isForeignKeyViolation(error) ? categories.unknownCategoryError() : error
  })
  if (!added[0]) throw new ApiError(kind === 'breed' ? 'breed_exists' : 'color_exists')
  return added[0]
}

/** @throws {ApiError} breed_not_found, color_not_found */
export async function deleteWord(db: Db, kind: WordKind, id: number): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('vocabulary')
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new ApiError(NOT_FOUND[kind])
}

export const NOT_FOUND = { breed: 'breed_not_found', color: 'color_not_found' } as const

/**
 * Adds the missing default names to each category that still has its original name.
 * @returns the number of added names
 */
export async function fillVocabulary(db: Db): Promise<Record<WordKind, number>> {
  const added = { breed: 0, color: 0 }
  const ids = new Map((await categories.list(db)).map(({ id, name }) => [categories.fold(name), id]))
  for (const [kind, words] of [
    ['breed', FIRST_BREEDS],
    ['color', FIRST_COLORS],
  ] as const) {
    for (const [category, names] of Object.entries(words)) {
      const id = ids.get(categories.fold(category))
      if (id !== undefined) added[kind] += (await insertMissing(db, kind, id, names.split('; '))).length
    }
  }
  return added
}

/**
 * Inserts names that do not exist yet. Filters existing names out first, because a conflict would use up an
 * id.
 */
async function insertMissing(db: Db, kind: WordKind, categoryId: number, names: string[]): Promise<Word[]> {
  const folded = names.map((name) => categories.fold(name))
  const existing = await db
    .selectFrom('vocabulary')
    .select('folded_name')
    .where('kind', '=', kind)
    .where('category_id', '=', categoryId)
    .where('folded_name', 'in', folded)
    .execute()
  const taken = new Set(existing.map(({ folded_name }) => folded_name))
  const rows = names.flatMap((name, index) => {
    const row = { kind, category_id: categoryId, name, folded_name: folded[index] as string }
    return taken.has(row.folded_name) ? [] : [row]
  })
  if (rows.length === 0) return []
  return db
    .insertInto('vocabulary')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(WORD_COLUMNS)
    .execute()
}
