import type { Kysely } from 'kysely'
import { addSearchAreas } from '../search-areas.ts'

export const up = (db: Kysely<unknown>): Promise<void> =>
  addSearchAreas(db, { integer: 'bigint', options: '' })
