import type { PetSearchTable } from '../../db/animal-tables.ts'
import type { OrganizationPlace } from '../../organizations/places.ts'
import { fold, wordsOf } from '../../search/words.ts'
import { type StoredRow, toPublicParts } from '../row.ts'
import { careStart } from '../rules.ts'
import type { CountedFilter, Pet } from '../schema.ts'
import {
  ANY_TOKEN,
  AT,
  atOrganization,
  cellsOf,
  DATE_LENGTHS,
  DAY_MS,
  type DateFilter,
  dayOf,
  LEFT,
  MAX_NUMBER_LENGTH,
  NAME_WORD,
  NO_ORGANIZATION,
  NO_STATUS,
  NUMBER,
  TRAIT_FILTERS,
  textToken,
  token,
  WORD,
  WORDS,
} from './tokens.ts'

// The entry of an animal in the search index: its tokens and its sort keys.

/** The maximum number of forms of a shelter ID, kennel or microchip. */
const MAX_FORMS = 8

/** @returns every ending that begins with a word: `co1220260153`, `20260153`, `0153` for `CO12-2026-0153` */
function numberForms(text: string): string[] {
  const words = fold(text).match(WORDS) ?? []
  return words.slice(0, MAX_FORMS).map((_, first) => words.slice(first).join('').slice(0, MAX_NUMBER_LENGTH))
}

const [SORTED_NUMBER_CHARACTERS, SORTED_DIGITS] = [60, 12]

/** @returns a sort key: A-9 comes before A-10, and a missing text comes after all others */
function numberKey(text: string | null | undefined): string {
  if (!text) return '1'
  const padded = fold(text).replace(/\d+/g, (digits) => digits.padStart(SORTED_DIGITS, '0'))
  return `0${[...padded].slice(0, SORTED_NUMBER_CHARACTERS).join('')}`
}

const TRAITS = Object.entries(TRAIT_FILTERS)

/** @returns the tokens of a day, its month and its year, so a range of days needs few tokens */
function dateTokens(filter: DateFilter, date: string): string[] {
  return DATE_LENGTHS.map((length) => token(filter, date.slice(0, length)))
}

/** The public parts of an animal's profile. */
type Parts = Partial<Pet>

/** The entry of an animal in the search index. `counted` has one line for each filter in COUNTED. */
export interface IndexEntry extends Omit<PetSearchTable, 'pet_id' | 'tokens'> {
  id: number
  tokens: string[]
}

/** @param organization the location for an animal without its own place */
export function entryOf(row: StoredRow, organization: OrganizationPlace | undefined): IndexEntry {
  const { id, name, status, organizationId, profile, publicPart, publishedAt, updatedAt } = row
  const staff = staffIn(row.staffPart)
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
  if (organizationId === null) tokens.add(NO_ORGANIZATION)
  if (status === null) tokens.add(staff.outcomeKind ? LEFT : NO_STATUS)
  for (const text of [row.externalId, staff.kennel, staff.microchip]) add(NUMBER, numberForms(text ?? ''))
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
    ...{ number: numberKey(row.externalId), kennel: numberKey(staff.kennel) },
    intake: intakeKey(row, staff),
    counted: COUNTED.map((filter) => jsonOf(values[filter])).join('\n'),
    tokens: [...tokens],
  }
}

/** The sort key of animals that are not in care. */
const LAST_INTAKE = 999_999

/** @returns the day from which days in care count, as a number of days since 1970 */
function intakeKey(
  { status, createdAt, publishedAt }: StoredRow,
  { intakeDate, outcomeKind }: NonNullable<Pet['staff']>,
): number {
  const start = careStart({ intakeDate, createdAt, publishedAt })
  const hasLeft = status === 'sold' || outcomeKind !== undefined
  return hasLeft || start === undefined ? LAST_INTAKE : Date.parse(start) / DAY_MS
}

/** @returns the members that only staff see */
function staffIn(staffPart: string | null): NonNullable<Pet['staff']> {
  return staffPart?.includes('"staff":') ? (JSON.parse(staffPart).staff ?? {}) : {}
}

/** Filters that facets count, in the order of their lines in `counted`. Add new filters at the end. */
const COUNTED_FILTERS: Record<CountedFilter, unknown> = {
  ...{ categoryId: 1, status: 1, organizationId: 1, species: 1, breed: 1, color: 1, coat: 1, age: 1, sex: 1 },
  ...{ size: 1, tag: 1, hasPhotos: 1, country: 1, region: 1, postcode: 1, city: 1 },
  ...TRAIT_FILTERS,
}

export const COUNTED = Object.keys(COUNTED_FILTERS) as CountedFilter[]

const jsonOf = (values: string[]): string => (values.length === 0 ? '' : JSON.stringify(values))

/** @returns the values of an animal by filter, in the spelling of the animal */
function valuesOf(row: StoredRow, parts: Parts): Record<CountedFilter | 'externalId', string[]> {
  const { categoryId, status, externalId, organizationId, photos } = row
  const { species, breed, colors = [], coat, age, sex, size, tags = [], place } = parts
  const trait = ([member, key]: readonly ['goodWith' | 'traits', string]) =>
    list((parts[member] as Record<string, boolean> | undefined)?.[key])
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

/** Removes empty values. If several values fold to the same text, keeps only the last of them. */
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

/** Lists sort names by this many characters, and then by id. */
const SORTED_CHARACTERS = 60

const nameKey = (name: string): string => [...fold(name)].slice(0, SORTED_CHARACTERS).join('')

const AGES = ['senior', 'adult', 'young', 'baby']

/** @returns a sort key of age group and birth date: higher for younger animals, lowest if unknown */
const ageKey = ({ age, birthDate }: Parts): string => `${AGES.indexOf(age ?? '') + 1}${birthDate ?? ''}`

/** @returns the texts that `q` searches, separated by line feeds. No word contains a line feed */
function textOf(name: string, { breed, description, tags = [], place }: Parts): string {
  const { city, region, postcode, country } = place ?? {}
  const own = [name, breed?.primary, breed?.secondary, ...tags]
  const texts = [...own, city, region, postcode, country, description]
  return texts.filter((text) => text !== undefined).join('\n')
}
