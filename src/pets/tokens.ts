import { hash } from 'node:crypto'
import type { OrganizationPlace } from '../organizations/places.ts'
import { ANY_TOKEN } from '../search/question.ts'
import { fold, wordsOf } from '../search/words.ts'
import { cellsOf } from './cells.ts'
import { toPublicParts } from './row.ts'

/*
 * What an animal is found by: tokens, each a filter's name and a value. They are made of what everybody
 * may see alone, so that no question tells of anything else. The index is one of tokens; what has changed
 * since is compared by them too.
 */

/** What of an animal's row is searched, in the order in which the store keeps it of changed animals. */
export type SearchedRow = [
  name: string,
  categoryId: unknown,
  status: string | null,
  externalId: string | null,
  organizationId: unknown,
  profile: string | null,
  publicPart: string | null,
  hasPhotos: unknown,
  publishedAt: number | null,
  updatedAt: number,
]

/** Columns of the same, for a query. */
export const SEARCHED_COLUMNS = [
  'name',
  'category_id as categoryId',
  'status',
  'external_id as externalId',
  'organization_id as organizationId',
  'profile',
  'public_part as publicPart',
  'photos',
  'published_at as publishedAt',
  'updated_at as updatedAt',
] as const

/** Filters that an animal has a value of, by what it is of the animal. */
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

const PLACE_FILTERS = ['country', 'region', 'postcode', 'city'] as const

export type DateFilter = 'born' | 'published' | 'updated'

export const token = (filter: string, value: unknown): string => `${filter}:${value}`
export const textToken = (filter: string, value: string): string => token(filter, fold(value))
export const WORD = 'w'
export const NAME_WORD = 'n'
/** Of no organization. */
export const OF_NOBODY = 'ofNobody:true'
/** Where an animal is that has coordinates of its own. */
export const AT = 'at'
/** Where an animal is that has no place of its own: where its organization is. */
export const AT_ORGANIZATION = 'atOrganization'

export function atToken({ latitude, longitude }: { latitude: number; longitude: number }): string {
  return token(AT, `${latitude.toFixed(2)},${longitude.toFixed(2)}`)
}

/** A day, its month and its year: so a range of days is few tokens. */
function dateTokens(filter: DateFilter, date: string): string[] {
  return [4, 7, 10].map((length) => token(filter, date.slice(0, length)))
}

