import type { Kysely } from 'kysely'
import { addVocabulary } from '../vocabulary.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await addVocabulary(db, 'id integer primary key autoincrement')
}
