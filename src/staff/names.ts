import type { Db } from '../db/tables.ts'

/** Who acts through a key: a program, somebody of the staff, or somebody who was of the staff once. */
export type Doer = { kind: 'key' | 'staff'; name: string } | { kind: 'formerStaff' }

/** Of keys that a history or an order names. */
export async function doersOf(db: Db, keyIds: number[]): Promise<Map<number, Doer>> {
  if (keyIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('api_key')
    .leftJoin('staff', 'staff.key_id', 'api_key.id')
    .select(['api_key.id', 'for_staff', 'api_key.name as keyName', 'staff.name as staffName'])
    .where('api_key.id', 'in', [...new Set(keyIds)])
    .execute()
  return new Map(rows.map((row) => [row.id, doerOf(row)]))
}

function doerOf(row: { for_staff: number; keyName: string; staffName: string | null }): Doer {
  if (row.for_staff === 0) return { kind: 'key', name: row.keyName }
  return row.staffName === null ? { kind: 'formerStaff' } : { kind: 'staff', name: row.staffName }
}
