import type { Access } from '../access.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Plan } from '../plans.ts'

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

/** The columns of `api_key` that an OpenedKey has. */
export const KEY_COLUMNS = [
  'api_key.id',
  'plan',
  'access',
  'per_minute as perMinute',
  'per_day as perDay',
  'organization_id as organizationId',
] as const

const findOpened = prepared<{ hash: string }, OpenedKey>((db, fill) =>
  db
    .selectFrom('api_key_secret')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.key_id')
    .select([...KEY_COLUMNS, 'expires_at as expiresAt'])
    .where('hash', '=', fill('hash'))
    .where('revoked_at', 'is', null),
)

/** The key that a secret opens; a revoked one is as unknown as one that never was. */
export async function findByHash(db: Db, hash: string): Promise<OpenedKey | undefined> {
  const [key] = await findOpened(db, { hash })
  return key
}
