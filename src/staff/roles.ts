import { ACCESS_LEVELS, type Access, includesAccess, ROLES, type Role } from '../access.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { EMAIL, ONE_LINE } from '../http/text.ts'

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
  manageWebhooks: 'manager',
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

/** Checks if a person may manage another one of the same organization, whose role must not be higher. */
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

/** A person who gets an account. */
export interface NewPerson {
  email: string
  name: string
  role: Role
  /** Absent for a person who belongs to no organization and manages the complete installation. */
  organizationId?: number | undefined
}

export const MAX_NAME = 200
export const MAX_EMAIL = 254

const IS_EMAIL = new RegExp(EMAIL)
const IS_ONE_LINE = new RegExp(ONE_LINE, 'u')

/** Folds an address for comparison, because providers ignore upper and lower case. */
export function foldEmail(email: string): string {
  return email.trim().toLowerCase()
}

/**
 * Folds the address of an invitation for comparison. The result is unique only within an organization, so
 * only the person who follows the link finds out about an account elsewhere. Addresses contain no space, so
 * this result never equals that of `foldEmail`.
 */
export const foldInvitedEmail = ({
  email,
  organizationId,
}: Pick<NewPerson, 'email' | 'organizationId'>): string => `${organizationId ?? ''} ${foldEmail(email)}`

/** @throws {ApiError} validation_failed, with a detail for each invalid member */
export function requirePerson(person: NewPerson): void {
  const details = findPersonProblems(person)
  if (details.length > 0) throw new ApiError('validation_failed', { details })
}

export function findPersonProblems({ email, name, role, organizationId }: NewPerson): ErrorDetail[] {
  const problems: ErrorDetail[] = []
  if (email.length > MAX_EMAIL || !IS_EMAIL.test(email)) problems.push(invalidMember('email', EMAIL_RULE))
  const isName = IS_ONE_LINE.test(name) && [...name].length <= MAX_NAME
  if (!isName)
    problems.push(invalidMember('name', `Enter a name of 1 to ${MAX_NAME} characters on one line.`))
  if (!ROLES.includes(role)) problems.push(invalidMember('role', `Choose one of: ${ROLES.join(', ')}.`))
  else if (role === 'admin' && organizationId !== undefined) problems.push(invalidMember('role', ADMIN_RULE))
  return problems
}

const EMAIL_RULE = `Enter an e-mail address of at most ${MAX_EMAIL} characters, such as ana@shelter.example.`
const ADMIN_RULE = 'An admin belongs to no organization. Choose another role, or leave out the organization.'

export function invalidMember(member: string, message: string): ErrorDetail {
  return { pointer: `/${member}`, code: 'invalid_value', message }
}
