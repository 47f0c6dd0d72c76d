import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../../errors.ts'
import { PREFIX } from './pages.ts'

// Reads ids and paths from addresses and forms.

/** An id or a count in a form or an address. */
export function wholeNumberOf(text: unknown): number | undefined {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** The id in an address. @throws {ApiError} route_not_found for a text that can be no id */
export function pathId({ params }: FastifyRequest): number {
  const id = wholeNumberOf((params as { id?: string }).id)
  if (id === undefined) throw new ApiError('route_not_found')
  return id
}

const MAX_PATH_LENGTH = 2_000

/**
 * The page to return to after another page, such as the sign-in.
 *
 * @param wanted an address from a form or a query
 * @returns always a page of the console: nobody is sent to another site
 */
export function returnPath(wanted: unknown, otherwise = `${PREFIX}/`): string {
  if (typeof wanted !== 'string' || wanted.length > MAX_PATH_LENGTH) return otherwise
  // Browsers read a backslash as a slash, and leave out tabs and line ends.
  if (!wanted.startsWith(`${PREFIX}/`) || /[\\\p{Cc}]/u.test(wanted)) return otherwise
  const { pathname, search } = new URL(wanted, 'http://console.invalid')
  return pathname.startsWith(`${PREFIX}/`) ? pathname + search : otherwise
}
