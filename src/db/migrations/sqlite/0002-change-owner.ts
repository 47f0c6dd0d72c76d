import type { Kysely } from 'kysely'
import { addChangeOwner } from '../change-owner.ts'
import { SQLITE } from '../tables.ts'

export const up = (db: Kysely<unknown>): Promise<void> => addChangeOwner(db, SQLITE)
