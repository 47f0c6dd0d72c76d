import { ROLES, type Role } from '../access.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { EMAIL, ONE_LINE } from '../http/text.ts'

/** Somebody who is to get an account. */
export interface NewPerson {
  email: string
  name: string
  role: Role
  /** Absent for one who belongs to the whole installation. */
  organizationId?: number | undefined
}

export const MAX_NAME = 200
export const MAX_EMAIL = 254

const IS_EMAIL = new RegExp(EMAIL)
const IS_ONE_LINE = new RegExp(ONE_LINE, 'u')

/** An address as it is compared: no provider tells accounts apart by the case of letters. */
export function foldEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** @throws {ApiError} validation_failed, with a detail for each member that is wrong */
export function requirePerson({ email, name, role, organizationId }: NewPerson): void {
  const problems: ErrorDetail[] = []
  if (email.length > MAX_EMAIL || !IS_EMAIL.test(email)) problems.push(wrong('email', EMAIL_RULE))
  const isName = IS_ONE_LINE.test(name) && [...name].length <= MAX_NAME
  if (!isName) problems.push(wrong('name', `This must be a name of 1 to ${MAX_NAME} characters in one line.`))
  if (!ROLES.includes(role)) problems.push(wrong('role', `This must be one of: ${ROLES.join(', ')}.`))
  else if (role === 'admin' && organizationId !== undefined) problems.push(wrong('role', ADMIN_RULE))
  if (problems.length > 0) throw new ApiError('validation_failed', { details: problems })
}

const EMAIL_RULE = `This must be an e-mail address of at most ${MAX_EMAIL} characters, such as ana@shelter.example.`
const ADMIN_RULE = 'An admin is for the whole installation, and belongs to no organization.'

/** A problem of one member, as forms show it. */
export function wrong(member: string, message: string): ErrorDetail {
  return { pointer: `/${member}`, code: 'invalid_value', message }
}
