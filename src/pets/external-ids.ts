import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { NewPet } from './schema.ts'

type Numbered = Pick<NewPet, 'externalId' | 'organizationId'>

/** What is unique of an animal with an externalId; undefined of one without. */
export function ownNumber({ externalId, organizationId = 0 }: Numbered): string | undefined {
  return externalId === undefined ? undefined : `${organizationId} ${externalId}`
}

/**
 * Before an animal is written: PostgreSQL would use an id up for one that it then refuses.
 *
 * @throws {ApiError} external_id_exists
 */
export async function requireFreeNumber(db: Db, pet: Numbered, own?: number): Promise<void> {
  const number = ownNumber(pet)
  if (number === undefined) return
  const holder = (await takenNumbers(db, [pet])).get(number)
  if (holder !== undefined && holder !== own) throw new ApiError('external_id_exists')
}

/** Those of the animals' own numbers that animals in the store have, with their ids. */
export async function takenNumbers(db: Db, animals: Numbered[]): Promise<Map<string, number>> {
  const wanted = animals.filter(({ externalId }) => externalId !== undefined)
  const organizations = Map.groupBy(wanted, ({ organizationId = 0 }) => organizationId)
  const taken = new Map<string, number>()
  for (const [organizationId, own] of organizations) {
    const rows = await db
      .selectFrom('pet')
      .select(['id', 'external_id as externalId'])
      .where(sql<number>`coalesce(organization_id, 0)`, '=', organizationId)
      .where('external_id', 'in', [...new Set(own.map(({ externalId }) => externalId as string))])
      .execute()
    for (const { id, externalId } of rows) taken.set(`${organizationId} ${externalId}`, id)
  }
  return taken
}
