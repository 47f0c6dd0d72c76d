import type { Context } from '../../context.ts'
import { cachedByVersion } from '../../http/page-cache.ts'
import type { RenderOptions } from '../../pets/row.ts'
import type { Finder } from '../../pets/search/filters.ts'
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

  return (list: AnimalList, client: string, parameters: QueryParameters, show: RenderOptions): PageReader => {
    const { query } = list
    if (!query) return NO_ANIMALS
    const order = toOrder(list, query, show)
    const since = version('pages')
    return {
      own: (mustBeOwn = false) =>
        placed(
          order.sort === 'random' ? randomPage(order, client) : pages.readPage(order, client, mustBeOwn),
        ),
      shared: () => placed(shared.readPage(order, parameters)),
      fits: (page) => version('pages') === since && pages.fits(order, client, page),
      remember: (next) => pages.remember(order, client, next, since),
    }
  }
}

/** @throws {ApiError} invalid_parameter for an unknown location */
const placed = <Page>(page: Promise<Page>): Promise<Page> =>
  page.catch((error) => {
    throw toLocationError(error)
  })

const NO_ANIMALS: PageReader = {
  own: async () => undefined,
  shared: async () => ({ animals: [], total: { count: 0, isExact: true } }),
  fits: () => true,
  remember: () => undefined,
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

  /** @throws {ApiError} invalid_parameter if the page is too far from the start */
  async function readPage(order: PageOrder, parameters: QueryParameters): Promise<AnimalPage> {
    const { index } = order
    const total = await totalOf(order)
    if (index >= total.count && total.isExact) return { animals: [], total }
    if (index - startsOfVersion().nearest(order.hash, index).index > MAX_SKIPPED)
      parameters.refuse(
        'page',
        'This page is too far: read the pages before it one after the other, or filter.',
      )
    parameters.requireValid()
    return readFrom(order, total)
  }

  /** Reads animals as all clients see them, and remembers the start and the end of the page. */
  async function readFrom(order: PageOrder, total: Total): Promise<AnimalPage> {
    const { index, limit } = order
    const starts = startsOfVersion()
    const start = starts.nearest(order.hash, index)
    // Without a start at the index, the animal before the page is read too, because it is the start.
    const lead = start.index < index ? 1 : 0
    const { animals } = await read(order, { start, index: index - lead, count: limit + lead + 1 })
    const before = lead > 0 ? animals.shift()?.position : start.position
    const count = Math.max(total.count, index + animals.length)
    animals.length = Math.min(animals.length, limit)
    const next = animals.at(-1)?.position
    if (before) starts.keep(order.hash, { index, position: before })
    if (next) starts.keep(order.hash, { index: index + animals.length, position: next })
    return { animals, start: before, next, total: { ...total, count } }
  }

  return { readPage, readFrom }
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
 * Reads the page after a client's last one, which was of another version of the store, or the page of all
 * others if that begins earlier. The page of all others may skip animals that this client has not seen.
 */
const ownPage =
  ({ read, totalOf }: AnimalSource, shared: SharedPages) =>
  async (order: PageOrder, start: PageStart): Promise<OwnPage> => {
    const { query, index, limit } = order
    const { animals } = await read(order, { start, index, count: limit + 1 })
    const total = await totalOf(order)
    const others = index < MAX_COMPARED ? await shared.readFrom(order, total) : undefined
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

function clientPages(source: AnimalSource, shared: SharedPages, { version, clock }: Versions) {
  const goOn = ownPage(source, shared)
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
    const { index } = order
    const key = keyOf(order, client)
    if (index === 0) starts.forget(key)
    const since = version('pages')
    const start = starts.nearest(key, index)
    if (!start.position || index - start.index > MAX_SKIPPED) return undefined
    if (start.version === since && !mustBeOwn) return undefined
    const { isOwn, ...page } = await goOn(order, start)
    remember(order, client, page.next, isOwn ? undefined : since)
    return page
  }

  /** Remembers where the client's next page begins. @param since the store's version at that read */
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
