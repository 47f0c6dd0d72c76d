import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/tables.ts'
import type { View } from '../../http/caller.ts'
import { cachedByVersion } from '../../http/page-cache.ts'
import { yieldToEventLoop } from '../../http/turns.ts'
import { createOrganizationCache } from '../../organizations/list.ts'
import { ADDRESS_FILTERS } from '../../organizations/places.ts'
import type { StoredOrganization } from '../../organizations/store.ts'
import { latitudesAround, metersBetween, type Point } from '../../places/distance.ts'
import { getPoint, type Region, reachOf } from '../../places/gazetteer.ts'
import { fold, wordsOf } from '../../search/words.ts'
import type { PetQuery } from '../schema.ts'
import {
  AT,
  atOrganization,
  bareNumber,
  type Clause,
  cellsNear,
  DAY_MS,
  type DateFilter,
  daysBetween,
  LEFT,
  NAME_WORD,
  NO_ORGANIZATION,
  NO_STATUS,
  NUMBER,
  type TokenQuery,
  TRAIT_FILTERS,
  textToken,
  token,
  WORD,
} from './tokens.ts'

// Translates the filters of a query to tokens. An animal must have these tokens.

export type Filters = Omit<PetQuery, 'cursor' | 'fields' | 'limit' | 'sort' | 'id'> & {
  /** Words in the name, or prefixes of words in the name. */
  name?: string | undefined
  /** Beginnings of a breed. An animal must have a breed that begins with one of them. */
  breedPrefix?: string[] | undefined
  /** Restricts the result to animals without an organization. */
  hasNoOrganization?: true | undefined
  /** Restricts the result to animals without a status, which have left or not. */
  withoutStatus?: 'left' | 'unlisted' | undefined
}

/** Filters whose values are compared exactly. */
const EXACT = ['categoryId', 'organizationId'] as const
/** Filters whose values are compared without case and accents. */
const TEXTS = [
  ...(['status', 'species', 'breed', 'color', 'coat', 'age', 'sex', 'size', 'tag', 'externalId'] as const),
  ...ADDRESS_FILTERS,
]
const YES_OR_NO = [...Object.keys(TRAIT_FILTERS), 'hasPhotos'] as (keyof typeof TRAIT_FILTERS | 'hasPhotos')[]
/** Filters that compare times. The tokens have only the day of these times. */
const MOMENTS = ['publishedAfter', 'publishedBefore', 'updatedSince'] as const

/** The exact values of an animal. The tokens contain only days and grid cells. */
interface ExactValues {
  publishedAt: number | null
  updatedAt: number
  /** The token of the animal's place. */
  place: string | null
}

export interface Criteria {
  tokenQuery: TokenQuery
  /** Clauses that match animals whose name has all words of `q`. These animals come first. */
  inName: Clause[] | undefined
  /** Tests an animal that has the tokens. Undefined if the tokens alone decide. */
  isWithin: ((animal: ExactValues) => boolean) | undefined
  /** True if `isWithin` compares times. */
  hasMoments: boolean
  near: Near | undefined
  /** `tokenQuery` without places, for nearest.ts, which reads the nearest places first. */
  anywhere: TokenQuery
}

/**
 * @param view determines which shelter IDs, kennels and microchips `q` finds
 * @throws {ApiError} invalid_parameter for an unknown place in `near`
 */
export async function criteriaOf(
  finder: Finder,
  filters: Filters & { within: number },
  view: View = 'public',
): Promise<Criteria> {
  const near =
    filters.near === undefined
      ? undefined
      : await placesNear(finder, await getPoint(filters.near), filters.within * 1_000)
  const clauses: Clause[] = []
  const anyOf = (tokens: string[]): void => void clauses.push({ tokens })
  for (const filter of EXACT) if (filters[filter]) anyOf(filters[filter].map((value) => token(filter, value)))
  for (const filter of TEXTS)
    if (filters[filter]) anyOf(filters[filter].map((value) => textToken(filter, String(value))))
  if (filters.breedPrefix)
    clauses.push({ tokens: [], prefixes: filters.breedPrefix.map((value) => textToken('breed', value)) })
  for (const filter of YES_OR_NO)
    if (filters[filter] !== undefined) anyOf([token(filter, filters[filter] === 'true')])
  if (filters.hasNoOrganization) anyOf([NO_ORGANIZATION])
  if (filters.withoutStatus) anyOf([filters.withoutStatus === 'left' ? LEFT : NO_STATUS])
  clauses.push(...dateClauses(filters))
  const nameWords = wordsOf(filters.name ?? '')
  for (const word of nameWords) clauses.push({ tokens: [], prefixes: [token(NAME_WORD, word)] })
  const words = filters.q === undefined ? [] : queryWords(filters.q)
  const inTexts = words.map((word) => wordClause(WORD, word))
  clauses.push(...eitherOf(inTexts, numberClauses(filters.q ?? '', view)))
  // A `q` or `name` that has only punctuation matches no animal.
  if (filters.q !== undefined && words.length === 0) anyOf([])
  if (filters.name !== undefined && nameWords.length === 0) anyOf([])
  const cells = near && cellsNear(near.point, near.meters)
  return {
    tokenQuery: {
      clauses: cells ? [...clauses, { tokens: cells, places: [...near.metersOf.keys()] }] : clauses,
    },
    inName: words.length > 0 ? words.map((word) => wordClause(NAME_WORD, word)) : undefined,
    isWithin: exactTest(filters, near),
    hasMoments: MOMENTS.some((filter) => filters[filter] !== undefined),
    near,
    anywhere: { clauses },
  }
}

