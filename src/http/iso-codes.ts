// ISO 3166 and ISO 4217 codes, from the Unicode CLDR data in Node.

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
/** Codes that do not name a single country: groups of countries, test codes, and the code for "unknown". */
const NOT_COUNTRIES = /^(?:E[UZ]|UN|QO|X[AB]|ZZ)$/

/** Caches results, at most one per pair of letters, because a lookup takes 30 µs. */
const results = new Map<string, boolean>()

/** Checks whether this is the code of an existing country, in capital letters. */
export function isCountry(code: string): boolean {
  if (!/^[A-Z]{2}$/.test(code)) return false
  const result = results.get(code) ?? isInData(code)
  results.set(code, result)
  return result
}

function isInData(code: string): boolean {
  if (NOT_COUNTRIES.test(code) || REGIONS.of(code) === undefined) return false
  return new Intl.Locale(`und-${code}`).region === code
}

/** Current currencies, and some that were recently replaced. */
export const CURRENCY_CODES: readonly string[] = Intl.supportedValuesOf('currency')

const CURRENCIES = new Set(CURRENCY_CODES)

export const isCurrency = (code: string): boolean => CURRENCIES.has(code)

const SHORT_NAMES: [name: string, code: string][] = [
  ['usa', 'US'],
  ['uk', 'GB'],
]

let byName: Map<string, string> | undefined

/** Finds a country code by English name or code, in any letter case. */
export function findCountryCode(name: string): string | undefined {
  byName ??= new Map([...allCountries(), ...SHORT_NAMES])
  return byName.get(name.trim().toLowerCase())
}

export function listCountryCodes(): string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  return letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry)
}

function allCountries(): [name: string, code: string][] {
  return listCountryCodes().flatMap((code) => [
    [code.toLowerCase(), code],
    [(REGIONS.of(code) as string).toLowerCase(), code],
  ])
}
