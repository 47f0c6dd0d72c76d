import type { Language } from '../language.ts'
import type { Texts } from '../texts/texts.ts'
import type { Animal } from './animal.ts'

/** In which words, and as of when, a page tells what it tells. */
export interface Phrasing {
  language: Language
  texts: Texts
  /** Unix time in milliseconds. */
  now: number
}

const formats = new Map<string, Intl.NumberFormat>()

/** To make one takes longer than a card. */
function formatOf(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language} ${Object.values(options).join(' ')}`
  const format = formats.get(key) ?? new Intl.NumberFormat(language, options)
  // Currencies are a few hundred.
  formats.set(key, format)
  return format
}

export const numberWords = (language: Language, number: number): string =>
  formatOf(language, {}).format(number)

const unit = (language: Language, unit: string, value: number, unitDisplay: 'long' | 'short' = 'long') =>
  formatOf(language, { style: 'unit', unit, unitDisplay, maximumFractionDigits: value < 10 ? 1 : 0 }).format(
    value,
  )

/** Mostly one word: a breed, or what kind of animal it is. */
export function breedWords({ gallery }: Texts, animal: Animal, kind: string): string {
  const { primary, secondary, mixed, unknown } = animal.breed ?? {}
  if (unknown) return gallery.unknownBreed(animal.species ?? kind)
  if (primary === undefined) return animal.species ?? kind
  if (secondary !== undefined) return gallery.mix(`${primary} / ${secondary}`)
  return mixed ? gallery.mix(primary) : primary
}

/** The name of a category: those that every store begins with have one in every language. */
export function kindWords({ gallery }: Texts, name: string): string {
  return gallery.kinds[name.toLowerCase()] ?? name
}

const YOUNG_WEEKS = 12
const YOUNG_MONTHS = 24
const WEEK_MS = 7 * 86_400_000

/** In years where its birth date is known, for the young in months or weeks; else its age group. */
export function ageWords({ language, texts, now }: Phrasing, animal: Animal): string | undefined {
  const { birthDate, age } = animal
  if (birthDate === undefined) return age && texts.common.age[age]
  const weeks = Math.max(0, Math.floor((now - Date.parse(birthDate)) / WEEK_MS))
  if (weeks < YOUNG_WEEKS) return unit(language, 'week', weeks)
  const months = monthsBetween(new Date(birthDate), new Date(now))
  if (months < YOUNG_MONTHS) return unit(language, 'month', months)
  return unit(language, 'year', Math.floor(months / 12))
}

function monthsBetween(from: Date, to: Date): number {
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
  return to.getUTCDate() < from.getUTCDate() ? months - 1 : months
}

/** Undefined where nobody knows. */
export function sexWords({ common }: Texts, { sex }: Animal): string | undefined {
  return sex === undefined || sex === 'unknown' ? undefined : common.sex[sex]
}

export interface Place {
  city?: string
  region?: string
  country?: string
}

export function placeWords({ city, region, country }: Place = {}): string {
  return [city, region ?? country].filter((part) => part !== undefined).join(', ')
}

const METERS_OF_MILE = 1_609.344

/** In kilometres; where English is read, in miles too. */
export function distanceWords(language: Language, meters: number): string {
  const kilometers = unit(language, 'kilometer', meters / 1_000, 'short')
  return language === 'en'
    ? `${kilometers} (${unit(language, 'mile', meters / METERS_OF_MILE, 'short')})`
    : kilometers
}

export function weightWords(language: Language, grams: number): string {
  if (grams < 1_000) return unit(language, 'gram', grams, 'short')
  const kilograms = unit(language, 'kilogram', grams / 1_000, 'short')
  return language === 'en'
    ? `${kilograms} (${unit(language, 'pound', grams / 453.592_37, 'short')})`
    : kilograms
}

/** A sum in the smallest unit of its currency, as a number of the whole ones. */
export function wholeUnits({ amount, currency }: { amount: number; currency: string }): number {
  const { maximumFractionDigits = 2 } = formatOf('en', { style: 'currency', currency }).resolvedOptions()
  return amount / 10 ** maximumFractionDigits
}

export function feeWords({ language, texts }: Phrasing, fee: { amount: number; currency: string }): string {
  if (fee.amount === 0) return texts.gallery.free
  const whole = wholeUnits(fee)
  const digits = Number.isInteger(whole) ? 0 : undefined
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency: fee.currency,
    ...(digits !== undefined && { minimumFractionDigits: digits }),
  }).format(whole)
}

export function dateWords(language: Language, date: string, parts: 'day' | 'month' = 'day'): string {
  const options = { year: 'numeric', month: 'long', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(language, {
    ...options,
    ...(parts === 'day' && { day: 'numeric' }),
  }).format(new Date(date))
}

const DAY_MS = 86_400_000

/** When what a page says of ages may be no longer right. */
export const nextDay = (now: number): number => (Math.floor(now / DAY_MS) + 1) * DAY_MS
