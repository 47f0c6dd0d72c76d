import type { Access } from '../access.ts'
import { prepareQuery } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Plan } from '../plans.ts'

/** A valid key, which was found by one of its secrets. */
export interface AuthenticatedKey {
  id: number
  access: Access
  plan: Plan
  /** Only for enterprise keys. */
  perMinute: number | null
  perDay: number | null
  /** null for a key of the whole installation. */
  organizationId: number | null
  /** When the secret expires, in Unix milliseconds. Null if the secret never expires. */
  expiresAt: number | null
}

/** The columns of `api_key` that an AuthenticatedKey needs. */
export const KEY_COLUMNS = [
  'api_key.id',
  'plan',
  'access',
  'per_minute as perMinute',
  'per_day as perDay',
  'organization_id as organizationId',
] as const

const findOpened = prepareQuery<{ hash: string }, AuthenticatedKey>((db, fill) =>
  db
    .selectFrom('api_key_secret')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.key_id')
    .select([...KEY_COLUMNS, 'expires_at as expiresAt'])
    .where('hash', '=', fill('hash'))
    .where('revoked_at', 'is', null),
)

/** Finds the key that has a secret. Does not find revoked keys. */
export async function findByHash(db: Db, hash: string): Promise<AuthenticatedKey | undefined> {
  const [key] = await findOpened(db, { hash })
  return key
}
