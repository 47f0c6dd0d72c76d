import type { Language } from '../../../http/language.ts'
import type { Pet } from '../../../pets/schema.ts'
import { digitsOf } from '../currency.ts'
import type { Texts } from '../texts/texts.ts'

/** An animal as everybody sees it. */
export type Animal = Omit<Pet, 'staff'> & {
  publishedAt?: string
  statusChangedAt?: string
  updatedAt?: string
}

/** In which words, and as of when, a page tells what it tells. */
export interface Phrasing {
  language: Language
  texts: Texts
  /** Unix time in milliseconds. */
  now: number
}

/** To make such a format takes longer than a card: each is made once. There are few of them. */
const formats = new Map<string, unknown>()

function kept<Format>(key: string, make: () => Format): Format {
  const format = (formats.get(key) as Format | undefined) ?? make()
  formats.set(key, format)
  return format
}

function formatOf(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `number ${language} ${Object.values(options).join(' ')}`
  return kept(key, () => new Intl.NumberFormat(language, options))
}

export const numberWords = (language: Language, number: number): string =>
  formatOf(language, {}).format(number)

/** What was said before: most animals of a page are a few years old, and a few kilometres away. */
const said = new Map<string, string>()
const MAX_SAID = 2_000

function unit(language: Language, name: string, value: number, display: 'long' | 'short' = 'long'): string {
  const rounded = Math.round(value * 10) / 10
  const key = `${language} ${name} ${display} ${rounded}`
  const words = said.get(key) ?? unitWords(language, name, rounded, display)
  if (said.size >= MAX_SAID) said.clear()
  said.set(key, words)
  return words
}

const unitWords = (language: Language, unit: string, value: number, unitDisplay: 'long' | 'short') =>
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

interface Place {
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
  return amount / 10 ** kept(`digits ${currency}`, () => digitsOf(currency))
}

export function feeWords({ language, texts }: Phrasing, fee: { amount: number; currency: string }): string {
  if (fee.amount === 0) return texts.gallery.free
  const whole = wholeUnits(fee)
  const digits = Number.isInteger(whole) ? 0 : undefined
  return formatOf(language, {
    style: 'currency',
    currency: fee.currency,
    ...(digits !== undefined && { minimumFractionDigits: digits }),
  }).format(whole)
}

/** Several things as a sentence has them. */
export const listWords = (language: Language, words: string[]): string =>
  kept(`list ${language}`, () => new Intl.ListFormat(language)).format(words)

export function dateWords(language: Language, date: string, parts: 'day' | 'month' = 'day'): string {
  const day = parts === 'day' ? ({ day: 'numeric' } as const) : {}
  const options = { year: 'numeric', month: 'long', timeZone: 'UTC', ...day } as const
  const format = kept(`date ${language} ${parts}`, () => new Intl.DateTimeFormat(language, options))
  return format.format(new Date(date))
}

const DAY_MS = 86_400_000

/** When what a page says of ages may be no longer right. */
export const nextDay = (now: number): number => (Math.floor(now / DAY_MS) + 1) * DAY_MS
