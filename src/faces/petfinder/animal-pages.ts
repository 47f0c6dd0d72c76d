import type { Context } from '../../context.ts'
import { cachedByVersion } from '../../http/page-cache.ts'
import type { RenderOptions } from '../../pets/row.ts'
import type { Finder } from '../../pets/search/filters.ts'
import type { SearchResult } from '../../pets/search/find.ts'
import type { Position } from '../../pets/search/matching.ts'
import type { AnimalList } from './animal-query.ts'
import {
  type AnimalPage,
  type AnimalSource,
  animalSource,
  compareIn,
  MAX_SKIPPED,
  type PageBounds,
  type PageOrder,
  type Total,
  toOrder,
} from './animal-reader.ts'
import { type PageStart, pageStarts } from './page-starts.ts'
import { type QueryParameters, toLocationError } from './parameters.ts'
import { randomOrders } from './random-orders.ts'

// Reads pages of animals by page number. In one version of the store, all clients see the same pages, which
// neither skip nor repeat an animal. If a client has read the previous page in an older version, it gets a
// page of its own, which begins where its last page ended (decision 30).

type Versions = Pick<Context, 'version' | 'clock'>

/** The maximum number of times that a page is read, if the store changes during each reading. */
const MAX_TRIES = 5

/** Reads one page for one client. */
interface PageReader {
  /**
   * @param mustBeOwn whether the page that all clients see is known not to fit
   * @returns the page that only this client sees; undefined if it sees the same page as all others
   */
  own(mustBeOwn?: boolean): Promise<AnimalPage | undefined>
  /** Reads the page of all clients. @throws {ApiError} invalid_parameter if it is too far from the start */
  shared(): Promise<AnimalPage>
  /** Whether the page that all clients see begins where the client's last page ended. */
  fits(page: PageBounds): boolean
  /** Remembers where the next page of the client begins, after it got the page that all clients see. */
  remember(next: Position | undefined): void
}

/** @returns a function that makes a reader for each request */
export function animalPages(finder: Finder, context: Versions) {
  const { version, clock } = context
  const source = animalSource(finder, context)
  const shared = sharedPages(source, context)
  const pages = clientPages(source, shared, context)
  const randomPage = randomOrders(source, clock)

  /** Reads a page again if the store has changed, because its parts may be from different versions. */
  async function readAtOnce<Page>({ sort }: PageOrder, readOnce: () => Promise<Page>): Promise<Page> {
    for (let tries = 1; ; tries += 1) {
      const since = version('pages')
      const page = await readOnce().catch((error) => {
        throw toLocationError(error)
      })
      if (sort !== '-distance' || since === version('pages') || tries === MAX_TRIES) return page
    }
  }

  return (list: AnimalList, client: string, parameters: QueryParameters, show: RenderOptions): PageReader => {
    const { query } = list
    if (!query) return NO_ANIMALS
    const order = toOrder(list, query, show)
    const since = version('pages')
    return {
      own: (mustBeOwn = false) =>
        readAtOnce(order, () =>
          order.sort === 'random' ? randomPage(order, client) : pages.readPage(order, client, mustBeOwn),
        ),
      shared: () => readAtOnce(order, () => shared.readPage(order, parameters)),
      fits: (page) => version('pages') === since && pages.fits(order, client, page),
      remember: (next) => pages.remember(order, client, next, since),
    }
  }
}

const NO_ANIMALS: PageReader = {
  own: async () => undefined,
  shared: async () => ({ animals: [], total: { count: 0, isExact: true } }),
  fits: () => true,
  remember: () => undefined,
}

/** How many animals are expected to be added or to leave during a read. */
const MAX_MOVED = 10
/** The maximum number of reads of one page. Each read allows for more changes than the one before. */
const MAX_READS = 4

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

/** The starts of the pages belong to one version of the store. */
const startsByVersion = ({ version, clock }: Versions) =>
  cachedByVersion(
    () => version('pages'),
    () => pageStarts(clock),
  )

/** Reads pages that all clients see. Pages of one version of the store neither skip nor repeat an animal. */
function sharedPages({ read, totalOf }: AnimalSource, context: Versions) {
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
      if (tries < MAX_READS && endsEarly) to += MAX_MOVED * 10 ** tries
      else if (tries < MAX_READS && page.length < limit && before) from -= MAX_MOVED * 10 ** tries
      else return { animals: page.reverse(), start: position, next: rest.at(-1)?.position ?? before }
    }
  }

  return { readPage, readForwards, readBackwards, readBackTo }
}

