import type { Role } from '../access.ts'
import type { Db } from '../db/tables.ts'
import { foldEmail } from './person.ts'

/** Somebody who signs in. */
export interface Staff {
  id: number
  /** Of the key through which they act: history and orders name it. */
  keyId: number
  email: string
  name: string
  role: Role
  organizationId: number | null
  /** The code of their organization. */
  organization: string | null
  /** Null until they have chosen one. */
  password: string | null
  createdAt: number
}

function select(db: Db) {
  return db
    .selectFrom('staff')
    .leftJoin('organization', 'organization.id', 'organization_id')
    .select([
      'staff.id',
      'key_id as keyId',
      'email',
      'staff.name',
      'role',
      'organization_id as organizationId',
    ])
    .select(['code as organization', 'password', 'staff.created_at as createdAt'])
}

/** In the order in which they came: all, or those of one organization, or a page of them. */
export function list(
  db: Db,
  {
    organizationId,
    after,
    limit,
  }: { organizationId?: number | undefined; after?: number; limit?: number } = {},
): Promise<Staff[]> {
  let rows = select(db).orderBy('staff.id')
  if (organizationId !== undefined) rows = rows.where('organization_id', '=', organizationId)
  if (after !== undefined) rows = rows.where('staff.id', '>', after)
  return (limit === undefined ? rows : rows.limit(limit)).execute()
}

export function find(db: Db, id: number): Promise<Staff | undefined> {
  return select(db).where('staff.id', '=', id).executeTakeFirst()
}

export function findByEmail(db: Db, email: string): Promise<Staff | undefined> {
  return select(db).where('folded_email', '=', foldEmail(email)).executeTakeFirst()
}

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
