import type { Kysely } from 'kysely'
import { run } from './tables.ts'

/** Indexes the changes of each organization in their order, for its list of latest changes. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    `create index pet_change_by_organization on pet_change (organization_id, id)
      where organization_id is not null`,
  ])
