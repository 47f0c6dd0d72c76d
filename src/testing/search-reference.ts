import { metersBetween, type Point } from '../places/distance.ts'
import { fold, wordsOf } from '../search/words.ts'

// What a search of animals is to find, by looking at each animal: for comparing with the service. Only how
// texts are compared and distances measured is the service's own.

/** An animal as `fields=*,publishedAt,updatedAt` shows it to everybody. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the service shows
export type Seen = Record<string, any> & { id: number; name: string; publishedAt?: string; updatedAt: string }

export interface Shelter {
  id: number
  address?: Record<string, string>
  point?: Point
}

/** Parameters with all their values, and where the place in `near` is. */
export interface SearchedFilters {
  [parameter: string]: string[] | Point | undefined
  point?: Point
}

const TEXTS: Record<string, (animal: Seen) => (string | undefined)[]> = {
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
const FLAGS: Record<string, (animal: Seen) => boolean | undefined> = {
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
  animal: Seen
  meters: number | undefined
  inName: boolean
}

/** Those that fit, in the order that was asked for, as a client gets them page after page. */
export function searchAll(animals: Seen[], shelters: Shelter[], asked: SearchedFilters): Match[] {
  const matches = animals.flatMap((animal) => matchOf(animal, shelters, asked) ?? [])
  const [sort = '-id'] = (asked.sort as string[] | undefined) ?? []
  return matches.sort((one, other) => compare(one, other, sort, asked.q !== undefined))
}

function matchOf(animal: Seen, shelters: Shelter[], asked: SearchedFilters): Match | undefined {
  const shelter = animal.place ? undefined : shelters.find(({ id }) => id === animal.organizationId)
  const place: Record<string, string> = animal.place ?? shelter?.address ?? {}
  const values = (name: string) => asked[name] as string[] | undefined
  const same = (held: (string | undefined)[], wanted: string[]): boolean =>
    wanted.some((value) => held.some((one) => one !== undefined && fold(one) === fold(value)))
  for (const [name, read] of Object.entries(TEXTS)) {
    const wanted = values(name)
    if (wanted && !same(read(animal), wanted)) return undefined
  }
  for (const [name, read] of Object.entries(FLAGS)) {
    const [wanted] = values(name) ?? []
    if (wanted !== undefined && read(animal) !== (wanted === 'true')) return undefined
  }
  for (const name of PLACES) {
    const wanted = values(name)
    if (wanted && !same([place[name]], wanted)) return undefined
  }
  if (!isInTime(animal, values)) return undefined
  const words = wordsAskedBy(values('q')?.[0])
  if (values('q') && words.length === 0) return undefined
  const texts = [animal.name, animal.breed?.primary, animal.breed?.secondary, animal.description]
  const all = [...texts, ...(animal.tags ?? []), ...PLACES.map((name) => place[name])]
  if (!words.every((word) => all.some((text) => hasWord(text, word)))) return undefined
  const there = pointOf(animal) ?? shelter?.point
  const meters = asked.point && there && metersBetween(asked.point, there)
  const within = Number(values('within')?.[0] ?? 160) * 1_000
  if (asked.point && (meters === undefined || meters > within)) return undefined
  return { animal, meters, inName: words.every((word) => hasWord(animal.name, word)) }
}

/** As everybody sees it, whoever asks. */
function pointOf({ place }: Seen): Point | undefined {
  if (place?.latitude === undefined) return undefined
  const rounded = (degrees: number): number => Math.round(degrees * 100) / 100
  return { latitude: rounded(place.latitude), longitude: rounded(place.longitude) }
}

function isInTime(animal: Seen, values: (name: string) => string[] | undefined): boolean {
  const at = (name: string) => Date.parse(values(name)?.[0] ?? '')
  const [born, published, updated] = [animal.birthDate, animal.publishedAt, animal.updatedAt].map((text) =>
    Date.parse(text ?? ''),
  ) as [number, number, number]
  const asks = (name: string): boolean => values(name) !== undefined
  if (asks('bornAfter') && !(born > at('bornAfter'))) return false
  if (asks('bornBefore') && !(born < at('bornBefore'))) return false
  if (asks('publishedAfter') && !(published > at('publishedAfter'))) return false
  if (asks('publishedBefore') && !(published < at('publishedBefore'))) return false
  return !asks('updatedSince') || updated >= at('updatedSince')
}

interface Word {
  text: string
  isBeginning: boolean
}

function wordsAskedBy(q: string | undefined): Word[] {
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
/** Those of no known day of birth are last of their group. */
const compareBirths = (a: Seen, b: Seen): number =>
  (a.birthDate ?? '') < (b.birthDate ?? '') ? 1 : (a.birthDate ?? '') > (b.birthDate ?? '') ? -1 : 0
const time = ({ publishedAt }: Seen): number => Date.parse(publishedAt ?? '') || 0

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

/** How many of the matches have each value of a filter, by the value as it is compared. */
export function countAll(matches: Match[], shelters: Shelter[], facet: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { animal } of matches) {
    const shelter = animal.place ? undefined : shelters.find(({ id }) => id === animal.organizationId)
    const flag = FLAGS[facet]?.(animal)
    const texts = TEXTS[facet]?.(animal) ?? [(animal.place ?? shelter?.address)?.[facet]]
    const held = FLAGS[facet] ? [flag === undefined ? undefined : String(flag)] : texts
    for (const value of new Set(held.flatMap((one) => (one === undefined ? [] : fold(one)))))
      counts[value] = (counts[value] ?? 0) + 1
  }
  return counts
}
