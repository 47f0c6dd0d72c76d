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

/** What has a place here, and was not taken as it is. */
export function notFitting(member: string): string {
  return `${member} (not as it has to be)`
}

/** What stands behind such names. */
export const WHY = / \(not [^()]*\)$/

/** What a page of an API says of the others. */
export const PAGES = ['has_more', 'meta.pages']
