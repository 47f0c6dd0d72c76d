import { hash, randomInt } from 'node:crypto'
import type { Context } from '../../context.ts'
import { scopeOf } from '../../pets/query.ts'
import type { Show } from '../../pets/row.ts'
import type { Position } from '../../pets/search/candidates.ts'
import { countMatches, type Matches } from '../../pets/search/facets.ts'
import { type Finder, find, type SearchQuery, type SearchResult } from '../../pets/search/find.ts'
import type { AnimalList } from './animal-query.ts'
import { type QueryParameters, toLocationError } from './parameters.ts'
import { PICKED } from './shapes.ts'

// Pages of animals by their number.

/** So often a page goes on where a search ended early. */
const MAX_ROUNDS = 10

interface AnimalPage {
  animals: SearchResult[]
  total: Total
}

const NONE: Total = { count: 0, isExact: true }

interface List {
  query: SearchQuery
  /** Names it. */
  list: string
}

/** What a client asks for may be as long as an address. */
const listOf = (query: SearchQuery): List => ({
  query,
  list: hash('sha256', scopeOf(query, 'public'), 'base64'),
})

/** @returns what reads a page. It throws {ApiError} invalid_parameter */
export function animalPages(finder: Finder, context: Pick<Context, 'version' | 'clock'>) {
  const starts = pageStarts(context.clock)
  const totalOf = totals(context)

  /** From an index of the list on, up to a number of animals; fewer where there are no more. */
  async function read(
    { query, list }: List,
    index: number,
    count: number,
    show: Show,
  ): Promise<SearchResult[]> {
    const nearest = starts.nearest(list, index)
    let after: Position | undefined = nearest.position
    let skip = index - nearest.index
    const animals: SearchResult[] = []
    for (let round = 0; round < MAX_ROUNDS && animals.length < count; round += 1) {
      const start = { query: { ...query, limit: count - animals.length }, picked: PICKED, after, skip }
      const { found, next, left = 0 } = await find(finder, start, show)
      animals.push(...found.slice(0, count - animals.length))
      after = animals.length < count ? next : animals.at(-1)?.position
      skip = left
      if (after) starts.keep(list, index + animals.length - left, after)
      if (next === undefined) break
    }
    return animals
  }

  return async (asked: AnimalList, parameters: QueryParameters, show: Show): Promise<AnimalPage> => {
    const { query, sort, page, limit } = asked
    if (!query) return { animals: [], total: NONE }
    const whole = listOf(query)
    try {
      const total = await totalOf(whole.list, () => countMatches(finder, query))
      const { count, isExact } = total
      const index = (page - 1) * limit
      if (index >= count && (isExact || sort === 'random')) return { animals: [], total }
      if (sort === 'random') return { animals: await random(count), total }
      if (sort === '-distance') return { animals: await farthest(count, index), total }
      requireReach(index)
      const animals = await read(whole, index, limit, show)
      return { animals, total: isExact ? total : atLeast(total, index, animals.length, limit) }
    } catch (error) {
      throw toLocationError(error)
    }

    function requireReach(index: number): void {
      if (index - starts.nearest(whole.list, index).index > MAX_PASSED)
        parameters.refuse(
          'page',
          'This page is too far: read the pages before it one after the other, or filter.',
        )
      parameters.requireUsable()
    }

    /** The list of the nearest, read from its end. */
    async function farthest(total: number, index: number): Promise<SearchResult[]> {
      const [from, to] = [Math.max(total - index - limit, 0), total - index]
      requireReach(from)
      return (await read(whole, from, to - from, show)).reverse()
    }

    /** Neighbours from anywhere among the newest on, in any order: another choice each time. */
    async function random(total: number): Promise<SearchResult[]> {
      const reach = Math.min(total, MAX_PASSED)
      const count = Math.min(limit, reach)
      const from = randomInt(reach)
      const found = await read(whole, from, Math.min(count, reach - from), show)
      if (found.length < count) found.push(...(await read(whole, 0, count - found.length, show)))
      return shuffled(found)
    }
  }
}

function shuffled<One>(all: One[]): One[] {
  const left = [...all]
  return all.flatMap(() => left.splice(randomInt(left.length), 1))
}

