import type { Kysely } from 'kysely'
import { indexMicrochips } from '../microchips.ts'

export const up = (db: Kysely<unknown>): Promise<void> =>
  indexMicrochips(db, "json_extract(staff_part, '$.staff.microchip')")
