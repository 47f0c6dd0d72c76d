import type { Kysely } from 'kysely'
import { addStaff } from '../staff.ts'

/** A new session was in nobody's memory, and one that was merely seen stays what it was. */
const ENDS = ['update on staff', 'delete on staff', 'delete on staff_session']

export async function up(db: Kysely<unknown>): Promise<void> {
  const types = {
    id: 'id integer primary key autoincrement',
    integer: 'integer',
    options: { rows: 'strict', hashes: 'strict, without rowid' },
  }
  const triggers = ENDS.map(
    (event) => `create trigger ${event.replaceAll(' ', '_')}_is_counted after ${event}
      begin update revision set keys = keys + 1; end`,
  )
  await addStaff(db, types, triggers)
}
