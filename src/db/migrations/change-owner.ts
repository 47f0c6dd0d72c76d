import type { Kysely } from 'kysely'
import { run, type TableSyntax } from './tables.ts'

/**
 * Adds the organization to each change, and adds a flag for when the tables of animals need a scrub. If an
 * animal has moved, the organization of its earlier changes is unknown, so only operators see those changes.
 */
export async function addChangeOwner(db: Kysely<unknown>, { integer }: TableSyntax): Promise<void> {
  await run(db, [
    `alter table pet_change add column organization_id ${integer}`,
    `update pet_change set organization_id = (select organization_id from pet where pet.id = pet_id)
      where pet_id not in (select pet_id from pet_change where changes like '%"organizationId":%')`,
    'alter table known_time add column animals_scrub_due integer not null default 0',
  ])
}