interface QueryWord {
  word: string
  /** True if the word also matches longer words. */
  isPrefix: boolean
}

const MIN_LETTERS = 3
const LAST_RUN = /[\p{L}\p{M}\p{N}]+\s*$/u

function queryWords(q: string): QueryWord[] {
  // The last word is a prefix, even if it is repeated. Punctuation after it makes it a complete word.
  const last = wordsOf(LAST_RUN.exec(fold(q))?.[0] ?? '').at(-1) ?? ''
  const words: QueryWord[] = wordsOf(q)
    .filter((word) => word !== last)
    .map((word) => ({ word, isPrefix: false }))
  if (last !== '') words.push({ word: last, isPrefix: [...last].length >= MIN_LETTERS })
  return words
}

function wordClause(filter: string, { word, isPrefix }: QueryWord): Clause {
  return isPrefix ? { tokens: [], prefixes: [token(filter, word)] } : { tokens: [token(filter, word)] }
}

/**
 * Clauses for animals whose shelter ID, kennel or microchip is `q` or begins with it. A caller who sees only
 * the staff-only members of one organization finds only animals of that organization.
 */
function numberClauses(q: string, view: View): Clause[] {
  const bare = bareNumber(q)
  if (view === 'public' || bare === '') return []
  const [, organizationId] = view.split(':')
  const own = organizationId === undefined ? [] : [{ tokens: [token('organizationId', organizationId)] }]
  return [wordClause(NUMBER, { word: bare, isPrefix: bare.length >= MIN_LETTERS }), ...own]
}

/** Clauses for animals that match all clauses of one list or all of the other. An empty list matches none. */
function eitherOf(some: Clause[], others: Clause[]): Clause[] {
  if (some.length === 0 || others.length === 0) return [...some, ...others]
  return some.flatMap((one) =>
    others.map((other) => ({
      tokens: [...one.tokens, ...other.tokens],
      prefixes: [...(one.prefixes ?? []), ...(other.prefixes ?? [])],
    })),
  )
}

/** The first and last day in the index. */
const [FIRST_DAY, LAST_DAY] = [Date.UTC(1950, 0, 1), Date.UTC(2199, 11, 31)]

function dateClauses(filters: Filters): Clause[] {
  const { bornAfter, bornBefore, publishedAfter, publishedBefore, updatedSince } = filters
  const between = (filter: DateFilter, from: number | undefined, to: number | undefined): Clause[] => {
    if (from === undefined && to === undefined) return []
    // An empty range has no tokens. No animal matches an empty list of tokens.
    const days = daysBetween(Math.max(from ?? FIRST_DAY, FIRST_DAY), Math.min(to ?? LAST_DAY, LAST_DAY))
    return [{ tokens: days.map((day) => token(filter, day)) }]
  }
  const daysFrom = (day: string | undefined, days: number) =>
    day === undefined ? undefined : Date.parse(day) + days * DAY_MS
  return [
    // Both bounds of birth dates are exclusive.
    ...between('born', daysFrom(bornAfter, 1), daysFrom(bornBefore, -1)),
    ...between('published', parseTime(publishedAfter), parseTime(publishedBefore)),
    ...between('updated', parseTime(updatedSince), undefined),
  ]
}

const LEAP_SECOND = /:60(?:\.\d+)?(?=[z+-])/i

