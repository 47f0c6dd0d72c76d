import type { OrganizationPlace } from '../organizations/places.ts'
import { ADDRESS_FILTERS } from '../organizations/places.ts'
import { daysBetween, instantOf } from '../search/dates.ts'
import type { Clause, Question } from '../search/question.ts'
import { fold, wordsOf } from '../search/words.ts'
import { type Areas, inFewTokens } from './areas.ts'
import { atOrganization, type Near } from './near.ts'
import type { PetQuery } from './schema.ts'
import { AT, type DateFilter, NAME_WORD, TRAIT_FILTERS, textToken, token, WORD } from './tokens.ts'

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

/** What the index does not know so exactly that nothing more has to be asked of an animal. */
export type Residual = (times: { publishedAt: number | null; updatedAt: number }) => boolean

export interface Wanted {
  question: Question
  /** Whose name has all the words of `q`: those come first. */
  inName: Clause[] | undefined
  /** Absent where the index knows all. */
  isWithin: Residual | undefined
}

const ANY_ORGANIZATION: Clause = { tokens: [], prefixes: [token('organizationId', '')] }

/** Where animals are: by their own place, or by that of their organization. */
export interface Places {
  organizations: OrganizationPlace[]
  areas: Areas
  /** Absent where no place is asked for. */
  near: Near | undefined
}

export function wantedBy(filters: Filters, places: Places): Wanted {
  const { near } = places
  const clauses: Clause[] = []
  const anyOf = (tokens: string[]): void => void clauses.push({ tokens })
  for (const filter of EXACT) if (filters[filter]) anyOf(filters[filter].map((value) => token(filter, value)))
  for (const filter of TEXTS)
    if (filters[filter]) anyOf(filters[filter].map((value) => textToken(filter, String(value))))
  for (const filter of YES_OR_NO)
    if (filters[filter] !== undefined) anyOf([token(filter, filters[filter] === 'true')])
  for (const filter of ADDRESS_FILTERS) {
    if (!filters[filter]) continue
    const values = new Set(filters[filter].map(fold))
    const own = [...values].map((value) => token(filter, value))
    clauses.push(placeClause(own, places, ({ address }) => values.has(address[filter] ?? '')))
  }
  if (near) {
    // All its tokens, and no others: by them `withoutPlaces` knows this clause.
    const own = [...near.keys()].filter((one) => one.startsWith(token(AT, '')))
    clauses.push(placeClause(own, places, ({ id }) => near.has(atOrganization(id))))
  }
  clauses.push(...dateClauses(filters))
  for (const word of wordsOf(filters.name ?? ''))
    clauses.push({ tokens: [], prefixes: [token(NAME_WORD, word)] })
  const words = wordsAsked(filters.q)
  clauses.push(...words.map((word) => wordClause(word, places)))
  // Of nothing but punctuation nobody has a word.
  if (filters.q !== undefined && words.length === 0) anyOf([])
  return {
    question: { clauses, ...(filters.ofNobody && { without: [ANY_ORGANIZATION] }) },
    inName: words.length > 0 ? words.map((word) => tokensOfWord(NAME_WORD, word)) : undefined,
    isWithin: residual(filters),
  }
}

/** Words, of which the last may be the beginning of one. */
interface AskedWord {
  word: string
  mayGoOn: boolean
}

const LEAST_LETTERS = 3

function wordsAsked(q: string | undefined): AskedWord[] {
  const words = q === undefined ? [] : wordsOf(q)
  const last = words.at(-1) ?? ''
  // Behind the last one nothing was typed: it may still go on.
  const isOpen = q !== undefined && fold(q).endsWith(last) && [...last].length >= LEAST_LETTERS
  return words.map((word, index) => ({ word, mayGoOn: isOpen && index === words.length - 1 }))
}

function tokensOfWord(filter: string, { word, mayGoOn }: AskedWord): Clause {
  return mayGoOn ? { tokens: [], prefixes: [token(filter, word)] } : { tokens: [token(filter, word)] }
}

function wordClause(asked: AskedWord, places: Places): Clause {
  const { tokens, prefixes } = tokensOfWord(WORD, asked)
  const has = ({ words }: OrganizationPlace): boolean =>
    asked.mayGoOn ? [...words].some((word) => word.startsWith(asked.word)) : words.has(asked.word)
  return { ...placeClause(tokens, places, has), ...(prefixes && { prefixes }) }
}

/** @param own of animals themselves @param is tells of an organization whether its animals fit, too */
function placeClause(
  own: string[],
  { organizations, areas }: Places,
  is: (organization: OrganizationPlace) => boolean,
): Clause {
  const ids = organizations.filter(is).map(({ id }) => id)
  return { tokens: [...own, ...ids.map(atOrganization)], inIndex: [...own, ...inFewTokens(ids, areas)] }
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

function residual({ publishedAfter, publishedBefore, updatedSince }: Filters): Residual | undefined {
  if ([publishedAfter, publishedBefore, updatedSince].every((text) => text === undefined)) return undefined
  const [after, before, since] = [publishedAfter, publishedBefore, updatedSince].map((text) =>
    text === undefined ? undefined : instantOf(text),
  )
  return ({ publishedAt, updatedAt }) =>
    (after === undefined || (publishedAt ?? 0) > after) &&
    (before === undefined || (publishedAt ?? 0) < before) &&
    (since === undefined || updatedAt >= since)
}
