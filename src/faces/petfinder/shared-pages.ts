import type { Context } from '../../context.ts'
import type { SearchResult } from '../../pets/search/find.ts'
import type { Position } from '../../pets/search/matching.ts'
import { MAX_SKIPPED, type PageOrder, type ReadAnimals } from './animal-reader.ts'
import { type PageStarts, pageStarts } from './page-starts.ts'
import type { QueryParameters } from './parameters.ts'
import type { AnimalPage, Total } from './totals.ts'

// Reads the pages that all clients see. Pages of the same version of the store fit together.

/** Animals of a list, and the positions at which they begin and end. */
interface Range {
  animals: SearchResult[]
  before?: Position | undefined
  end?: Position | undefined
}
interface Options extends Pick<Context, 'version' | 'clock'> {
  read: ReadAnimals
  totalOf(order: PageOrder): Promise<Total>
}

export type SharedPages = ReturnType<typeof sharedPages>

export function sharedPages({ read, totalOf, ...context }: Options) {
  const startsOfVersion = startsByVersion(context)

  /** Reads animals as all clients see them, and remembers the start and the end of the page. */
  async function readRange(order: PageOrder, index: number, count: number): Promise<Range> {
    const starts = startsOfVersion()
    const start = starts.nearest(order.hash, index)
    // Without a start at the index, the animal before the page is read too, because it is the start.
    const lead = start.index < index ? 1 : 0
    const { animals } = await read(order, { start, index: index - lead, count: count + lead })
    const before = lead > 0 ? animals.shift()?.position : start.position
    const end = animals.at(-1)?.position
    if (before) starts.keep(order.hash, { index, position: before })
    if (end) starts.keep(order.hash, { index: index + animals.length, position: end })
    return { animals, before, end }
  }

  /** @throws {ApiError} invalid_parameter if the page is too far from the start */
  async function readPage(order: PageOrder, parameters: QueryParameters): Promise<AnimalPage> {
    const { sort, index, limit } = order
    const total = await totalOf(order)
    const { count, isExact } = total
    if (index >= count && isExact) return { animals: [], total }
    const from = sort === '-distance' ? Math.max(count - index - limit, 0) : index
    if (from - startsOfVersion().nearest(order.hash, from).index > MAX_SKIPPED)
      parameters.refuse(
        'page',
        'This page is too far: read the pages before it one after the other, or filter.',
      )
    parameters.requireValid()
    if (sort === '-distance') return { ...(await readBackwards(order, count - index)), total }
    const { animals, end } = await readRange(order, index, limit)
    return { animals, next: end, total: isExact ? total : atLeast(total, index, animals.length, limit) }
  }

  /** Reads a page of a list in reverse order. @param to the number of animals up to the end of the page */
  async function readBackwards(order: PageOrder, to: number): Promise<Omit<AnimalPage, 'total'>> {
    const from = Math.max(to - order.limit, 0)
    const { animals, before } = await readRange(order, from, to - from)
    return { animals: animals.reverse(), next: before }
  }

  return { readPage, readRange, readBackwards }
}

/** The starts of the pages that all clients see. They belong to one version of the store. */
function startsByVersion({ version, clock }: Pick<Context, 'version' | 'clock'>): () => PageStarts {
  let [starts, startsVersion] = [pageStarts(clock), -1]
  return () => {
    if (startsVersion !== version('pages')) [starts, startsVersion] = [pageStarts(clock), version('pages')]
    return starts
  }
}

/** Raises an inexact total. If the current page is full, there may be another page. */
function atLeast(total: Total, index: number, found: number, limit: number): Total {
  const seen = index + found + (found === limit ? limit : 0)
  return { ...total, count: Math.max(total.count, seen) }
}
