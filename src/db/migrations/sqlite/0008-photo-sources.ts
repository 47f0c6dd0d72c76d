import type { Kysely } from 'kysely'
import { addPhotoSources } from '../photo-sources.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await addPhotoSources(db, 'id integer primary key autoincrement', 'integer')
}
