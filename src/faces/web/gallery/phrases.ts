import type { Language } from '../../../http/language.ts'
import type { Pet } from '../../../pets/schema.ts'
import { METERS_PER_MILE } from '../../../places/distance.ts'
import { POUND_GRAMS } from '../../../transfer/word-lists.ts'
import { fractionDigitsOf } from '../formats.ts'
import type { Texts } from '../texts/texts.ts'

/** The public data of an animal. */
export type Animal = Omit<Pet, 'staff'> & {
  publishedAt?: string
  statusChangedAt?: string
  updatedAt?: string
}

/** The inputs that the wording of a page depends on. */
export interface Phrasing {
  language: Language
  texts: Texts
  /** Unix time in milliseconds. */
  now: number
}

/** Numbers, dates and units are formatted as in the United States, where most shelters are. */
const LOCALES: Record<Language, string> = { en: 'en-US', es: 'es-US' }

/** Caches Intl formats, because making one takes longer than rendering a card. There are few formats. */
const formats = new Map<string, unknown>()

function cachedFormat<Format>(key: string, make: () => Format): Format {
  const format = (formats.get(key) as Format | undefined) ?? make()
  formats.set(key, format)
  return format
}

function formatOf(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `number ${language} ${Object.values(options).join(' ')}`
  return cachedFormat(key, () => new Intl.NumberFormat(LOCALES[language], options))
}

export const numberWords = (language: Language, number: number): string =>
  formatOf(language, {}).format(number)

/** A value with its unit, such as `3 years` or `2.5 km`. @param unit as in Intl.NumberFormat */
export function unitWords(
  language: Language,
  unit: string,
  value: number,
  display: 'long' | 'short' = 'long',
): string {
  const rounded = Math.round(value * 10) / 10
  const maximumFractionDigits = rounded < 10 ? 1 : 0
  const format = formatOf(language, { style: 'unit', unit, unitDisplay: display, maximumFractionDigits })
  return format.format(rounded)
}

/** The feminine form of a text if the animal is female and the language needs that form. */
export function agree(
  { common }: Pick<Texts, 'common'>,
  words: string,
  { sex }: Pick<Animal, 'sex'>,
): string {
  return (sex === 'female' && common.feminine[words]) || words
}

/** The breed, or else the species or type. @param kind name of the category */
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

/** The age. If the birth date is unknown, the age group. */
export function ageWords(phrasing: Phrasing, animal: Animal): string | undefined {
  const { birthDate, birthDateExact, age } = animal
  const { texts } = phrasing
  if (birthDate === undefined) return age && ageGroupWords(texts, animal)
  const { unit, count } = measureAge(birthDate, phrasing.now)
  const words = unitWords(phrasing.language, unit, count)
  return birthDateExact === false ? texts.gallery.aboutAge(words) : words
}

/** The age in years, or in months or weeks for young animals. */
export function measureAge(
  birthDate: string,
  now: number,
): { unit: 'week' | 'month' | 'year'; count: number } {
  const weeks = Math.max(0, Math.floor((now - Date.parse(birthDate)) / WEEK_MS))
  if (weeks < YOUNG_WEEKS) return { unit: 'week', count: weeks }
  const months = monthsBetween(new Date(birthDate), new Date(now))
  if (months < YOUNG_MONTHS) return { unit: 'month', count: months }
  return { unit: 'year', count: Math.floor(months / 12) }
}

export function ageGroupWords(texts: Texts, animal: Animal): string | undefined {
  const words = animal.age && texts.common.age[animal.age]
  return words && agree(texts, words, animal)
}

export function sizeWords(texts: Texts, animal: Animal): string | undefined {
  const words = animal.size && texts.common.size[animal.size]
  return words && agree(texts, words, animal)
}

function monthsBetween(from: Date, to: Date): number {
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
  return to.getUTCDate() < from.getUTCDate() ? months - 1 : months
}

/** The sex of an animal; undefined if the sex is unknown. */
export function sexWords({ common }: Texts, { sex }: Animal): string | undefined {
  return sex === undefined || sex === 'unknown' ? undefined : common.sex[sex]
}

export interface Address {
  city?: string
  region?: string
  country?: string
}

/** City and region, or city and country if there is no region. */
export function placeWords(language: Language, { city, region, country }: Address = {}): string {
  return [city, region ?? (country && countryWords(language, country))]
    .filter((part) => part !== undefined)
    .join(', ')
}

const TIME = '(?:(?:[01]\\d|2[0-3]):[0-5]\\d|24:00)'
/** Opening hours as the console stores them, such as `10:00-13:00, 16:00-19:00`. */
export const HOURS = new RegExp(`^(?:(?:^|, )${TIME}-${TIME})+$`)

