import { hash, randomInt } from 'node:crypto'
import type { Context } from '../../context.ts'
import { scopeOf } from '../../pets/query.ts'
import type { Show } from '../../pets/row.ts'
import type { Position } from '../../pets/search/candidates.ts'
import { countMatches } from '../../pets/search/facets.ts'
import { type Asked, type Finder, type Found, find } from '../../pets/search/find.ts'
import type { AnimalList } from './animal-query.ts'
import { PICKED } from './animals.ts'
import { MOST_PASSED, pageStarts } from './page-starts.ts'
import { toLocationError } from './parameter-values.ts'
import type { QueryParameters } from './query-parameters.ts'
import { type Total, totals } from './totals.ts'

// Pages of animals by their number.

/** So often a page goes on where a search ended early. */
const MOST_ROUNDS = 10

export interface AnimalPage {
  animals: Found[]
  total: Total
}

const NONE: Total = { count: 0, isExact: true }

interface List {
  query: Asked
  /** Names it. */
  list: string
}

/** What a client asks for may be as long as an address. */
const listOf = (query: Asked): List => ({ query, list: hash('sha256', scopeOf(query, 'public'), 'base64') })

/** @returns what reads a page. It throws {ApiError} invalid_parameter */
export function animalPages(finder: Finder, context: Pick<Context, 'version' | 'clock'>) {
  const starts = pageStarts(context.clock)
  const totalOf = totals(context)

  /** From an index of the list on, up to a number of animals; fewer where there are no more. */
  async function read({ query, list }: List, index: number, count: number, show: Show): Promise<Found[]> {
    const nearest = starts.nearest(list, index)
    let after: Position | undefined = nearest.position
    let skip = index - nearest.index
    const animals: Found[] = []
    for (let round = 0; round < MOST_ROUNDS && animals.length < count; round += 1) {
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
      if (index - starts.nearest(whole.list, index).index > MOST_PASSED)
        parameters.refuse(
          'page',
          'This page is too far: read the pages before it one after the other, or filter.',
        )
      parameters.requireUsable()
    }

    /** The list of the nearest, read from its end. */
    async function farthest(total: number, index: number): Promise<Found[]> {
      const [from, to] = [Math.max(total - index - limit, 0), total - index]
      requireReach(from)
      return (await read(whole, from, to - from, show)).reverse()
    }

    /** Neighbours from anywhere among the newest on, in any order: another choice each time. */
    async function random(total: number): Promise<Found[]> {
      const reach = Math.min(total, MOST_PASSED)
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
