import { hash } from 'node:crypto'
import type { OrganizationPlace } from '../../organizations/places.ts'
import { fold, wordsOf } from '../../search/words.ts'
import { toPublicParts } from '../row.ts'
import { cellsOf } from './cells.ts'
import { ANY_TOKEN } from './question.ts'

/*
 * An animal is found by its tokens. A token is the name of a filter and a value, such as `species:dog`, or a
 * word of its texts, such as `w:calm`. Tokens are made only of what everybody may see, so that no search
 * tells more than that.
 */

/** What of an animal's row is searched. */
export interface SearchedRow {
  id: number
  name: string
  categoryId: number
  status: string | null
  externalId: string | null
  organizationId: number | null
  profile: string | null
  publicPart: string | null
  photos: unknown
  publishedAt: number | null
  updatedAt: number
}

/** The columns of `pet` that hold it. */
export const SEARCHED_COLUMNS = [
  'pet.id',
  'pet.name',
  'pet.category_id as categoryId',
  'pet.status',
  'pet.external_id as externalId',
  'pet.organization_id as organizationId',
  'pet.profile',
  'pet.public_part as publicPart',
  'pet.photos',
  'pet.published_at as publishedAt',
  'pet.updated_at as updatedAt',
] as const

/** Filters that ask for yes or no, and where an animal has the answer. */
export const TRAIT_FILTERS = {
  goodWithChildren: ['goodWith', 'children'],
  goodWithDogs: ['goodWith', 'dogs'],
  goodWithCats: ['goodWith', 'cats'],
  spayedNeutered: ['traits', 'spayedNeutered'],
  houseTrained: ['traits', 'houseTrained'],
  declawed: ['traits', 'declawed'],
  specialNeeds: ['traits', 'specialNeeds'],
  vaccinated: ['traits', 'vaccinated'],
} as const

const TRAITS = Object.entries(TRAIT_FILTERS)
const PLACE_FILTERS = ['country', 'region', 'postcode', 'city'] as const

export type DateFilter = 'born' | 'published' | 'updated'

/** PostgreSQL takes none of more than 2,046 bytes, and a folded text may be 18 times as long as it was. */
const MAX_LENGTH = 100
// biome-ignore lint/suspicious/noControlCharactersInRegex: these separate tokens
const CONTROLS = /[\0-\x1f]/

export const token = (filter: string, value: unknown): string => `${filter}:${value}`

/** Of a text that people write: compared without case and accents. */
export function textToken(filter: string, value: string): string {
  const folded = fold(value)
  const isPlain = folded.length <= MAX_LENGTH && !CONTROLS.test(folded)
  return token(filter, isPlain ? folded : `sha256 ${hash('sha256', folded)}`)
}

/** A word of any text. */
export const WORD = 'w'
/** A word of the name. */
export const NAME_WORD = 'n'
/** Of no organization. */
export const OF_NOBODY = 'ofNobody:true'
/** Where an animal is that has coordinates of its own. */
export const AT = 'at'
/** An animal without a place of its own is where its organization is. */
export const AT_ORGANIZATION = 'atOrganization'

export const atOrganization = (id: unknown): string => token(AT_ORGANIZATION, id)

