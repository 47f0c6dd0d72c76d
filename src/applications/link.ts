import type { Db } from '../db/tables.ts'
import * as pets from '../pets/store.ts'
import type { ApplicationStatus } from './schema.ts'
import { findByToken } from './store.ts'

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

/** The application of a private link; undefined when there is none, or it was erased. */
export async function findByLink(db: Db, token: string): Promise<Followed | undefined> {
  const found = await findByToken(db, token)
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
