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

/** All tokens of an animal, each once. */
export function tokensOf(row: SearchedRow): string[] {
  const [name, categoryId, status, externalId, organizationId, profile, publicPart, ...rest] = row
  const [hasPhotos, publishedAt, updatedAt] = rest
  const parts = toPublicParts(profile, publicPart) as Parts
  const tokens: string[] = [token('categoryId', categoryId), token('hasPhotos', Boolean(hasPhotos))]
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
  for (const [filter, [member, key]] of Object.entries(TRAIT_FILTERS)) {
    const value = parts[member]?.[key]
    if (value !== undefined) tokens.push(token(filter, value))
  }
  tokens.push(...placeTokens(parts.place, organizationId))
  if (parts.birthDate) tokens.push(...dateTokens('born', parts.birthDate))
  if (publishedAt !== null) tokens.push(...dateTokens('published', dayOf(publishedAt)))
  tokens.push(...dateTokens('updated', dayOf(updatedAt)))
  for (const word of wordsOf(name)) tokens.push(token(NAME_WORD, word))
  for (const word of wordsOf(textOf(name, parts))) tokens.push(token(WORD, word))
  return [...new Set(tokens)]
}

function placeTokens(place: Parts['place'], organizationId: unknown): string[] {
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

/** What an animal has of a filter that compares texts, as it is written. */
export function textsOf(
  filter: string,
  row: SearchedRow | undefined,
  organizations: { id: number; told: Record<string, string> }[],
): string[] {
  if (!row) return []
  const { species, breed, colors, tags, place } = toPublicParts(row[5], row[6]) as Parts
  const there = place ?? organizations.find(({ id }) => String(id) === String(row[4]))?.told ?? {}
  const texts: Record<string, (string | undefined)[] | undefined> = {
    species: [species],
    breed: [breed?.primary, breed?.secondary],
    color: colors,
    tag: tags,
    ...Object.fromEntries(PLACE_FILTERS.map((name) => [name, [there[name]]])),
  }
  return (texts[filter] ?? []).filter((text) => text !== undefined)
}

/** So much of a name decides its order; of names that are alike so far, the id does. */
const SORTED_CHARACTERS = 60

/** Where an animal stands in the orders that are not that of the ids. */
export function keysOf(row: SearchedRow): [sort: string, key: string][] {
  const [name, , , , organizationId, , publicPart, , publishedAt] = row
  const at = placeTokenOf(publicPart, organizationId)
  return [
    ['name', nameKey(name)],
    ['publishedAt', timeKey(publishedAt)],
    ...(at === undefined ? [] : [[AT, at] as [string, string]]),
  ]
}

/** Where an animal is, as near places are looked for. */
export function placeTokenOf(publicPart: string | null, organizationId: unknown): string | undefined {
  const { place } = toPublicParts(null, publicPart) as Parts
  return placeTokens(place, organizationId).find((one) => AT_TOKENS.test(one))
}

const AT_TOKENS = new RegExp(`^(?:${AT}|${AT_ORGANIZATION}):`)

export const nameKey = (name: string): string => [...fold(name)].slice(0, SORTED_CHARACTERS).join('')
/** As text in the order of time; what was never published is first. */
export const timeKey = (ms: number | null): string => String(ms ?? 0).padStart(15, '0')

/** From what is kept of a changed animal. */
export function searchedRowOf(was: string): SearchedRow {
  return JSON.parse(was) as SearchedRow
}
