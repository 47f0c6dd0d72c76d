import { isOnlyDayFirst } from './source-row.ts'

// How what was left out of a file is named in the summary, with what kept it out behind it.

const NOT_UNDERSTOOD = ' (not understood)'
export const DAY_FIRST = ' (not understood without --day-first)'

export function notUnderstood([column, text]: [string, string]): string {
  return `${column}${isOnlyDayFirst(text) ? DAY_FIRST : NOT_UNDERSTOOD}`
}

export interface NotUnderstood {
  line: number
  column: string
  value: string
}

/** So many are told with where they are; a file may have millions. */
const MAX_TOLD = 1_000
const LONGEST_VALUE = 60

/** Adds those of a line to the ones that were told so far. */
export function tellNotUnderstood(
  told: NotUnderstood[],
  line: number,
  found: Record<string, string> = {},
): void {
  for (const [column, value] of Object.entries(found)) {
    if (told.length < MAX_TOLD) told.push({ line, column, value: value.slice(0, LONGEST_VALUE) })
  }
}

/** What has a place here, and was not taken as it is. */
export function notFitting(member: string): string {
  return `${member} (not as it has to be)`
}

/** What stands behind such names. */
export const WHY = / \(not [^()]*\)$/

/** What a page of an API says of the others. */
export const PAGES = ['has_more', 'meta.pages']
