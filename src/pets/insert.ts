import { unknownCategory } from '../categories/store.ts'
import { type Arrays, arraysOf, givenRows, type Types } from '../db/given-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { type Actor, requireOwn } from '../http/caller.ts'
import { categoryNames, type NameOf, withAge } from './age.ts'
import { requireFreeNumber } from './external-ids.ts'
import { requireSound } from './problems.ts'
import { merge } from './profile.ts'
import { withReferences } from './references.ts'
import { byColumn, type Written, written } from './row.ts'
import type { NewPet } from './schema.ts'
import { STORED_COLUMNS, type StoredRow } from './store.ts'
import { type Times, timesOf } from './times.ts'
import { drawVersion } from './version.ts'

type Inserted = Written & Times & { keyId: number; now: number; version: number }

/** Every column of a new animal, each with what stands for its value in a statement. */
const allColumns = <Value>(standIn: (name: keyof Inserted) => Value) => ({
  ...byColumn(standIn),
  published_at: standIn('publishedAt'),
  status_changed_at: standIn('statusChangedAt'),
  created_at: standIn('now'),
  created_by: standIn('keyId'),
  updated_at: standIn('now'),
  version: standIn('version'),
})
const VALUE_OF = Object.entries(allColumns((name) => name)) as [keyof Row, keyof Inserted][]
const COLUMNS = VALUE_OF.map(([column]) => column)

/** Out of its category: an unknown one then uses no id up, which a broken reference would in PostgreSQL. */
const insertIntoCategory = prepared<Inserted, StoredRow>((db, fill) =>
  db
    .insertInto('pet')
    .columns(COLUMNS)
    .expression(({ selectFrom, val }) =>
      selectFrom('category')
        .select(
          VALUE_OF.map(([column, name]) =>
            column === 'category_id' ? ('category.id as category_id' as const) : val(fill(name)).as(column),
          ),
        )
        .where('category.id', '=', fill('categoryId') as never),
    )
    .returning(STORED_COLUMNS),
)

/**
 * @throws {ApiError} other_organization, external_id_exists; validation_failed when there is no such category
 * or organization, or its members do not fit together
 */
export async function insertPet(db: Db, newPet: NewPet, actor: Actor, now: number): Promise<StoredRow> {
  const inserted = await judge(db, categoryNames(db), newPet, actor, now)
  const [row] = await withReferences(insertIntoCategory(db, inserted))
  if (!row) throw unknownCategory()
  return row
}

async function judge(db: Db, nameOf: NameOf, newPet: NewPet, actor: Actor, now: number): Promise<Inserted> {
  const { keyId, organizationId } = actor
  const sound = merge(organizationId === undefined ? {} : { organizationId }, newPet)
  requireOwn(actor, sound.organizationId)
  await requireSound(db, sound, newPet, now)
  await requireFreeNumber(db, sound)
  const { pet, ageDueAt } = await withAge(nameOf, sound, now)
  return { ...written(pet, ageDueAt), ...timesOf(pet.status, now), keyId, now, version: drawVersion() }
}

/** A row as it is given to PostgreSQL. */
type Row = ReturnType<typeof allColumns<unknown>>

const TEXTS = new Set(['name', 'status', 'external_id', 'profile', 'public_part', 'staff_part'])
const TYPES = Object.fromEntries(
  COLUMNS.map((column) => [column, TEXTS.has(column) ? 'text' : 'bigint']),
) as Types<Row>

/** In the order in which they are given, by which they get their ids. */
const insertIntoCategories = prepared<Arrays<Row>, StoredRow>((db, fill) =>
  db
    .insertInto('pet')
    .columns(COLUMNS)
    .expression(({ selectFrom }) =>
      selectFrom(givenRows(TYPES, fill))
        .innerJoin('category', 'category.id', 'given.category_id' as never)
        .select(COLUMNS.map((column) => `given.${column}` as never))
        .orderBy('given.place'),
    )
    .returning(STORED_COLUMNS),
)

/** `insertPet` of many on PostgreSQL, in one statement. @throws what keeps all of them out */
export async function insertEachPet(
  db: Db,
  calls: [newPet: NewPet, actor: Actor, now: number][],
): Promise<PromiseSettledResult<StoredRow>[]> {
  const nameOf = categoryNames(db)
  const judged = await Promise.allSettled(calls.map((call) => judge(db, nameOf, ...call)))
  const sound = judged.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  // By its version each is found again among those that came in.
  const versions = new Set(sound.map(({ version }) => version))
  if (versions.size < sound.length) return insertEachPet(db, calls)
  const rows = sound.map((one) => allColumns((name) => one[name]))
  const added = rows.length > 0 ? await insertIntoCategories(db, arraysOf(TYPES, rows)) : []
  const byVersion = new Map(added.map((row) => [row[2], row]))
  return judged.map((one) => {
    if (one.status === 'rejected') return one
    const row = byVersion.get(one.value.version)
    if (!row) return { status: 'rejected', reason: unknownCategory() }
    return { status: 'fulfilled', value: row }
  })
}
