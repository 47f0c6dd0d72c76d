import type { Kysely } from 'kysely'
import { run } from './tables.ts'

/** Indexes animals by their microchip without case, blanks, hyphens and points. */
export async function indexMicrochips(db: Kysely<unknown>, microchip: string): Promise<void> {
  const folded = `lower(replace(replace(replace(${microchip}, ' ', ''), '-', ''), '.', ''))`
  await run(db, [`create index pet_by_microchip on pet ((${folded}), id) where ${folded} is not null`])
}
