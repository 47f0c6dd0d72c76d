import { hash } from 'node:crypto'
import { prepareQuery } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { expiryJob } from '../jobs/expiry.ts'
import { type AuthenticatedKey, KEY_COLUMNS } from './identify.ts'
import { randomBase62 } from './key-format.ts'

// Access tokens. A token acts as the client that requested it, for an hour or until the client's key ends.

export const TOKEN_SECONDS = 3_600
/** 238 bits. */
const LENGTH = 40
const TOKEN_PATTERN = new RegExp(`^[0-9A-Za-z]{${LENGTH}}$`)

export const generateAccessToken = (): string => randomBase62(LENGTH)

/** @returns undefined for text that is not an access token */
export function hashAccessToken(token: string): string | undefined {
  return TOKEN_PATTERN.test(token) ? hash('sha256', token) : undefined
}

/** @param secretHash the hash of the secret of the client that requested the token */
export async function insertToken(db: Db, tokenHash: string, secretHash: string, now: number): Promise<void> {
  const row = { hash: tokenHash, secret_hash: secretHash, expires_at: now + TOKEN_SECONDS * 1_000 }
  await db.insertInto('access_token').values(row).execute()
}

interface TokenRow extends Omit<AuthenticatedKey, 'expiresAt'> {
  secretEnds: number | null
  tokenEnds: number
}

const findKey = prepareQuery<{ hash: string }, TokenRow>((db, fill) =>
  db
    .selectFrom('access_token')
    .innerJoin('api_key_secret', 'api_key_secret.hash', 'secret_hash')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.key_id')
    .select([
      ...KEY_COLUMNS,
      'api_key_secret.expires_at as secretEnds',
      'access_token.expires_at as tokenEnds',
    ])
    .where('access_token.hash', '=', fill('hash'))
    .where('revoked_at', 'is', null),
)

/** Finds the key of an access token. The result expires with the token or the secret, whichever is first. */
export async function findByToken(db: Db, tokenHash: string): Promise<AuthenticatedKey | undefined> {
  const [row] = await findKey(db, { hash: tokenHash })
  if (!row) return undefined
  const { secretEnds, tokenEnds, ...key } = row
  return { ...key, expiresAt: Math.min(Number(secretEnds ?? tokenEnds), Number(tokenEnds)) }
}

export const expiredTokens = expiryJob({ table: 'access_token', key: 'hash', time: 'expires_at' })
