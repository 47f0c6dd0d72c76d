import type { Kysely } from 'kysely'
import { addSearch } from '../search.ts'

export const up = (db: Kysely<unknown>): Promise<void> => addSearch(db, 'postgres')