export const NO_BREAK_SPACE = '\u00a0'

/** Opening hours as people in the country write times. Other texts stay unchanged. */
export function hoursWords(language: Language, hours: string, country = 'US'): string {
  if (!HOURS.test(hours)) return hours
  const format = cachedFormat(`time ${language} ${country}`, () => {
    const options = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' } as const
    return new Intl.DateTimeFormat(`${language}-${country}`, options)
  })
  const time = (text: string): string =>
    format.format(Date.parse(`2000-01-01T${text}Z`)).replaceAll(' ', NO_BREAK_SPACE)
  return hours.replaceAll('-', '–').replaceAll(/\d\d:\d\d/g, time)
}

/** The name of a country. @param code ISO 3166-1 alpha-2 */
export function countryWords(language: Language, code: string): string {
  const names = cachedFormat(
    `country ${language}`,
    () => new Intl.DisplayNames(LOCALES[language], { type: 'region' }),
  )
  return names.of(code) ?? code
}

/** A quantity in two units. The unit of the country comes first: in the United States, that is `ofUs`. */
const inBoth = (ofUs: string, metric: string, country: string | undefined): string =>
  country === 'US' ? `${ofUs} (${metric})` : `${metric} (${ofUs})`

/** A distance in kilometers and miles. */
export function distanceWords(language: Language, meters: number, country?: string): string {
  const miles = unitWords(language, 'mile', meters / METERS_PER_MILE, 'short')
  return inBoth(miles, unitWords(language, 'kilometer', meters / 1_000, 'short'), country)
}

/** The distance of an animal. Up to a mile, it is not exact, because public places are rounded. */
export function awayWords(
  { language, texts: { gallery } }: Phrasing,
  meters: number,
  country: string | undefined,
): string {
  const words = distanceWords(language, Math.max(meters, METERS_PER_MILE), country)
  return gallery.away(meters < METERS_PER_MILE ? gallery.lessThan(words) : words)
}

/** A weight in kilograms and pounds. A small weight is in grams and ounces. */
export function weightWords(language: Language, grams: number, country: string | undefined): string {
  const ounces = (grams / POUND_GRAMS) * 16
  const ofUs =
    grams < POUND_GRAMS
      ? unitWords(language, 'ounce', ounces, 'short')
      : unitWords(language, 'pound', grams / POUND_GRAMS, 'short')
  const metric =
    grams < 1_000
      ? unitWords(language, 'gram', grams, 'short')
      : unitWords(language, 'kilogram', grams / 1_000, 'short')
  return inBoth(ofUs, metric, country)
}

/** The country of an animal, which is that of its shelter if the animal has no own place. */
export const countryOf = (
  { place }: Animal,
  shelter?: { address?: Address | undefined },
): string | undefined => place?.country ?? shelter?.address?.country

/** Converts an amount from the smallest unit of its currency to whole units, such as 1050 cents to 10.5. */
export function wholeUnits({ amount, currency }: { amount: number; currency: string }): number {
  return amount / 10 ** cachedFormat(`digits ${currency}`, () => fractionDigitsOf(currency))
}

export function feeWords({ language, texts }: Phrasing, fee: { amount: number; currency: string }): string {
  if (fee.amount === 0) return texts.gallery.free
  const amount = wholeUnits(fee)
  const digits = Number.isInteger(amount) ? 0 : undefined
  return formatOf(language, {
    style: 'currency',
    currency: fee.currency,
    ...(digits !== undefined && { minimumFractionDigits: digits }),
  }).format(amount)
}

/** Formats a list for a sentence, such as `children and dogs`. */
export const listWords = (language: Language, words: string[]): string =>
  cachedFormat(`list ${language}`, () => new Intl.ListFormat(LOCALES[language])).format(words)

export function dateWords(language: Language, date: string, parts: 'day' | 'month' | 'year' = 'day'): string {
  const month = parts === 'year' ? {} : ({ month: 'long' } as const)
  const day = parts === 'day' ? ({ day: 'numeric' } as const) : {}
  const options = { year: 'numeric', timeZone: 'UTC', ...month, ...day } as const
  const format = cachedFormat(
    `date ${language} ${parts}`,
    () => new Intl.DateTimeFormat(LOCALES[language], options),
  )
  return format.format(new Date(date))
}

const DAY_MS = 86_400_000

/**
 * The start of the next day in UTC, in Unix milliseconds. From that time, ages on a page may be out of date.
 */
export const nextDay = (now: number): number => (Math.floor(now / DAY_MS) + 1) * DAY_MS
