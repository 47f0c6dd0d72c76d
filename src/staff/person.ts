import { ROLES, type Role } from '../access.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { EMAIL, ONE_LINE } from '../http/text.ts'

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
export function requirePerson({ email, name, role, organizationId }: NewPerson): void {
  const problems: ErrorDetail[] = []
  if (email.length > MAX_EMAIL || !IS_EMAIL.test(email)) problems.push(invalidMember('email', EMAIL_RULE))
  const isName = IS_ONE_LINE.test(name) && [...name].length <= MAX_NAME
  if (!isName)
    problems.push(invalidMember('name', `Enter a name of 1 to ${MAX_NAME} characters on one line.`))
  if (!ROLES.includes(role)) problems.push(invalidMember('role', `Choose one of: ${ROLES.join(', ')}.`))
  else if (role === 'admin' && organizationId !== undefined) problems.push(invalidMember('role', ADMIN_RULE))
  if (problems.length > 0) throw new ApiError('validation_failed', { details: problems })
}

const EMAIL_RULE = `Enter an e-mail address of at most ${MAX_EMAIL} characters, such as ana@shelter.example.`
const ADMIN_RULE = 'An admin belongs to no organization. Choose another role, or leave out the organization.'

/** The error detail for an invalid member. */
export function invalidMember(member: string, message: string): ErrorDetail {
  return { pointer: `/${member}`, code: 'invalid_value', message }
}
