import type { Kysely } from 'kysely'
import { renewIndex } from '../search-words.ts'

export const up = (db: Kysely<unknown>): Promise<void> => renewIndex(db)
