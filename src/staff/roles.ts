import { ACCESS_LEVELS, type Access, includesAccess, ROLES, type Role } from '../access.ts'

/** The lowest role that has each right in the console. Higher roles have it too. */
export const RIGHTS = {
  /** View animals of the person's organization, with the internal notes of staff. */
  seeAnimals: 'viewer',
  seeNumbers: 'viewer',
  /** Add, change and remove animals, change photos, and import files. */
  changeAnimals: 'staff',
  /** View applicants and adopters, with names and addresses. */
  seeAdopters: 'staff',
  decideOrders: 'staff',
  decideApplications: 'staff',
  /** Manage people of the manager's organization whose role is not above the manager's. */
  managePeople: 'manager',
  manageKeys: 'manager',
  changeOrganization: 'manager',
  /** Add organizations. In the API, createOrganization needs a key with admin access. */
  addOrganizations: 'admin',
} as const satisfies Record<string, Role>

export type Right = keyof typeof RIGHTS

/** The access of the key through which a person acts. It applies to everything that keys can do too. */
export const ACCESS_OF = {
  viewer: 'read',
  staff: 'write',
  manager: 'write',
  admin: 'admin',
} as const satisfies Record<Role, Access>

export function may(role: Role, right: Right): boolean {
  return rank(role) >= rank(RIGHTS[right])
}

/** The role and organization, which decide whether a person may manage another person. */
export interface Position {
  role: Role
  /** Absent for a person who belongs to no organization and manages the complete installation. */
  organizationId?: number | undefined
}

/**
 * Checks if a person may invite, change and remove another person. The other person must not have a higher
 * role, and must belong to the same organization.
 */
export function mayManage(by: Position, whom: Position): boolean {
  if (!may(by.role, 'managePeople') || rank(whom.role) > rank(by.role)) return false
  return by.organizationId === undefined || by.organizationId === whom.organizationId
}

/** The roles that a person with this role may give to other people. */
export function rolesUpTo(role: Role): Role[] {
  return ROLES.filter((one) => rank(one) <= rank(role))
}

/** The access that a person with this role may give to keys. */
export function accessUpTo(role: Role): Access[] {
  return ACCESS_LEVELS.filter((one) => includesAccess(ACCESS_OF[role], one))
}

/** True if a person may create, rotate and revoke a key. A key may not do more than the person. */
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
