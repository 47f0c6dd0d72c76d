import { unknownCategory } from '../categories/store.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { type Actor, requireOwn } from '../http/caller.ts'
import { categoryNames, withAge } from './age.ts'
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

/** Every column of a new animal, and where its value is. */
const COLUMNS = {
  ...byColumn((name: keyof Written): keyof Inserted => name),
  published_at: 'publishedAt',
  status_changed_at: 'statusChangedAt',
  created_at: 'now',
  created_by: 'keyId',
  updated_at: 'now',
  version: 'version',
} as const
const VALUE_OF = Object.entries(COLUMNS) as [keyof typeof COLUMNS, keyof Inserted][]

/** Out of its category: an unknown one then uses no id up, which a broken reference would in PostgreSQL. */
const insertIntoCategory = prepared<Inserted, StoredRow>((db, fill) =>
  db
    .insertInto('pet')
    .columns(VALUE_OF.map(([column]) => column))
    .expression(({ selectFrom, val }) =>
      selectFrom('category')
        .select(
          VALUE_OF.map(([column, name]) =>
            column === 'category_id' ? ('category.id as category_id' as const) : val(fill(name)).as(column),
          ),
        )
        .where('category.id', '=', fill('categoryId')),
    )
    .returning(STORED_COLUMNS),
)

/**
 * @throws {ApiError} other_organization, external_id_exists; validation_failed when there is no such category
 * or organization, or its members do not fit together
 */
export async function insertPet(db: Db, newPet: NewPet, actor: Actor, now: number): Promise<StoredRow> {
  const { keyId, organizationId } = actor
  const sound = merge(organizationId === undefined ? {} : { organizationId }, newPet)
  requireOwn(actor, sound.organizationId)
  await requireSound(db, sound, newPet, now)
  await requireFreeNumber(db, sound)
  const { pet, ageDueAt } = await withAge(categoryNames(db), sound, now)
  const own = { keyId, now, version: drawVersion() }
  const [row] = await withReferences(
    insertIntoCategory(db, { ...written(pet, ageDueAt), ...timesOf(pet.status, now), ...own }),
  )
  if (!row) throw unknownCategory()
  return row
}