/** A day, its month and its year, so that a range of days is few tokens. */
function dateTokens(filter: DateFilter, date: string): string[] {
  return [4, 7, 10].map((length) => token(filter, date.slice(0, length)))
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** What everybody sees of an animal's profile. */
interface Parts {
  species?: string
  breed?: { primary?: string; secondary?: string }
  colors?: string[]
  coat?: string
  birthDate?: string
  age?: string
  sex?: string
  size?: string
  description?: string
  traits?: Record<string, boolean>
  goodWith?: Record<string, boolean>
  tags?: string[]
  place?: Partial<Record<(typeof PLACE_FILTERS)[number], string>> & { latitude?: number; longitude?: number }
}

/** What the tables of search keep of an animal. */
export interface Entry {
  id: number
  /** By these it is sorted. */
  name: string
  published: number
  updated: number
  age: string
  /** The token of where it is, by which distances are found. */
  place: string | null
  /** Its values, as they are written, for facets: a line for each of COUNTED, a JSON array or empty. */
  counted: string
  tokens: string[]
}

/** @param organization where an animal is that has no place of its own */
export function entryOf(row: SearchedRow, organization: OrganizationPlace | undefined): Entry {
  const { id, name, organizationId, profile, publicPart, publishedAt, updatedAt } = row
  const parts: Parts = toPublicParts(profile, publicPart)
  const { place, birthDate } = parts
  const there = place ? undefined : organization
  const values = valuesOf(row, parts)
  const at = placeToken(place, organizationId)
  const tokens = new Set([ANY_TOKEN])
  const add = (filter: string, some: Iterable<string>): void => {
    for (const one of some) tokens.add(token(filter, one))
  }
  for (const [filter, some] of Object.entries(values))
    for (const one of some) tokens.add(textToken(filter, one))
  add('age', [parts.age ?? ''])
  if (organizationId === null) tokens.add(OF_NOBODY)
  if (at) tokens.add(at)
  for (const [filter, value] of Object.entries(there?.address ?? {})) tokens.add(textToken(filter, value))
  for (const cell of cellsOf(place ?? there?.point)) tokens.add(cell)
  if (birthDate) for (const one of dateTokens('born', birthDate)) tokens.add(one)
  if (publishedAt !== null) for (const one of dateTokens('published', dayOf(publishedAt))) tokens.add(one)
  for (const one of dateTokens('updated', dayOf(updatedAt))) tokens.add(one)
  add(NAME_WORD, wordsOf(name))
  add(WORD, wordsOf(textOf(name, parts)))
  add(WORD, there?.words ?? [])
  return {
    ...{ id, name: nameKey(name), published: publishedAt ?? 0, updated: updatedAt },
    ...{ age: ageKey(parts), place: at ?? null },
    counted: COUNTED.map((filter) => jsonOf(values[filter])).join('\n'),
    tokens: [...tokens],
  }
}

/** Filters whose values facets count. A new one is added at the end. */
export const COUNTED = [
  ...(['categoryId', 'status', 'organizationId', 'species', 'breed', 'color', 'coat', 'age', 'sex'] as const),
  ...(['size', 'tag', 'hasPhotos', 'country', 'region', 'postcode', 'city'] as const),
  ...(Object.keys(TRAIT_FILTERS) as (keyof typeof TRAIT_FILTERS)[]),
] as const

type Counted = (typeof COUNTED)[number]

const jsonOf = (values: string[]): string => (values.length === 0 ? '' : JSON.stringify(values))

/** What is asked for by value, as it is written. */
function valuesOf(row: SearchedRow, parts: Parts): Record<Counted | 'externalId', string[]> {
  const { categoryId, status, externalId, organizationId, photos } = row
  const { species, breed, colors = [], coat, age, sex, size, tags = [], place } = parts
  const trait = ([member, key]: readonly ['goodWith' | 'traits', string]) => list(parts[member]?.[key])
  const traits = TRAITS.map(([filter, where]) => [filter, trait(where)] as const)
  return {
    categoryId: list(categoryId),
    status: list(status),
    externalId: list(externalId),
    organizationId: list(organizationId),
    hasPhotos: [String(Boolean(photos))],
    species: list(species),
    breed: list(breed?.primary, breed?.secondary),
    color: list(...colors),
    coat: list(coat),
    age: list(age),
    sex: list(sex),
    size: list(size),
    tag: list(...tags),
    country: list(place?.country),
    region: list(place?.region),
    postcode: list(place?.postcode),
    city: list(place?.city),
    ...(Object.fromEntries(traits) as Record<keyof typeof TRAIT_FILTERS, string[]>),
  }
}

/** Those there are; of those that are written differently only, the last. */
function list(...values: unknown[]): string[] {
  const there = values.flatMap((one) =>
    one === undefined || one === null || one === '' ? [] : [String(one)],
  )
  return there.length < 2 ? there : [...new Map(there.map((one) => [fold(one), one])).values()]
}

function placeToken(place: Parts['place'], organizationId: unknown): string | undefined {
  if (!place) return organizationId === null ? undefined : atOrganization(organizationId)
  const { latitude, longitude } = place
  if (latitude === undefined || longitude === undefined) return undefined
  return token(AT, `${latitude.toFixed(2)},${longitude.toFixed(2)}`)
}

/** So much of a name decides its order; of names that are alike so far, the id does. */
const SORTED_CHARACTERS = 60

const nameKey = (name: string): string => [...fold(name)].slice(0, SORTED_CHARACTERS).join('')

const AGES = ['senior', 'adult', 'young', 'baby']

/** The younger, the higher: by age group, and in a group by birth date. Those of no known age are lowest. */
const ageKey = ({ age, birthDate }: Parts): string => `${AGES.indexOf(age ?? '') + 1}${birthDate ?? ''}`

/** What `q` looks into, with line feeds between the texts, which no word spans. */
function textOf(name: string, { breed, description, tags = [], place }: Parts): string {
  const { city, region, postcode, country } = place ?? {}
  const own = [name, breed?.primary, breed?.secondary, ...tags]
  const texts = [...own, city, region, postcode, country, description]
  return texts.filter((text) => text !== undefined).join('\n')
}
