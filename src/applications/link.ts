import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { hashToken } from '../http/token.ts'
import * as pets from '../pets/store.ts'
import { withdraw } from './decide.ts'
import type { ApplicationStatus } from './schema.ts'
import { APPLICATION_COLUMNS, type Stored, toStored } from './store.ts'

/** What an applicant may see of their application. Times are as in answers: ISO 8601, in UTC. */
export interface Followed {
  id: number
  petId: number
  /** Absent once the animal's record is gone. */
  petName?: string
  status: ApplicationStatus
  reason?: string
  receivedAt: string
  decidedAt?: string
  /** What staff wrote to the applicant. */
  reply?: string
  /** Whether the applicant may still withdraw it. */
  mayWithdraw: boolean
}

/**
 * The application of a private link; undefined when there is none, or it was erased. It is looked up by the
 * hash, so that how long that takes tells nothing about tokens.
 */
export async function findByLink(db: Db, token: string): Promise<Followed | undefined> {
  const found = await findStored(db, token)
  if (!found) return undefined
  const { id, petId, status, reason, receivedAt, decidedAt, personal, closedAt } = found
  const petName = (await pets.find(db, BigInt(petId)))?.pet.name
  return {
    ...{ id, petId, status, receivedAt },
    ...(petName !== undefined && { petName }),
    ...(reason !== undefined && { reason }),
    ...(decidedAt !== undefined && { decidedAt }),
    ...(personal?.reply !== undefined && { reply: personal.reply }),
    mayWithdraw: closedAt === null,
  }
}

async function findStored(db: Db, token: string): Promise<Stored | undefined> {
  const linkHash = hashToken(token)
  if (linkHash === undefined) return undefined
  const rows = db.selectFrom('application').select(APPLICATION_COLUMNS).where('link_hash', '=', linkHash)
  const row = await rows.executeTakeFirst()
  return row && toStored(row)
}

/**
 * Takes back the application of a private link; one that was withdrawn before stays so. An order that its
 * approval placed is cancelled.
 *
 * @throws {ApiError} application_not_found, application_closed
 */
export async function withdrawByLink(db: Db, token: string, now: number): Promise<void> {
  const found = await findStored(db, token)
  if (!found) throw new ApiError('application_not_found')
  await withdraw(db, found.id, { keyId: null, now })
}