type SharedPages = ReturnType<typeof sharedPages>

/** How long the service remembers which pages a client has read. */
const MAX_START_AGE_MS = 600_000

/**
 * Up to this index, a client whose list has changed gets the page that all others see, unless its own page
 * begins earlier. Later pages always begin where the client's last page ended, because skipping is slow.
 */
const MAX_COMPARED = 200

interface OwnPage extends AnimalPage {
  /** False if all clients see this page. */
  isOwn: boolean
}

/**
 * Reads pages for a client that has read the previous page in another version of the store. The page that all
 * clients see may skip animals that this client has not seen.
 */
function ownPages({ read, totalOf }: AnimalSource, shared: SharedPages) {
  /** Reads the page after the client's last one, or the page of all others if that begins earlier. */
  async function goOn(order: PageOrder, start: PageStart): Promise<OwnPage> {
    const { query, index, limit } = order
    const { animals } = await read(order, { start, index, count: limit + 1 })
    const total = await totalOf(order)
    const others = index < MAX_COMPARED ? await shared.readForwards(order, total) : undefined
    const [own, other] = [animals[0], others?.animals[0]]
    if (others && other && (!own || compareIn(query, own.position, other.position) >= 0))
      return { ...others, isOwn: false }
    const page = animals.slice(0, limit)
    const seen = index + animals.length
    return {
      animals: page,
      next: page.at(-1)?.position,
      total: { ...total, count: animals.length > limit ? Math.max(total.count, seen) : seen },
      isOwn: true,
    }
  }

  /** Like `goOn`, for a list in reverse order: counts the animals that the client has passed. */
  async function goBack(order: PageOrder, start: PageStart): Promise<OwnPage> {
    const { query, index } = order
    const total = await totalOf(order)
    const ahead = index + MAX_SKIPPED
    const { remainingSkip } = await read(order, { start: { ...start, index: 0 }, index: ahead, count: 1 })
    const passed = Math.min(ahead - remainingSkip + index - start.index, index)
    const to = Math.max(total.count - passed, 0)
    let page = await shared.readBackwards(order, to)
    let isOwn = passed < index
    const { position } = start
    if (position && index === start.index && (!page.start || compareIn(query, page.start, position) < 0)) {
      page = await shared.readBackTo(order, position, to)
      isOwn = true
    }
    const seen = index + page.animals.length + Number(page.next !== undefined)
    return { ...page, total: { ...total, count: Math.max(total.count, seen) }, isOwn }
  }

  return { goOn, goBack }
}

function clientPages(source: AnimalSource, shared: SharedPages, { version, clock }: Versions) {
  const { goOn, goBack } = ownPages(source, shared)
  const starts = pageStarts(clock, MAX_START_AGE_MS)

  /**
   * @param mustBeOwn whether the page that all clients see is known not to fit
   * @returns undefined if the client sees the same page as all others
   */
  async function readPage(
    order: PageOrder,
    client: string,
    mustBeOwn: boolean,
  ): Promise<AnimalPage | undefined> {
    const { sort, index } = order
    const key = keyOf(order, client)
    if (index === 0) starts.forget(key)
    const since = version('pages')
    const start = starts.nearest(key, index)
    if (!start.position || index - start.index > MAX_SKIPPED) return undefined
    if (start.version === since && !mustBeOwn) return undefined
    const { isOwn, ...page } = await (sort === '-distance' ? goBack : goOn)(order, start)
    remember(order, client, page.next, isOwn ? undefined : since)
    return page
  }

  /** Remembers where the client's next page begins. @param since the version of the store of the page */
  function remember(order: PageOrder, client: string, position: Position | undefined, since?: number): void {
    // If the store has changed during the read, the end of the page may not belong to any version.
    const versionPart = since === version('pages') && { version: since }
    const index = order.index + order.limit
    if (position) starts.keep(keyOf(order, client), { index, position, ...versionPart })
  }

  /**
   * Whether a page begins where the client's last page ended. Versions alone do not tell: on PostgreSQL, a
   * change can be read shortly before the version of the store counts it.
   */
  function fits(order: PageOrder, client: string, { start }: PageBounds): boolean {
    const { index, position } = starts.nearest(keyOf(order, client), order.index)
    return !position || index !== order.index || (position[0] === start?.[0] && position[1] === start[1])
  }

  return { readPage, remember, fits }
}

/** Identifies what a client reads. */
const keyOf = ({ sort, hash }: PageOrder, client: string): string => `${client} ${sort} ${hash}`
