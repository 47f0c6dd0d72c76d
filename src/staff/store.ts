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
