import { PREFIX } from './pages.ts'

const MOST_CHARACTERS = 2_000

/**
 * Where somebody goes on who was sent to another page first.
 *
 * @param wanted an address as a form or a query has it
 * @returns one of the console, whatever was wanted: nobody is sent to another site
 */
export function returnPath(wanted: unknown, otherwise = `${PREFIX}/`): string {
  if (typeof wanted !== 'string' || wanted.length > MOST_CHARACTERS) return otherwise
  // Browsers read a backslash as a slash, and leave out tabs and line ends.
  if (!wanted.startsWith(`${PREFIX}/`) || /[\\\p{Cc}]/u.test(wanted)) return otherwise
  const { pathname, search } = new URL(wanted, 'http://console.invalid')
  return pathname.startsWith(`${PREFIX}/`) ? pathname + search : otherwise
}
