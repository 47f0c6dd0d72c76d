import { type Html, html } from '../../http/html.ts'
import type { Language } from '../../http/language.ts'
import type { Texts } from './texts/texts.ts'

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

/** The number of digits after the decimal point of a currency; 2 for an unknown one. */
export function fractionDigitsOf(currency: string | undefined): number {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency ?? '' })
    return format.resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
}

/** The name of a category in the language of the page. Only the built-in categories are translated. */
export function categoryLabel({ common }: Pick<Texts, 'common'>, name: string): string {
  const key = name.toLowerCase()
  // Every object inherits a member "constructor", and staff can give a category this name.
  return (Object.hasOwn(common.kinds, key) && common.kinds[key]) || name
}

/** A mailto link. Escapes characters that could add a header to the e-mail (RFC 6068, section 2). */
export function mailLink(email: string): Html {
  const [name = '', domain = ''] = email.split('@')
  return html`<a href="mailto:${encodeURIComponent(name)}@${domain}">${email}</a>`
}

/** The address of a link that opens a new e-mail, in which the person enters the recipient. */
export function mailTextAddress(subject: string, text: string): string {
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(text)}`
}