/** Parses a date-time (RFC 3339) to milliseconds. A leap second becomes the last one of its minute. */
const parseTime = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text.replace(LEAP_SECOND, ':59.999'))

function exactTest(filters: Filters, near: Near | undefined): Criteria['isWithin'] {
  const [after, before, since] = MOMENTS.map((filter) => parseTime(filters[filter]))
  if (!near && after === undefined && before === undefined && since === undefined) return undefined
  return ({ publishedAt, updatedAt, place }) =>
    (after === undefined || (publishedAt ?? 0) > after) &&
    (before === undefined || (publishedAt ?? 0) < before) &&
    (since === undefined || updatedAt >= since) &&
    (near === undefined || near.metersOf.has(place ?? ''))
}

// Finds places near a point.

/** The data that searches need. A service has one finder. */
export interface Finder {
  db: Db
  organizations(): Promise<StoredOrganization[]>
  /** The places of the organizations that have coordinates. */
  organizationPlaces(): Promise<Place[]>
  /** All places that animals have or had. Does not include the places of organizations. */
  places(): Promise<Bands>
}

type Place = readonly [token: string, point: Point]

/** Places by degree of latitude. With this map, a search skips most places. */
type Bands = ReadonlyMap<number, Place[]>

const finders = new WeakMap<object, Finder>()

/** Returns the finder of a service. All faces share the finder and its cached places. */
export function finderOf(context: Pick<Context, 'db' | 'version'>): Finder {
  const { db, version } = context
  const finder = finders.get(context) ?? {
    db,
    organizations: createOrganizationCache(db, () => version('pages')),
    organizationPlaces: cachedByVersion(
      () => version('pages'),
      () => readOrganizationPlaces(db),
    ),
    places: placeReader(db),
  }
  finders.set(context, finder)
  return finder
}

/** Caches the places. They are never deleted, so the cache is current if their number is unchanged. */
function placeReader(db: Db): Finder['places'] {
  let count = 0
  let bands: Bands = new Map()
  return async () => {
    const counted = db.selectFrom('search_place').select(sql<number>`count(*)`.as('count'))
    if ((await counted.executeTakeFirst())?.count === count) return bands
    const tokens = await db.selectFrom('search_place').select('place').execute()
    const next = await bandsOf(tokens.map(({ place }) => place))
    count = tokens.length
    bands = next
    return next
  }
}

/** Coordinates of organizations are stored in millionths of a degree. */
const MILLION = 1_000_000

async function readOrganizationPlaces(db: Db): Promise<Place[]> {
  const rows = await db
    .selectFrom('organization')
    .select(['id', 'latitude', 'longitude'])
    .where('latitude', 'is not', null)
    .execute()
  return rows.map(({ id, latitude, longitude }) => [
    atOrganization(id),
    { latitude: Number(latitude) / MILLION, longitude: Number(longitude) / MILLION },
  ])
}

const PLACE_BATCH_SIZE = 1_000

async function bandsOf(tokens: string[]): Promise<Bands> {
  const bands = new Map<number, Place[]>()
  for (const [index, one] of tokens.entries()) {
    if (index % PLACE_BATCH_SIZE === 0) await yieldToEventLoop()
    const [filter, at = ''] = one.split(':')
    if (filter !== AT) continue
    const [latitude = 0, longitude = 0] = at.split(',').map(Number)
    const degree = Math.floor(latitude)
    const band = bands.get(degree) ?? []
    bands.set(degree, band)
    band.push([one, { latitude, longitude }])
  }
  return bands
}

/** The place that `near` names, and the places around it. */
export interface Near {
  point: Point
  /** The maximum distance in meters. */
  meters: number
  /** The distance of each place within reach, in whole meters, by the token of the place. */
  metersOf: ReadonlyMap<string, number>
}

async function placesNear(
  { places, organizationPlaces }: Finder,
  point: Region,
  within: number,
): Promise<Near> {
  const meters = reachOf(point, within)
  const metersOf = new Map<string, number>()
  // Adds one meter to the distance, because distances are rounded.
  const [south, north] = latitudesAround(point, meters + 1)
  const add = ([place, there]: Place): void => {
    if (there.latitude < south || there.latitude > north) return
    const distance = metersBetween(point, there)
    if (distance <= meters) metersOf.set(place, distance)
  }
  const bands = await places()
  for (let degree = Math.floor(south); degree <= north; degree += 1) {
    for (const place of bands.get(degree) ?? []) add(place)
    await yieldToEventLoop()
  }
  for (const place of await organizationPlaces()) add(place)
  return { point, meters, metersOf }
}
