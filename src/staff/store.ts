import type { Role } from '../access.ts'
import type { Db } from '../db/tables.ts'
import { foldEmail } from './roles.ts'

export interface Staff {
  id: number
  /** The id of the key through which the person acts. The history and orders refer to this id. */
  keyId: number
  email: string
  name: string
  role: Role
  organizationId: number | null
  /** The code of the organization. */
  organization: string | null
  /** The stored hash; null until the person has chosen a password. */
  password: string | null
  createdAt: number
}

function selectStaff(db: Db) {
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

/** Lists people, oldest account first. @param after the id of the last person on the previous page */
export function list(
  db: Db,
  {
    organizationId,
    after,
    limit,
  }: { organizationId?: number | undefined; after?: number; limit?: number } = {},
): Promise<Staff[]> {
  let rows = selectStaff(db).orderBy('staff.id')
  if (organizationId !== undefined) rows = rows.where('organization_id', '=', organizationId)
  if (after !== undefined) rows = rows.where('staff.id', '>', after)
  return (limit === undefined ? rows : rows.limit(limit)).execute()
}

/** The e-mail addresses of the people who manage the whole installation. */
export async function listAdminEmails(db: Db): Promise<string[]> {
  const admins = selectStaff(db).where('role', '=', 'admin').where('organization_id', 'is', null)
  return (await admins.orderBy('staff.id').execute()).map(({ email }) => email)
}

export function find(db: Db, id: number): Promise<Staff | undefined> {
  return selectStaff(db).where('staff.id', '=', id).executeTakeFirst()
}

/** Finds an account that can sign in. Invited people who have not joined yet appear only in `list`. */
export function findByEmail(db: Db, email: string): Promise<Staff | undefined> {
  return selectStaff(db).where('folded_email', '=', foldEmail(email)).executeTakeFirst()
}

/** The author of a change: a program, a member of staff, or a former member of staff. */
export type ChangeAuthor = { kind: 'key' | 'staff'; name: string } | { kind: 'formerStaff' }

/** Lists the authors of changes by key id. A history or an order contains these key ids. */
export async function listChangeAuthors(db: Db, keyIds: number[]): Promise<Map<number, ChangeAuthor>> {
  if (keyIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('api_key')
    .leftJoin('staff', 'staff.key_id', 'api_key.id')
    .select(['api_key.id', 'for_staff', 'api_key.name as keyName', 'staff.name as staffName'])
    .where('api_key.id', 'in', [...new Set(keyIds)])
    .execute()
  return new Map(rows.map((row) => [row.id, toChangeAuthor(row)]))
}

function toChangeAuthor(row: { for_staff: number; keyName: string; staffName: string | null }): ChangeAuthor {
  if (row.for_staff === 0) return { kind: 'key', name: row.keyName }
  return row.staffName === null ? { kind: 'formerStaff' } : { kind: 'staff', name: row.staffName }
}
