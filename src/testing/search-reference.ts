import { metersBetween, type Point } from '../places/distance.ts'
import { fold, wordsOf } from '../search/words.ts'

// A reference implementation of the search that reads each animal. It shares only the comparison of texts and
// the measuring of distances with the service.

/** An animal as `fields=*,publishedAt,updatedAt` returns it for a key without an organization. */
// biome-ignore lint/suspicious/noExplicitAny: members of any type
export type ListedPet = Record<string, any> & {
  id: number
  name: string
  publishedAt?: string
  updatedAt: string
}

export interface Shelter {
  id: number
  address?: Record<string, string>
  point?: Point
}

/** The values of each parameter, and the coordinates of `near`. */
export interface SearchedFilters {
  [parameter: string]: string[] | Point | undefined
  point?: Point
}

const TEXTS: Record<string, (animal: ListedPet) => (string | undefined)[]> = {
  status: ({ status }) => [status],
  species: ({ species }) => [species],
  breed: ({ breed }) => [breed?.primary, breed?.secondary],
  color: ({ colors }) => colors ?? [],
  coat: ({ coat }) => [coat],
  age: ({ age }) => [age],
  sex: ({ sex }) => [sex],
  size: ({ size }) => [size],
  tag: ({ tags }) => tags ?? [],
  externalId: ({ externalId }) => [externalId],
  categoryId: ({ categoryId }) => [String(categoryId)],
  organizationId: ({ organizationId }) => [organizationId && String(organizationId)],
}
const FLAGS: Record<string, (animal: ListedPet) => boolean | undefined> = {
  goodWithChildren: ({ goodWith }) => goodWith?.children,
  goodWithDogs: ({ goodWith }) => goodWith?.dogs,
  goodWithCats: ({ goodWith }) => goodWith?.cats,
  spayedNeutered: ({ traits }) => traits?.spayedNeutered,
  houseTrained: ({ traits }) => traits?.houseTrained,
  declawed: ({ traits }) => traits?.declawed,
  specialNeeds: ({ traits }) => traits?.specialNeeds,
  vaccinated: ({ traits }) => traits?.vaccinated,
  hasPhotos: ({ photos }) => photos !== undefined,
}
const PLACES = ['country', 'region', 'postcode', 'city']

export interface Match {
  animal: ListedPet
  meters: number | undefined
  inName: boolean
}

/** Finds all matches, in the requested order. */
export function searchAll(animals: ListedPet[], shelters: Shelter[], filters: SearchedFilters): Match[] {
  const matches = animals.flatMap((animal) => matchOf(animal, shelters, filters) ?? [])
  const [sort = '-id'] = (filters.sort as string[] | undefined) ?? []
  return matches.sort((one, other) => compare(one, other, sort, filters.q !== undefined))
}

function matchOf(animal: ListedPet, shelters: Shelter[], filters: SearchedFilters): Match | undefined {
  const shelter = animal.place ? undefined : shelters.find(({ id }) => id === animal.organizationId)
  const place: Record<string, string> = animal.place ?? shelter?.address ?? {}
  const values = (name: string) => filters[name] as string[] | undefined
  const same = (present: (string | undefined)[], expected: string[]): boolean =>
    expected.some((value) => present.some((one) => one !== undefined && fold(one) === fold(value)))
  for (const [name, read] of Object.entries(TEXTS)) {
    const expected = values(name)
    if (expected && !same(read(animal), expected)) return undefined
  }
  for (const [name, read] of Object.entries(FLAGS)) {
    const [expected] = values(name) ?? []
    if (expected !== undefined && read(animal) !== (expected === 'true')) return undefined
  }
  for (const name of PLACES) {
    const expected = values(name)
    if (expected && !same([place[name]], expected)) return undefined
  }
  if (!isInTime(animal, values)) return undefined
  const words = wordsOfQuery(values('q')?.[0])
  if (values('q') && words.length === 0) return undefined
  const texts = [animal.name, animal.breed?.primary, animal.breed?.secondary, animal.description]
  const all = [...texts, ...(animal.tags ?? []), ...PLACES.map((name) => place[name])]
  if (!words.every((word) => all.some((text) => hasWord(text, word)))) return undefined
  const point = pointOf(animal) ?? shelter?.point
  const meters = filters.point && point && metersBetween(filters.point, point)
  const within = Number(values('within')?.[0] ?? 160) * 1_000
  if (filters.point && (meters === undefined || meters > within)) return undefined
  return { animal, meters, inName: words.every((word) => hasWord(animal.name, word)) }
}

