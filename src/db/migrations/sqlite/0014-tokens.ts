import type { Kysely } from 'kysely'
import { addTokens } from '../tokens.ts'

export const up = (db: Kysely<unknown>): Promise<void> => addTokens(db, 'integer', 'strict, without rowid')
