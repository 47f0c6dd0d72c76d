import type { Context } from '../../context.ts'
import type { SearchResult } from '../../pets/search/find.ts'
import type { Position } from '../../pets/search/matching.ts'
import { compareIn, MAX_SKIPPED, type PageOrder, type ReadAnimals } from './animal-reader.ts'
import { type PageStarts, pageStarts } from './page-starts.ts'
import type { QueryParameters } from './parameters.ts'
import type { AnimalPage, Total } from './totals.ts'

// Reads the pages that all clients see. Pages of one version of the store neither skip nor repeat an animal.

/** How many animals are expected to be added or to leave during a read. */
const MAX_MOVED = 10
/** The maximum number of reads of one page. Each read allows for more changes than the one before. */
const MAX_TRIES = 4

/** After all animals. */
const END: Position = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]

/** Animals of a list, and the positions at which they begin and end. */
interface Range {
  animals: SearchResult[]
  before?: Position | undefined
  end?: Position | undefined
  /** Whether the list goes on after the range. */
  hasMore: boolean
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
    const { animals } = await read(order, { start, index: index - lead, count: count + lead + 1 })
    const before = lead > 0 ? animals.shift()?.position : start.position
    const hasMore = animals.length > count
    animals.length = Math.min(animals.length, count)
    const end = animals.at(-1)?.position
    if (before) starts.keep(order.hash, { index, position: before })
    if (end) starts.keep(order.hash, { index: index + animals.length, position: end })
    return { animals, before, end, hasMore }
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
    if (sort !== '-distance') return readForwards(order, total)
    // The count may be older than the list, so the first page reads to the end of the list.
    const page = await (index === 0 ? readBackTo(order, END, count) : readBackwards(order, count - index))
    return { ...page, total }
  }

  async function readForwards(order: PageOrder, total: Total): Promise<AnimalPage> {
    const { index, limit } = order
    const { animals, before, end, hasMore } = await readRange(order, index, limit)
    const seen = index + animals.length + Number(hasMore)
    return { animals, start: before, next: end, total: { ...total, count: Math.max(total.count, seen) } }
  }

  /** Reads a page of a list in reverse order. @param to the number of animals up to the end of the page */
  async function readBackwards(order: PageOrder, to: number): Promise<Omit<AnimalPage, 'total'>> {
    const from = Math.max(to - order.limit, 0)
    const { animals, before, end } = await readRange(order, from, to - from)
    return { animals: animals.reverse(), start: end, next: before }
  }

  /**
   * Reads a page of a list in reverse order that begins at a position.
   *
   * @param near about how many animals the list has up to the position. Changes during the read may move it.
   */
  async function readBackTo(
    order: PageOrder,
    position: Position,
    near: number,
  ): Promise<Omit<AnimalPage, 'total'>> {
    const { query, limit } = order
    let [from, to] = [near - limit - MAX_MOVED, near + MAX_MOVED]
    for (let tries = 1; ; tries += 1) {
      const first = Math.max(from, 0)
      const { animals, before, hasMore } = await readRange(order, first, to - first)
      const rest = animals.filter((animal) => compareIn(query, animal.position, position) <= 0)
      const page = rest.splice(-limit)
      const endsEarly = hasMore && rest.length + page.length === animals.length
      if (tries < MAX_TRIES && endsEarly) to += MAX_MOVED * 10 ** tries
      else if (tries < MAX_TRIES && page.length < limit && before) from -= MAX_MOVED * 10 ** tries
      else return { animals: page.reverse(), start: position, next: rest.at(-1)?.position ?? before }
    }
  }

  return { readPage, readForwards, readBackwards, readBackTo }
}

/** The starts of the pages that all clients see. They belong to one version of the store. */
function startsByVersion({ version, clock }: Pick<Context, 'version' | 'clock'>): () => PageStarts {
  let [starts, startsVersion] = [pageStarts(clock), -1]
  return () => {
    if (startsVersion !== version('pages')) [starts, startsVersion] = [pageStarts(clock), version('pages')]
    return starts
  }
}
