import type { Context } from '../../context.ts'
import type { RenderOptions } from '../../pets/row.ts'
import { countMatches } from '../../pets/search/facets.ts'
import type { Finder } from '../../pets/search/filters.ts'
import type { Position } from '../../pets/search/matching.ts'
import type { AnimalList } from './animal-query.ts'
import { animalReader, type PageOrder, toOrder } from './animal-reader.ts'
import { clientPages } from './client-pages.ts'
import { type QueryParameters, toLocationError } from './parameters.ts'
import { randomOrders } from './random-orders.ts'
import { sharedPages } from './shared-pages.ts'
import { type AnimalPage, type PageBounds, totals } from './totals.ts'

// Reads pages of animals by page number. In one version of the store, all clients see the same pages, which
// neither skip nor repeat an animal. If a client has read the previous page in an older version, animals may
// have left the list since. The client then gets a page of its own, which begins where its last page ended
// (decision 30).

/** The maximum number of times that a page is read, if the store changes during each reading. */
const MAX_TRIES = 5

/** Reads one page for one client. */
interface PageReader {
  /**
   * @param mustBeOwn whether the page that all clients see is known not to fit
   * @returns the page that only this client sees; undefined if it sees the same page as all others
   */
  own(mustBeOwn?: boolean): Promise<AnimalPage | undefined>
  /**
   * Reads the page that all clients see.
   *
   * @throws {ApiError} invalid_parameter if the page is too far from the start
   */
  shared(): Promise<AnimalPage>
  /** Whether the page that all clients see begins where the client's last page ended. */
  fits(page: PageBounds): boolean
  /**
   * Remembers where the next page of the client begins, after the client got the page that all clients see.
   */
  remember(next: Position | undefined): void
}

/** @returns a function that makes a reader for each request */
export function animalPages(finder: Finder, context: Pick<Context, 'version' | 'clock'>) {
  const { version, clock } = context
  const read = animalReader(finder)
  const countOf = totals(context)
  const totalOf = ({ hash: list, query }: PageOrder) => countOf(list, () => countMatches(finder, query))
  const shared = sharedPages({ read, totalOf, version, clock })
  const pages = clientPages({ read, totalOf, shared, version, clock })
  const randomPage = randomOrders({ read, totalOf, clock })

  /**
   * Reads a page again if the store has changed during the read, because the parts of the page may be from
   * different versions.
   */
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
