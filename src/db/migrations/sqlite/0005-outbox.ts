import type { Kysely } from 'kysely'
import { addOutbox } from '../outbox.ts'
import { SQLITE } from '../tables.ts'

export const up = (db: Kysely<unknown>): Promise<void> => addOutbox(db, SQLITE)
