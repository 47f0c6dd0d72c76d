import { Worker } from 'node:worker_threads'
import { ApiError } from '../errors.ts'
import { findCountryCode } from '../http/iso-codes.ts'
import { entryOf } from '../source-names.ts'
import { metersBetween, type Point } from './distance.ts'

// Finds coordinates by postal code, or by city together with its region or country.

/** The part of an address that identifies a place. */
export interface PlaceAddress {
  city?: string | undefined
  region?: string | undefined
  postcode?: string | undefined
  country?: string | undefined
}

/** A place as a client sent it. The coordinates may be absent. */
export type PlaceData = { [Name in keyof PlaceAddress]: PlaceAddress[Name] | null } & {
  latitude?: number | null | undefined
  longitude?: number | null | undefined
}

export const PLACE_MEMBERS = ['city', 'region', 'postcode', 'country'] as const

const COORDINATES = /^-?[0-9]{1,2}(?:[.][0-9]{1,12})?,-?[0-9]{1,3}(?:[.][0-9]{1,12})?$/

/** A point, or a region with the distance from its center to its farthest city. */
export interface Region extends Point {
  meters?: number
}

/** The maximum radius of a region. */
const MAX_REGION_METERS = 800_000

/** The distance in meters to search around a place. A region is searched as a whole, up to the maximum. */
export const reachOf = ({ meters = 0 }: Region, within: number): number =>
  Math.max(within, Math.min(meters, MAX_REGION_METERS))

/**
 * Resolves the `near` parameter of a search.
 * @param near latitude and longitude, a postal code, a city that may be followed by its region, country or
 *   both, or a state or province of the United States or Canada
 * @throws {ApiError} invalid_parameter
 */
export async function getPoint(near: string): Promise<Region> {
  const parts = near.split(',').map((part) => part.trim())
  if (COORDINATES.test(parts.join(','))) {
    const [latitude = 0, longitude = 0] = parts.map(Number)
    if (Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180) return { latitude, longitude }
    throw invalidNear(
      'out_of_range',
      'Send a latitude from -90 to 90 degrees and a longitude from -180 to 180.',
    )
  }
  const [first = '', ...rest] = parts
  const country = findCountryCode(rest.at(-1) ?? '')
  const point =
    // A state or province alone is the whole region, even if a city has the same name: Washington, New York.
    (rest.length === 0 ? await locateRegional(parts) : undefined) ??
    (rest.length === 0 || country ? await locate({ postcode: first, country }) : undefined) ??
    // Two letters can be the code of a state or of a country.
    (await locate({ city: first, region: rest[0], country: rest.length > 1 ? country : undefined })) ??
    (country && rest.length === 1 ? await locate({ city: first, country }) : undefined) ??
    (await locateRegional(parts)) ??
    (await locateWithPostcode(parts))
  if (point) return point
  // "Denver/CO", but "Biel/Bienne" is one city.
  if (near.includes('/')) return getPoint(near.replaceAll('/', ','))
  throw invalidNear(
    'invalid_value',
    'This place was not found. Send a latitude and longitude (52.09,5.12), a postal code of the United States or ' +
      'Canada, a city with its state or country (Denver, CO), or a state or province (WA).',
  )
}

const UNITED_STATES_OR_CANADA =
  /^(?:u\.?s\.?(?:a\.?)?|canada) | (?:u\.?s\.?(?:a\.?)?|united states|canada)$/gi
/** The longest names, such as "Newfoundland and Labrador", have three words. An abbreviation may have four. */
const MAX_REGION_WORDS = 4

/**
 * Finds a region, or a city that is followed by its region, with a postal code before or after them: WA,
 * Denver CO, Denver, CO 80202, USA, or 80202, CO. An empty first part is ignored.
 */
async function locateRegional(parts: string[]): Promise<Region | undefined> {
  const text = parts.join(' ').trim().replace(/\s+/g, ' ').replace(UNITED_STATES_OR_CANADA, '')
  const { before, place = '', after } = AROUND_POSTCODE.exec(text)?.groups ?? {}
  const postcode = before ?? after
  if (place === '') return locate({ postcode })
  const names = place.split(' ')
  const { regions } = await lists()
  for (let count = Math.min(names.length, MAX_REGION_WORDS); count > 0; count -= 1) {
    const region = names.slice(-count).join(' ')
    const whole = regions.get(regionKey(region))
    if (!whole) continue
    const city = names.slice(0, -count).join(' ')
    const point = (await locate({ postcode })) ?? (city === '' ? whole : await locate({ city, region }))
    if (point) return point
  }
  return undefined
}

/** A city and its postal codes are not further apart than this. */
export const MAX_CITY_METERS = 80_000

