import type { Kysely } from 'kysely'
import { addPhotos } from '../photos.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await addPhotos(db, 'id integer primary key autoincrement', 'integer')
}
