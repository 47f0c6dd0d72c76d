import { ANY_TOKEN } from '../search/question.ts'
import { fold, wordsOf } from '../search/words.ts'
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

/** All tokens of an animal, each once. */
export function tokensOf(row: SearchedRow): string[] {
  const [name] = row
  const parts = partsIn(row)
  const tokens = [...new Set(valuesOf(row, parts))]
  for (const word of wordsOf(name)) tokens.push(token(NAME_WORD, word))
  for (const word of wordsOf(textOf(name, parts))) tokens.push(token(WORD, word))
  return tokens
}

/** The same without words, which are most of them. */
export const valueTokensOf = (row: SearchedRow): Set<string> => new Set(valuesOf(row, partsIn(row)))

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
  if (organizationId !== null) tokens.push(token('organizationId', organizationId))
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

/** The organization where an animal is that has these tokens, and no place of its own. */
export function organizationIn(tokens: string[]): number | undefined {
  const beginning = token(AT_ORGANIZATION, '')
  const found = tokens.find((one) => one.startsWith(beginning))
  return found === undefined ? undefined : Number(found.slice(beginning.length))
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

/**
 * What an animal has of a filter that compares texts, as it is written.
 *
 * @param told addresses of organizations by their ids
 */
export function textsOf(
  filter: string,
  row: SearchedRow | undefined,
  told: ReadonlyMap<string, Record<string, string>>,
): string[] {
  if (!row) return []
  const { species, breed, colors, tags, place } = partsIn(row)
  const there: Record<string, unknown> = place ?? told.get(String(row[4])) ?? {}
  const texts: Record<string, unknown[] | undefined> = {
    species: [species],
    breed: [breed?.primary, breed?.secondary],
    color: colors,
    tag: tags,
  }
  const found = PLACE_FILTERS.some((name) => name === filter) ? [there[filter]] : (texts[filter] ?? [])
  return found.filter((text) => typeof text === 'string')
}

/** From what is kept of a changed animal. */
export function searchedRowOf(was: string): SearchedRow {
  return JSON.parse(was) as SearchedRow
}
