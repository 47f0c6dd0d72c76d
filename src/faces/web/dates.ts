import type { Language } from '../../http/language.ts'

const DAY_MS = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

function format(language: Language, options: Intl.DateTimeFormatOptions, ms: number): string {
  const key = `${language} ${options.timeStyle}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
  formats.set(key, known)
  return known.format(ms)
}

/** Where a reader is, nobody knows here: days and times are those of UTC. */
export const dayIn = (language: Language, ms: number): string => format(language, { dateStyle: 'medium' }, ms)

export const timeIn = (language: Language, ms: number): string =>
  `${format(language, { dateStyle: 'medium', timeStyle: 'short' }, ms)} UTC`

/** Whole days from then to now. */
export const daysSince = (time: string, now: number): number =>
  Math.max(0, Math.floor((now - Date.parse(time)) / DAY_MS))