/** Where there may be more than were counted: as long as pages are full another one follows. */
function atLeast(total: Total, index: number, found: number, limit: number): Total {
  const seen = index + found + (found === limit ? limit : 0)
  return { ...total, count: Math.max(total.count, seen) }
}

// Lists are read from a position on, and these clients ask for pages by number. So it is remembered for a
// while where each page began: a client that reads page after page pays for none twice. For a page that
// nobody came to, the list is read on from the nearest remembered one.

/** So many animals are passed over for one page at most. */
const MAX_PASSED = 10_000
/** In all lists together; each takes some hundred bytes. */
const MAX_STARTS = 50_000
/** Longer than anybody takes for a page. What comes or goes before a page meanwhile has moved it a little. */
const KEPT_MS = 600_000

interface PageStart {
  /** How many animals of the list come before it. */
  index: number
  /** Undefined at the beginning of the list. */
  position: Position | undefined
}

interface Kept {
  position: Position
  at: number
}

/** @param clock Unix time in milliseconds, which somebody may set */
export function pageStarts(clock: () => number) {
  /** By list, those of each by their index. The list read last comes last, and so does its last start. */
  const lists = new Map<string, Map<number, Kept>>()
  let kept = 0

  const isFresh = ({ at }: Kept): boolean => Math.abs(clock() - at) < KEPT_MS

  /** The oldest start of the list that was not read for the longest: a client that reads on loses none. */
  function forgetOldest(): void {
    const [oldest] = lists
    const [index] = oldest?.[1].keys() ?? []
    if (!oldest || index === undefined) return
    oldest[1].delete(index)
    kept -= 1
    if (oldest[1].size === 0) lists.delete(oldest[0])
  }

  function oldestIsOver(): boolean {
    const [oldest] = lists.values()
    const [first] = oldest?.values() ?? []
    return first !== undefined && !isFresh(first)
  }

  return {
    /** The nearest one that is remembered, at an index or before it. @param list its name, which is kept */
    nearest(list: string, index: number): PageStart {
      const starts = lists.get(list)
      const exact = starts?.get(index)
      if (exact && isFresh(exact)) return { index, position: exact.position }
      let best: PageStart = { index: 0, position: undefined }
      for (const [at, start] of starts ?? [])
        if (at <= index && at >= best.index && isFresh(start)) best = { index: at, position: start.position }
      return best
    },
    keep(list: string, index: number, position: Position): void {
      const starts = lists.get(list) ?? new Map<number, Kept>()
      lists.delete(list)
      lists.set(list, starts)
      if (!starts.delete(index)) kept += 1
      starts.set(index, { position, at: clock() })
      while (kept > MAX_STARTS || (kept > 1 && oldestIsOver())) forgetOldest()
    },
  }
}

/** So many are counted anew whenever anything has changed. */
const EXACT = 10_000
/** Above that a count may be so old. */
const MAX_AGE_MS = 60_000
/** Counts that are remembered. */
const MAX_COUNTS = 1_000

interface Counted extends Matches {
  version: number
  at: number
}

interface Total extends Matches {
  /** Of a long list: until when it may be told. */
  until?: number
}

function toTotal({ count, isExact, at }: Counted): Total {
  return { count, isExact, ...(count > EXACT && { until: at + MAX_AGE_MS }) }
}

/** Counts of lists, kept while nothing changes, and those of long lists for a minute. */
function totals({ version, clock }: Pick<Context, 'version' | 'clock'>) {
  const known = new Map<string, Counted>()
  const counting = new Map<string, Promise<Counted>>()

  async function count(list: string, read: () => Promise<Matches>): Promise<Counted> {
    const since = { version: version('pages'), at: clock() }
    const counted = { ...since, ...(await read()) }
    const [oldest] = known.keys()
    if (known.size >= MAX_COUNTS && oldest !== undefined) known.delete(oldest)
    known.set(list, counted)
    return counted
  }

  return async (list: string, read: () => Promise<Matches>): Promise<Total> => {
    const before = known.get(list)
    if (before?.version === version('pages')) {
      // While nothing changes it is as good as counted now.
      before.at = clock()
      return toTotal(before)
    }
    if (before && before.count > EXACT && Math.abs(clock() - before.at) < MAX_AGE_MS) return toTotal(before)
    const begun = counting.get(list) ?? count(list, read).finally(() => counting.delete(list))
    counting.set(list, begun)
    return toTotal(await begun)
  }
}