/** The public, rounded coordinates. */
function pointOf({ place }: ListedPet): Point | undefined {
  if (place?.latitude === undefined) return undefined
  const rounded = (degrees: number): number => Math.round(degrees * 100) / 100
  return { latitude: rounded(place.latitude), longitude: rounded(place.longitude) }
}

function isInTime(animal: ListedPet, values: (name: string) => string[] | undefined): boolean {
  const at = (name: string) => Date.parse(values(name)?.[0] ?? '')
  const [born, published, updated] = [animal.birthDate, animal.publishedAt, animal.updatedAt].map((text) =>
    Date.parse(text ?? ''),
  ) as [number, number, number]
  const has = (name: string): boolean => values(name) !== undefined
  if (has('bornAfter') && !(born > at('bornAfter'))) return false
  if (has('bornBefore') && !(born < at('bornBefore'))) return false
  if (has('publishedAfter') && !(published > at('publishedAfter'))) return false
  if (has('publishedBefore') && !(published < at('publishedBefore'))) return false
  return !has('updatedSince') || updated >= at('updatedSince')
}

interface Word {
  text: string
  isBeginning: boolean
}

function wordsOfQuery(q: string | undefined): Word[] {
  if (q === undefined) return []
  const last = /[\p{L}\p{M}\p{N}]+$/u.exec(fold(q).trimEnd())?.[0]
  const open = wordsOf(last ?? '').at(-1) ?? ''
  return wordsOf(q).map((text) => ({ text, isBeginning: text === open && [...open].length >= 3 }))
}

function hasWord(text: string | undefined, { text: word, isBeginning }: Word): boolean {
  return wordsOf(text ?? '').some((one) => (isBeginning ? one.startsWith(word) : one === word))
}

const AGES = ['baby', 'young', 'adult', 'senior', undefined]
const bytes = (name: string): Buffer => Buffer.from([...fold(name)].slice(0, 60).join(''))
/** Animals without a birth date come last in their age group. */
const compareBirths = (a: ListedPet, b: ListedPet): number =>
  (a.birthDate ?? '') < (b.birthDate ?? '') ? 1 : (a.birthDate ?? '') > (b.birthDate ?? '') ? -1 : 0
const time = ({ publishedAt }: ListedPet): number => Date.parse(publishedAt ?? '') || 0

function compare(one: Match, other: Match, sort: string, byWords: boolean): number {
  const [a, b] = [one.animal, other.animal]
  if (sort === 'id') return a.id - b.id
  if (sort === 'name') return Buffer.compare(bytes(a.name), bytes(b.name)) || a.id - b.id
  if (sort === 'publishedAt') return time(a) - time(b) || a.id - b.id
  if (sort === '-publishedAt') return time(b) - time(a) || b.id - a.id
  if (sort === 'distance') return (one.meters ?? 0) - (other.meters ?? 0) || a.id - b.id
  if (sort === 'age') return AGES.indexOf(a.age) - AGES.indexOf(b.age) || compareBirths(a, b) || b.id - a.id
  return (byWords ? Number(other.inName) - Number(one.inName) : 0) || b.id - a.id
}

/** Counts the matches by the folded values of a facet. */
export function countAll(matches: Match[], shelters: Shelter[], facet: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { animal } of matches) {
    const shelter = animal.place ? undefined : shelters.find(({ id }) => id === animal.organizationId)
    const flag = FLAGS[facet]?.(animal)
    const texts = TEXTS[facet]?.(animal) ?? [(animal.place ?? shelter?.address)?.[facet]]
    const facetValues = FLAGS[facet] ? [flag === undefined ? undefined : String(flag)] : texts
    for (const value of new Set(facetValues.flatMap((one) => (one === undefined ? [] : fold(one)))))
      counts[value] = (counts[value] ?? 0) + 1
  }
  return counts
}
