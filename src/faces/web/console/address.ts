import { ApiError } from '../../../errors.ts'
import { PREFIX } from './pages.ts'
import type { Visit } from './visit.ts'

// Reads ids and paths from addresses and forms.

/** Parses an id or a count. @returns undefined for any other text */
export function wholeNumberOf(text: unknown): number | undefined {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** The ids of a query or a form, where a name may be repeated. Other values are skipped. */
export function idsIn(values: unknown): number[] {
  const ids = [values ?? []].flat().map(wholeNumberOf)
  return [...new Set(ids)].filter((id) => id !== undefined)
}

/** The id in an address. @throws {ApiError} route_not_found if it is not a whole number */
export function pathId({ params }: Visit): number {
  const id = wholeNumberOf(params.id)
  if (id === undefined) throw new ApiError('route_not_found')
  return id
}

const MAX_PATH_LENGTH = 2_000

/**
 * The page to return to, for example after a sign-in.
 *
 * @param address from a form or a query, so it can be hostile
 * @returns always a page of the console, never another site
 */
export function returnPath(address: unknown, otherwise = `${PREFIX}/`): string {
  if (typeof address !== 'string' || address.length > MAX_PATH_LENGTH) return otherwise
  // Browsers read a backslash as a slash and ignore tabs and line ends.
  if (!address.startsWith(`${PREFIX}/`) || /[\\\p{Cc}]/u.test(address)) return otherwise
  const { pathname, search } = new URL(address, 'http://console.invalid')
  return pathname.startsWith(`${PREFIX}/`) ? pathname + search : otherwise
}
