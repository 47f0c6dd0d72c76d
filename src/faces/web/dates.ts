import type { Language } from '../../http/language.ts'

const DAY_MS = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

function format(language: Language, options: Intl.DateTimeFormatOptions, ms: number): string {
  const key = `${language} ${Object.values(options)}`
  const cached = formats.get(key) ?? new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
  formats.set(key, cached)
  return cached.format(ms)
}

/** Formats a date in UTC, because the reader's time zone is not known. */
export const formatDate = (language: Language, ms: number): string =>
  format(language, { dateStyle: 'medium' }, ms)

export const formatDateTime = (language: Language, ms: number): string =>
  `${format(language, { dateStyle: 'medium', timeStyle: 'short' }, ms)} UTC`

export const formatMonth = (language: Language, month: string, style: 'long' | 'short'): string =>
  format(language, { month: style, year: style === 'long' ? 'numeric' : '2-digit' }, Date.parse(month))

/** The whole days from an ISO time to `now`; 0 for a time in the future. */
export const daysSince = (time: string, now: number): number =>
  Math.max(0, Math.floor((now - Date.parse(time)) / DAY_MS))
