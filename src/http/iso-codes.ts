// ISO 3166 and ISO 4217 codes, from the Unicode CLDR data in Node.

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
/** Codes that do not name a single country: groups of countries, test codes, and the code for "unknown". */
const NOT_COUNTRIES = /^(?:E[UZ]|UN|QO|X[AB]|ZZ)$/

/** Checks whether this is the code of an existing country, in capital letters. */
export function isCountry(code: string): boolean {
  if (!/^[A-Z]{2}$/.test(code) || NOT_COUNTRIES.test(code) || REGIONS.of(code) === undefined) return false
  return new Intl.Locale(`und-${code}`).region === code
}

/** Current currencies, and some that were recently replaced. */
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

export const isCurrency = (code: string): boolean => CURRENCIES.has(code)

/** Common names that CLDR does not have. */
const OTHER_NAMES: [name: string, code: string][] = [
  ...['usa', 'united states of america', 'america', 'ee uu', 'eeuu', 'estados unidos de america'].map(
    (name): [string, string] => [name, 'US'],
  ),
  ...['uk', 'great britain', 'england', 'scotland', 'wales', 'gran bretana', 'inglaterra'].map(
    (name): [string, string] => [name, 'GB'],
  ),
  ['holland', 'NL'],
  ['holanda', 'NL'],
  ['czech republic', 'CZ'],
]

let byName: Map<string, string> | undefined

/** No name of a country is longer. The time to fold a text can grow with the square of its length. */
const MAX_NAME_LENGTH = 100

/** Finds a country by its English or Spanish name or its code. Case, accents and dots do not matter. */
export function findCountryCode(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined
  byName ??= new Map([...allCountries(), ...OTHER_NAMES])
  return byName.get(foldName(name))
}

const foldName = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[\p{M}.]+/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

function listCountryCodes(): string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  return letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry)
}

function allCountries(): [name: string, code: string][] {
  const languages = ['en', 'es'].map((language) => new Intl.DisplayNames(language, { type: 'region' }))
  return listCountryCodes().flatMap((code) =>
    [code, ...languages.map((names) => names.of(code) as string)].map((name): [string, string] => [
      foldName(name),
      code,
    ]),
  )
}
