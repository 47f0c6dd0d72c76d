import type { Access } from '../access.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Plan } from '../plans.ts'

type OpenedRow = [
  id: number,
  plan: Plan,
  access: Access,
  perMinute: number | null,
  perDay: number | null,
  organizationId: number | null,
  expiresAt: number | null,
]

const findOpened = prepared<{ hash: string }, OpenedRow>((db, fill) =>
  db
    .selectFrom('api_key_secret')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.key_id')
    .select(['api_key.id', 'plan', 'access', 'per_minute', 'per_day', 'organization_id', 'expires_at'])
    .where('hash', '=', fill('hash'))
    .where('revoked_at', 'is', null),
)

/** A key as one of its secrets opens it. */
export interface OpenedKey {
  id: number
  access: Access
  plan: Plan
  /** Of an enterprise key only. */
  perMinute: number | null
  perDay: number | null
  /** null for one that belongs to the whole installation. */
  organizationId: number | null
  /** The secret's end, Unix time in milliseconds; null for none. */
  expiresAt: number | null
}

/** The key that a secret opens; a revoked one is as unknown as one that never was. */
export async function findByHash(db: Db, hash: string): Promise<OpenedKey | undefined> {
  const [row] = await findOpened(db, { hash })
  if (!row) return undefined
  const [id, plan, access, perMinute, perDay, organizationId, expiresAt] = row
  return { id, plan, access, perMinute, perDay, organizationId, expiresAt }
}
