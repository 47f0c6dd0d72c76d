// Codes of ISO 3166 and ISO 4217, as Node's own data (Unicode CLDR) have them.

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
/** Of groups of countries, of tests, and of nothing: they name no country. */
const NO_COUNTRY = /^(?:E[UZ]|UN|QO|X[AB]|ZZ)$/

/** What was asked for, at most all pairs of letters: the data takes 30 µs for each. */
const known = new Map<string, boolean>()

/** Whether it is the code of a country that is there today, in capital letters. */
export function isCountry(code: string): boolean {
  if (!/^[A-Z]{2}$/.test(code)) return false
  const is = known.get(code) ?? isInData(code)
  known.set(code, is)
  return is
}

function isInData(code: string): boolean {
  if (NO_COUNTRY.test(code) || REGIONS.of(code) === undefined) return false
  return new Intl.Locale(`und-${code}`).region === code
}

/** Of today and of some that are gone lately. */
export const CURRENCY_CODES: readonly string[] = Intl.supportedValuesOf('currency')

const CURRENCIES = new Set(CURRENCY_CODES)

export const isCurrency = (code: string): boolean => CURRENCIES.has(code)

const SHORT_NAMES: [name: string, code: string][] = [
  ['usa', 'US'],
  ['uk', 'GB'],
]

let byName: Map<string, string> | undefined

/** The code of a country that is named by its English name or its code, whatever the case. */
export function countryNamed(name: string): string | undefined {
  byName ??= new Map([...allCountries(), ...SHORT_NAMES])
  return byName.get(name.trim().toLowerCase())
}

export function countryCodes(): string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  return letters.flatMap((one) => letters.map((other) => one + other)).filter(isCountry)
}

function allCountries(): [name: string, code: string][] {
  return countryCodes().flatMap((code) => [
    [code.toLowerCase(), code],
    [(REGIONS.of(code) as string).toLowerCase(), code],
  ])
}
