import { ACCESS_LEVELS, type Access, includesAccess, ROLES, type Role } from '../access.ts'

/** The least role for what people do in the console; a higher one includes it. The one table. */
export const RIGHTS = {
  /** Animals of their organization, also what staff write for each other about them. */
  seeAnimals: 'viewer',
  seeNumbers: 'viewer',
  /** Add, change, remove, photos, import. */
  changeAnimals: 'staff',
  /** Who wants to adopt, and who did: their names and addresses too. */
  seeAdopters: 'staff',
  decideOrders: 'staff',
  decideApplications: 'staff',
  /** People of the organization, up to the own role. */
  managePeople: 'manager',
  manageKeys: 'manager',
  changeOrganization: 'manager',
  /** As createOrganization of the contract, which asks for a key with admin access. */
  addOrganizations: 'admin',
} as const satisfies Record<string, Role>

export type Right = keyof typeof RIGHTS

/** Of the key through which each acts: it decides wherever keys and people may do the same. */
export const ACCESS_OF = {
  viewer: 'read',
  staff: 'write',
  manager: 'write',
  admin: 'admin',
} as const satisfies Record<Role, Access>

export function may(role: Role, right: Right): boolean {
  return rank(role) >= rank(RIGHTS[right])
}

/** Somebody, as far as others may decide about them. */
export interface Position {
  role: Role
  /** Absent for one who belongs to the whole installation. */
  organizationId?: number | undefined
}

/** Whether one may invite, change and remove another: up to the own role, and in the own organization. */
export function mayManage(by: Position, whom: Position): boolean {
  if (!may(by.role, 'managePeople') || rank(whom.role) > rank(by.role)) return false
  return by.organizationId === undefined || by.organizationId === whom.organizationId
}

/** The roles that one may give to others. */
export function rolesUpTo(role: Role): Role[] {
  return ROLES.filter((one) => rank(one) <= rank(role))
}

/** The access that one may give to keys. */
export function accessUpTo(role: Role): Access[] {
  return ACCESS_LEVELS.filter((one) => includesAccess(ACCESS_OF[role], one))
}

/** Whether one may make, rotate and revoke a key: one that may do no more than themselves. */
export function mayManageKey(
  by: Position,
  key: { access: Access; organizationId?: number | undefined },
): boolean {
  if (!may(by.role, 'manageKeys') || !includesAccess(ACCESS_OF[by.role], key.access)) return false
  return by.organizationId === undefined || by.organizationId === key.organizationId
}

function rank(role: Role): number {
  return ROLES.indexOf(role)
}