/** What everybody sees of an animal's other members. */
export interface Parts {
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

/** All tokens of an animal, each once. @param organization where it is that has no place of its own */
export function tokensOf(row: SearchedRow, organization: OrganizationPlace | undefined): string[] {
  const [name] = row
  const parts = partsIn(row)
  const there = parts.place ? undefined : organization
  const tokens = new Set(valuesOf(row, parts))
  for (const one of there ? addressTokens(there) : []) tokens.add(one)
  for (const one of cellsOf(parts.place ?? there?.point)) tokens.add(one)
  for (const word of wordsOf(name)) tokens.add(token(NAME_WORD, word))
  for (const word of wordsOf(textOf(name, parts))) tokens.add(token(WORD, word))
  for (const word of there?.words ?? []) tokens.add(token(WORD, word))
  return [...tokens]
}

const addressTokens = ({ address }: OrganizationPlace): string[] =>
  Object.entries(address).map(([filter, value]) => token(filter, value))

/** PostgreSQL takes none of more than 2,046 bytes, and a folded text may be 18 times as long as it was. */
const MAX_BYTES = 200

/** A token as the engines keep it: letters and digits alone. Words are letters and digits already. */
export function wordOf(one: string): string {
  if (one.startsWith(`${WORD}:`) || one.startsWith(`${NAME_WORD}:`)) return one[0] + one.slice(2)
  const bytes = Buffer.from(one)
  return bytes.length > MAX_BYTES ? `y${hash('sha256', bytes)}` : `x${bytes.toString('hex')}`
}

const partsIn = ([, , , , , profile, publicPart]: SearchedRow): Parts => toPublicParts(profile, publicPart)

const TRAITS = Object.entries(TRAIT_FILTERS)

function valuesOf(row: SearchedRow, parts: Parts): string[] {
  const [, categoryId, status, externalId, organizationId, , , hasPhotos, publishedAt, updatedAt] = row
  const tokens = [ANY_TOKEN, token('categoryId', categoryId), token('hasPhotos', Boolean(hasPhotos))]
  const add = (filter: string, value: string | undefined | null): void => {
    if (value !== undefined && value !== null) tokens.push(textToken(filter, value))
  }
  add('status', status)
  add('externalId', externalId)
  tokens.push(organizationId === null ? OF_NOBODY : token('organizationId', organizationId))
  for (const filter of ['species', 'coat', 'sex', 'size'] as const) add(filter, parts[filter])
  tokens.push(token('age', parts.age ?? ''))
  add('breed', parts.breed?.primary)
  add('breed', parts.breed?.secondary)
  for (const color of parts.colors ?? []) add('color', color)
  for (const tag of parts.tags ?? []) add('tag', tag)
  for (const [filter, [member, key]] of TRAITS) {
    const value = parts[member]?.[key]
    if (value !== undefined) tokens.push(token(filter, value))
  }
  tokens.push(...placeTokens(parts.place, organizationId))
  if (parts.birthDate) tokens.push(...dateTokens('born', parts.birthDate))
  if (publishedAt !== null) tokens.push(...dateTokens('published', dayOf(publishedAt)))
  tokens.push(...dateTokens('updated', dayOf(updatedAt)))
  return tokens
}

export function placeTokens(place: Parts['place'], organizationId: unknown): string[] {
  if (!place) return organizationId === null ? [] : [token(AT_ORGANIZATION, organizationId)]
  const tokens = PLACE_FILTERS.flatMap((filter) => {
    const value = place[filter]
    return value === undefined ? [] : [textToken(filter, value)]
  })
  const { latitude, longitude } = place
  if (latitude === undefined || longitude === undefined) return tokens
  return [...tokens, atToken({ latitude, longitude })]
}

/** What `q` looks into, with nothing that a word could reach over. */
function textOf(name: string, { breed, description, tags = [], place }: Parts): string {
  const { city, region, postcode, country } = place ?? {}
  const texts = [
    name,
    breed?.primary,
    breed?.secondary,
    ...tags,
    city,
    region,
    postcode,
    country,
    description,
  ]
  return texts.filter((text) => text !== undefined).join('\n')
}

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

type Told = ReadonlyMap<number, Record<string, string>>

/**
 * What an animal has of each of some filters that can be counted, as it is written.
 *
 * @param told addresses of organizations by their ids
 */
export function valuesIn(row: SearchedRow, filters: string[], told: Told): (string | undefined)[][] {
  const parts = partsIn(row)
  const there = parts.place ?? told.get(Number(row[4]))
  return filters.map((filter) => readerOf(filter)(parts, row, there as Record<string, string> | undefined))
}

type Reader = (
  parts: Parts,
  row: SearchedRow,
  there: Record<string, string> | undefined,
) => (string | undefined)[]

const textOfAny = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value)

const READERS: Record<string, Reader> = {
  categoryId: (_parts, [, categoryId]) => [textOfAny(categoryId)],
  status: (_parts, [, , status]) => [textOfAny(status)],
  organizationId: (_parts, [, , , , organizationId]) => [textOfAny(organizationId)],
  hasPhotos: (_parts, [, , , , , , , hasPhotos]) => [String(Boolean(hasPhotos))],
  breed: ({ breed }) => [breed?.primary, breed?.secondary],
  color: ({ colors = [] }) => colors,
  tag: ({ tags = [] }) => tags,
}

function readerOf(filter: string): Reader {
  const reader = READERS[filter]
  if (reader) return reader
  if (PLACE_FILTERS.some((name) => name === filter)) return (_parts, _row, there) => [there?.[filter]]
  const trait = TRAIT_FILTERS[filter as keyof typeof TRAIT_FILTERS] as [keyof Parts, string] | undefined
  if (trait)
    return (parts) => [textOfAny((parts[trait[0]] as Record<string, boolean> | undefined)?.[trait[1]])]
  return (parts) => [textOfAny(parts[filter as keyof Parts])]
}
