import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import * as organizations from '../organizations/store.ts'

/** @throws {ApiError} validation_failed when an animal names an organization that is not there */
export async function requireKnownOrganization(db: Db, id: number | bigint | undefined): Promise<void> {
  if (id === undefined || (await organizations.find(db, BigInt(id)))) return
  throw unknownOrganization()
}

export function unknownOrganization(): ApiError {
  const message =
    'No organization has this id. GET /organizations lists them; POST /organizations adds one, with an admin key.'
  return new ApiError('validation_failed', {
    details: [{ pointer: '/organizationId', code: 'unknown_organization', message }],
  })
}
