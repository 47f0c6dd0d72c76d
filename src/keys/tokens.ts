import { hash } from 'node:crypto'
import { changes } from '../db/change.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { inSteps, type Job } from '../jobs/job.ts'
import { KEY_COLUMNS, type OpenedKey } from './find-by-hash.ts'
import { randomBase62 } from './key-format.ts'

// Access tokens: for an hour they stand for the client that asked for them, and end with its key.

export const TOKEN_SECONDS = 3_600
/** 238 bits. */
const LENGTH = 40
const FORM = new RegExp(`^[0-9A-Za-z]{${LENGTH}}$`)

export const generateToken = (): string => randomBase62(LENGTH)

/** @returns undefined for what can be none */
export function hashOfToken(token: string): string | undefined {
  return FORM.test(token) ? hash('sha256', token) : undefined
}

/** @param secretHash of the client that asked for it */
export async function insertToken(db: Db, tokenHash: string, secretHash: string, now: number): Promise<void> {
  const row = { hash: tokenHash, secret_hash: secretHash, expires_at: now + TOKEN_SECONDS * 1_000 }
  await db.insertInto('access_token').values(row).execute()
}

interface OpenedRow extends Omit<OpenedKey, 'expiresAt'> {
  secretEnds: number | null
  tokenEnds: number
}

const findOpened = prepared<{ hash: string }, OpenedRow>((db, fill) =>
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

/** The key that a token stands for, until the token or its client's secret ends. */
export async function findByToken(db: Db, tokenHash: string): Promise<OpenedKey | undefined> {
  const [row] = await findOpened(db, { hash: tokenHash })
  if (!row) return undefined
  const { secretEnds, tokenEnds, ...key } = row
  return { ...key, expiresAt: Math.min(Number(secretEnds ?? tokenEnds), Number(tokenEnds)) }
}

/** Removes what opens nothing any more. */
export const expiredTokens: Job = {
  async isDue({ db, clock }) {
    const over = db.selectFrom('access_token').select('hash').where('expires_at', '<=', clock())
    return (await over.limit(1).executeTakeFirst()) !== undefined
  },
  run: ({ write, clock }, mayGoOn) => inSteps(() => write(changes.removeExpiredTokens, clock()), mayGoOn),
}

const STEP = 1_000

/** @returns whether there may be more */
export async function removeExpiredTokens(db: Db, now: number): Promise<boolean> {
  const over = db.selectFrom('access_token').select('hash').where('expires_at', '<=', now)
  const { numDeletedRows } = await db
    .deleteFrom('access_token')
    .where('hash', 'in', over.orderBy('expires_at').limit(STEP))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows) === STEP
}