/** Finds a city next to a postal code: 28013 Madrid. The city decides, as codes repeat across countries. */
async function locateWithPostcode(parts: string[]): Promise<Region | undefined> {
  const names = parts.map(withoutPostcode).filter((name) => name !== '')
  if (names.length === 0 || parts.every((part) => part === '' || names.includes(part))) return undefined
  const city = await getPoint(names.join(', '))
  const { before, after } = AROUND_POSTCODE.exec(parts.join(' '))?.groups ?? {}
  const code = await locate({ postcode: before ?? after })
  return code && metersBetween(code, city) < MAX_CITY_METERS ? code : city
}

/** Removes the words with figures at both ends: 1012 AB Amsterdam. */
function withoutPostcode(part: string): string {
  const words = part.split(/\s+/)
  const isCode = (word = ''): boolean => /\d/.test(word)
  const isName = (word: string, index: number): boolean =>
    !isCode(word) && !(index === 1 && isCode(words[0]) && /^[A-Z]{2}$/.test(word))
  return words.slice(words.findIndex(isName), words.findLastIndex(isName) + 1).join(' ')
}

function invalidNear(code: 'out_of_range' | 'invalid_value', message: string): ApiError {
  return new ApiError('invalid_parameter', { details: [{ parameter: 'near', code, message }] })
}

/** @returns the coordinates of a new place; undefined if it has coordinates already or was not found */
export async function findCoordinates(place: PlaceData | undefined): Promise<Point | undefined> {
  if (!place || hasCoordinates(place)) return undefined
  return locateIfPossible(place)
}

/**
 * Finds the coordinates of a place after a patch. Those that a person entered stay unchanged. Those that came
 * from a postal code or city are looked up again.
 * @returns undefined if the coordinates stay; null if the new place was not found
 */
export async function findPatchedCoordinates(
  before: PlaceData,
  patch: PlaceData,
): Promise<Point | null | undefined> {
  if (hasCoordinates(patch) || PLACE_MEMBERS.every((name) => patch[name] === undefined)) return undefined
  if (typeof before.latitude === 'number') {
    const point = await locateIfPossible(before)
    if (point?.latitude !== before.latitude || point.longitude !== before.longitude) return undefined
  }
  const after = Object.fromEntries(
    PLACE_MEMBERS.map((name) => [name, patch[name] === undefined ? before[name] : patch[name]]),
  )
  return (await locateIfPossible(after)) ?? null
}

function hasCoordinates({ latitude, longitude }: PlaceData): boolean {
  return latitude !== undefined || longitude !== undefined
}

/** Finds coordinates, which are optional. If the lists cannot be read, the place is stored without them. */
function locateIfPossible(place: PlaceData): Promise<Point | undefined> {
  const where: PlaceAddress = Object.fromEntries(
    PLACE_MEMBERS.map((name) => [name, place[name] ?? undefined]),
  )
  return locate(where).catch(() => undefined)
}

/** The hashes of all keys in ascending order, and the coordinates of each key at the same index. */
export interface Gazetteer {
  hashes: Float64Array
  latitudes: Float32Array
  longitudes: Float32Array
  /** The regions of the United States and Canada, by `regionKey` of their codes and names. */
  regions: ReadonlyMap<string, Region>
}

let loading: Promise<Gazetteer> | undefined

/** The number of decimal places in the sources, which is precise to about ten meters. */
const DIGITS = 4

/**
 * Finds the coordinates of a postal code, or the center of a city; of several with the same name, the one
 * with the largest population. Uses local lists only. A thread reads these lists at the first lookup, into
 * three arrays of some megabytes.
 * @returns undefined if the place was not found
 */
export async function locate(where: PlaceAddress): Promise<Point | undefined> {
  const keys = keysOf(where)
  if (keys.length === 0) return undefined
  const { hashes, latitudes, longitudes } = await lists()
  for (const key of keys) {
    const at = indexIn(hashes, hashOf(key))
    if (at === undefined) continue
    const rounded = (degrees: number | undefined): number => Number(degrees?.toFixed(DIGITS))
    return { latitude: rounded(latitudes[at]), longitude: rounded(longitudes[at]) }
  }
  return undefined
}

function lists(): Promise<Gazetteer> {
  loading ??= readLists().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

function readLists(): Promise<Gazetteer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entryOf('gazetteer-thread', import.meta.url))
    worker.once('message', resolve).once('error', reject)
    worker.once('exit', () => reject(new Error('the list of places was not read')))
  })
}

function indexIn(sorted: Float64Array, value: number): number | undefined {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((sorted[middle] as number) < value) from = middle + 1
    else to = middle
  }
  return sorted[from] === value ? from : undefined
}

