import type { Kysely } from 'kysely'
import { addStaffSearch } from '../staff-search.ts'

export const up = (db: Kysely<unknown>): Promise<void> => addStaffSearch(db, 'sqlite')
