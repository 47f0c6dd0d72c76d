import { isForeignKeyViolation, isUniqueViolation } from '../db/engine-errors.ts'
import { prepareQuery } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { recordEvents } from '../events/log.ts'
import type { EventType } from '../events/schema.ts'
import type { Category, CategoryPatch, NewCategory } from './schema.ts'

const CATEGORY_COLUMNS = ['id', 'name', 'description'] as const

interface Row {
  id: number
  name: string
  description: string | null
}

/** Returns all categories, sorted by id. There are few categories, because operators create them by hand. */
export async function list(db: Db): Promise<Category[]> {
  return (await db.selectFrom('category').select(CATEGORY_COLUMNS).orderBy('id').execute()).map(toCategory)
}

const findById = prepareQuery<{ id: number }, Row>((db, fill) =>
  db.selectFrom('category').select(CATEGORY_COLUMNS).where('id', '=', fill('id')),
)

export async function find(db: Db, id: number): Promise<Category | undefined> {
  const [row] = await findById(db, { id })
  return row && toCategory(row)
}

/** @throws {ApiError} category_exists */
export async function insertCategory(
  db: Db,
  { name, description }: NewCategory,
  now: number,
): Promise<Category> {
  const folded = fold(name)
  const taken = db.selectFrom('category').select('id').where('folded_name', '=', folded)
  // Checks the name first, because a failed insert would use up an id in PostgreSQL.
  if (await taken.executeTakeFirst()) throw new ApiError('category_exists')
  const insert = db
    .insertInto('category')
    .values({ name, folded_name: folded, description: description ?? null })
  const row = await withFreeName(insert.returning(CATEGORY_COLUMNS).executeTakeFirstOrThrow())
  await recordEvent(db, 'category.created', row.id, now)
  return toCategory(row)
}

async function recordEvent(db: Db, type: EventType, categoryId: number, now: number): Promise<void> {
  await recordEvents(db, [{ type, audience: 'public', organizationId: null, data: { categoryId } }], now)
}

/** @throws {ApiError} category_not_found, category_exists */
export async function updateCategory(
  db: Db,
  id: number,
  patch: CategoryPatch,
  now: number,
): Promise<Category> {
  const { name, description } = patch
  if (name === undefined && description === undefined) return requireFound(await find(db, id))
  const update = db
    .updateTable('category')
    .set({ name, folded_name: name && fold(name), description })
    .where('id', '=', id)
    .returning(CATEGORY_COLUMNS)
  const row = await withFreeName(update.executeTakeFirst())
  const category = requireFound(row && toCategory(row))
  await recordEvent(db, 'category.updated', id, now)
  return category
}

/** @throws {ApiError} category_not_found, category_in_use */
export async function deleteCategory(db: Db, id: number, now: number): Promise<void> {
  try {
    const { numDeletedRows } = await db.deleteFrom('category').where('id', '=', id).executeTakeFirst()
    if (numDeletedRows === 0n) throw new ApiError('category_not_found')
  } catch (error) {
    throw isForeignKeyViolation(error) ? new ApiError('category_in_use') : error
  }
  await recordEvent(db, 'category.deleted', id, now)
}

/** @throws {ApiError} category_not_found */
export function requireFound(category: Category | undefined): Category {
  if (!category) throw new ApiError('category_not_found')
  return category
}

/** @returns the validation error for a categoryId that does not exist */
export function unknownCategoryError(): ApiError {
  const message =
    'No category has this id. GET /categories lists them; POST /categories adds one, with an admin key.'
  return new ApiError('validation_failed', {
    details: [{ pointer: '/categoryId', code: 'unknown_category', message }],
  })
}

/** Folds a name for comparison. The comparison ignores case, width, and spaces at both ends. */
export function fold(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim()
}

async function withFreeName<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change
  } catch (error) {
    throw isUniqueViolation(error) ? new ApiError('category_exists') : error
  }
}

function toCategory({ description, ...category }: Row): Category {
  return description === null ? category : { ...category, description }
}
