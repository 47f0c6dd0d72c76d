import { ADDRESS_FILTERS } from '../../organizations/places.ts'
import { daysBetween, instantOf } from '../../search/dates.ts'
import { fold, wordsOf } from '../../search/words.ts'
import type { PetQuery } from '../schema.ts'
import { cellsNear } from './cells.ts'
import type { Near } from './near.ts'
import type { Clause, Question } from './question.ts'
import { type DateFilter, NAME_WORD, OF_NOBODY, TRAIT_FILTERS, textToken, token, WORD } from './tokens.ts'

// From what a client asks for to what an animal has to have.

export type Filters = Omit<PetQuery, 'cursor' | 'fields' | 'limit' | 'sort' | 'id'> & {
  /** Words that the name has, or that words in it begin with. */
  name?: string | undefined
  /** Only animals of no organization. */
  ofNobody?: true | undefined
}

/** Filters whose values are compared as they are. */
const EXACT = ['categoryId', 'organizationId'] as const
/** Filters whose values are compared without case and accents. */
const TEXTS = [
  'status',
  'species',
  'breed',
  'color',
  'coat',
  'age',
  'sex',
  'size',
  'tag',
  'externalId',
] as const
const YES_OR_NO = [...Object.keys(TRAIT_FILTERS), 'hasPhotos'] as (keyof typeof TRAIT_FILTERS | 'hasPhotos')[]

/** What of an animal is compared beside its tokens, which know days and squares. */
export interface Seen {
  publishedAt: number | null
  updatedAt: number
  /** The token of where it is. */
  place: string | null | undefined
}

export interface Wanted {
  question: Question
  /** Whose name has all the words of `q`: those come first. */
  inName: Clause[] | undefined
  /** Absent where the tokens tell all. */
  isWithin: ((seen: Seen) => boolean) | undefined
  /** Whether `isWithin` compares moments. */
  hasMoments: boolean
  near: Near | undefined
  /** The same question without where animals are, for who goes from place to place. */
  anywhere: Question
}

/** @param near absent where no place is asked for */
export function wantedBy(filters: Filters, near: Near | undefined): Wanted {
  const clauses: Clause[] = []
  const anyOf = (tokens: string[]): void => void clauses.push({ tokens })
  for (const filter of EXACT) if (filters[filter]) anyOf(filters[filter].map((value) => token(filter, value)))
  for (const filter of [...TEXTS, ...ADDRESS_FILTERS])
    if (filters[filter]) anyOf(filters[filter].map((value) => textToken(filter, String(value))))
  for (const filter of YES_OR_NO)
    if (filters[filter] !== undefined) anyOf([token(filter, filters[filter] === 'true')])
  if (filters.ofNobody) anyOf([OF_NOBODY])
  clauses.push(...dateClauses(filters))
  for (const word of wordsOf(filters.name ?? ''))
    clauses.push({ tokens: [], prefixes: [token(NAME_WORD, word)] })
  const words = wordsAsked(filters.q)
  clauses.push(...words.map((word) => clauseOfWord(WORD, word)))
  // Of nothing but punctuation nobody has a word.
  if (filters.q !== undefined && words.length === 0) anyOf([])
  const cells = near && cellsNear(near.point, near.meters)
  return {
    question: { clauses: cells ? [...clauses, { tokens: cells }] : clauses },
    inName: words.length > 0 ? words.map((word) => clauseOfWord(NAME_WORD, word)) : undefined,
    isWithin: residual(filters, near),
    hasMoments: MOMENTS.some((filter) => filters[filter] !== undefined),
    near,
    anywhere: { clauses },
  }
}

/** Words, of which the last may be the beginning of one. */
interface AskedWord {
  word: string
  mayGoOn: boolean
}

const MIN_LETTERS = 3
const LAST_RUN = /[\p{L}\p{M}\p{N}]+\s*$/u

function wordsAsked(q: string | undefined): AskedWord[] {
  const words = q === undefined ? [] : wordsOf(q)
  // The last word may still go on, though it was written before too, unless a sign ends it.
  const last = wordsOf(LAST_RUN.exec(fold(q ?? ''))?.[0] ?? '').at(-1) ?? ''
  const asked: AskedWord[] = words.filter((word) => word !== last).map((word) => ({ word, mayGoOn: false }))
  if (last !== '') asked.push({ word: last, mayGoOn: [...last].length >= MIN_LETTERS })
  return asked
}

function clauseOfWord(filter: string, { word, mayGoOn }: AskedWord): Clause {
  return mayGoOn ? { tokens: [], prefixes: [token(filter, word)] } : { tokens: [token(filter, word)] }
}

/** The index knows days of these years; nothing is from another one. */
const [FIRST_DAY, LAST_DAY] = [Date.UTC(1950, 0, 1), Date.UTC(2199, 11, 31)]
const DAY_MS = 86_400_000

function dateClauses(filters: Filters): Clause[] {
  const { bornAfter, bornBefore, publishedAfter, publishedBefore, updatedSince } = filters
  const between = (filter: DateFilter, from: number | undefined, to: number | undefined): Clause[] => {
    if (from === undefined && to === undefined) return []
    // Of a range without days nobody has one.
    const days = daysBetween(Math.max(from ?? FIRST_DAY, FIRST_DAY), Math.min(to ?? LAST_DAY, LAST_DAY))
    return [{ tokens: days.map((day) => token(filter, day)) }]
  }
  const at = (instant: string | undefined) => (instant === undefined ? undefined : instantOf(instant))
  const beside = (day: string | undefined, days: number) =>
    day === undefined ? undefined : Date.parse(day) + days * DAY_MS
  return [
    // A birth date is whole days: after one is from the next on.
    ...between('born', beside(bornAfter, 1), beside(bornBefore, -1)),
    ...between('published', at(publishedAfter), at(publishedBefore)),
    ...between('updated', at(updatedSince), undefined),
  ]
}

const MOMENTS = ['publishedAfter', 'publishedBefore', 'updatedSince'] as const

function residual(filters: Filters, near: Near | undefined): Wanted['isWithin'] {
  const given = MOMENTS.map((filter) => filters[filter])
  if (!near && given.every((text) => text === undefined)) return undefined
  const [after, before, since] = given.map((text) => (text === undefined ? undefined : instantOf(text)))
  return ({ publishedAt, updatedAt, place }) =>
    (after === undefined || (publishedAt ?? 0) > after) &&
    (before === undefined || (publishedAt ?? 0) < before) &&
    (since === undefined || updatedAt >= since) &&
    (near === undefined || near.metersOf.has(place ?? ''))
}