// Builds keys. A key is a normalized text that identifies a place.

/** Normalizes a name. Names that differ only in spelling details, such as accents, become equal. */
function fold(text: string): string {
  if (/^[A-Za-z]+$/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** The abbreviations of states and provinces in letters and the press, besides their codes of two letters. */
const ABBREVIATIONS = new Map(
  (
    'al ala, ak alas, az ariz, ar ark, ca calif cal, co colo col, ct conn, de del, fl fla flor, id ida, il ill, ' +
    'in ind, ks kan kans, ma mass, mi mich, mn minn, ms miss, mt mont, ne neb nebr, nv nev, nm nmex, nd ndak, ' +
    'ok okla, or ore oreg, pa penn penna, sd sdak, tn tenn, tx tex, wa wash, wv wva, wi wis wisc, wy wyo, ' +
    'dc distofcolumbia, ab alta, mb man, nl nfld newfoundland nf nfldlab newfoundlandlabrador, nt nwt ' +
    'northwestterr, nu nun, on ont, pe pei princeedwardisl princeedwardis, qc que pq, sk sask, yt yuk'
  )
    .split(', ')
    .flatMap((line) => {
      const [code = '', ...others] = line.split(' ')
      return others.map((other) => [other, code] as const)
    }),
)
const DIRECTIONS: [RegExp, string][] = [
  [/^(?:n|no) (?=\w{3})/, 'north '],
  [/^(?:s|so) (?=\w{3})/, 'south '],
  [/^w (?=\w{3})/, 'west '],
]

/** Normalizes the name, code or abbreviation of a region: "Colo.", "N. Carolina", "P. E. I." */
export function regionKey(name: string): string {
  const plain = fold(name)
  const letters = plain.replaceAll(' ', '')
  const found = ABBREVIATIONS.get(letters)
  if (found !== undefined) return found
  if (/^(?:[a-z] )+[a-z]$/.test(plain)) return letters
  return DIRECTIONS.reduce((text, [short, long]) => text.replace(short, long), plain)
}
export const postcodeKey = (country: string, code: string): string => `p ${country} ${fold(code)}`
export const cityKey = (name: string, country = '', region = ''): string =>
  `c ${country} ${regionKey(region)} ${fold(name)}`

const US_POSTCODE = /^(\d{5})(?:-\d{4})?$/
const POSTCODE = '\\d{5}(?:-\\d{4})?|[a-z]\\d[a-z](?: ?\\d[a-z]\\d)?'
/** A text that may begin or end with a postcode. */
const AROUND_POSTCODE = new RegExp(
  `^(?:(?<before>${POSTCODE})(?: |$))?(?<place>.*?)(?:(?:^| )(?<after>${POSTCODE}))?$`,
  'i',
)
/** Shortens a Canadian postcode to its first half, because the lists contain only that half. */
const CA_POSTCODE = /^([A-Za-z]\d[A-Za-z])(?: ?\d[A-Za-z]\d)?$/

/** Countries whose regions are known. A region without a country is looked up in these countries. */
const WITH_REGIONS = ['US', 'CA']

/**
 * Returns the keys that may find a place, the most precise first. A region or country must match, or a city
 * of the same name elsewhere would count, and five digits are a postal code in many countries.
 */
function keysOf({ city, region, postcode = '', country }: PlaceAddress): string[] {
  const keys: string[] = []
  const american = US_POSTCODE.exec(postcode)?.[1]
  const canadian = CA_POSTCODE.exec(postcode)?.[1]
  const mayBeAnywhere = country === undefined && city !== undefined
  if (american && !mayBeAnywhere && (country ?? 'US') === 'US') keys.push(postcodeKey('US', american))
  if (canadian && !mayBeAnywhere && (country ?? 'CA') === 'CA') keys.push(postcodeKey('CA', canadian))
  if (city === undefined) return keys
  const countries = country === undefined ? WITH_REGIONS : [country]
  if (region === undefined || !WITH_REGIONS.includes(country ?? 'US'))
    return [...keys, cityKey(city, country)]
  return [...keys, ...countries.map((one) => cityKey(city, one, region))]
}

/** A 53-bit hash, which a number represents exactly. Among some 300,000 keys, collisions are unlikely. */
export function hashOf(key: string): number {
  let [one, other] = [0x811c9dc5, 0x9dc5811c]
  for (let i = 0; i < key.length; i += 1) {
    const code = key.charCodeAt(i)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other ^ code, 0x85ebca6b) ^ (other >>> 13)
  }
  return (one >>> 0) * 0x200000 + ((other >>> 0) & 0x1fffff)
}
