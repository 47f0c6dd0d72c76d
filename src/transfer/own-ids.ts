import type { Db } from '../db/tables.ts'
import type { Draft } from './import-batch.ts'

/** So many animals tell whose ids they have. */
const LOOKED_AT = 200

/**
 * `export` writes the ids of its own store. Brought back there by `--update id` they would be taken for those
 * of a source that nothing was imported from yet, and every animal would be added once more.
 *
 * @throws when most animals with such an id have the name that the store has under it
 */
export async function refuseOwnIds(db: Db, drafts: Draft[], source: string): Promise<void> {
  const names = new Map<number, unknown>()
  for (const { sourceId, animal } of drafts.slice(0, LOOKED_AT)) {
    if (sourceId !== undefined && /^[1-9]\d{0,14}$/.test(sourceId)) names.set(Number(sourceId), animal.name)
  }
  if (names.size === 0 || (await isKnown(db, source))) return
  const pets = await db
    .selectFrom('pet')
    .select(['id', 'name'])
    .where('id', 'in', [...names.keys()])
    .execute()
  const same = pets.filter(({ id, name }) => names.get(id) === name)
  if (same.length * 2 <= names.size) return
  throw new Error(
    'the file has the ids that its animals have in this store, as `adoptable export` writes them, and each would be ' +
      'added once more: --update takes ids of another place; if they are, name that by --source',
  )
}

async function isKnown(db: Db, source: string): Promise<boolean> {
  const query = db.selectFrom('pet_source').select('pet_id').where('source', '=', source).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}
