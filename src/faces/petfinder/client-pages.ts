import type { Context } from '../../context.ts'
import type { Position } from '../../pets/search/matching.ts'
import { compareIn, MAX_SKIPPED, type PageOrder, type ReadAnimals } from './animal-reader.ts'
import { type PageStart, pageStarts } from './page-starts.ts'
import type { SharedPages } from './shared-pages.ts'
import type { AnimalPage, PageBounds, Total } from './totals.ts'

// Reads pages for a client that has read the previous page in another version of the store. The client's next
// page begins where its last page ended, because the page that all clients see may skip animals that this
// client has not seen.

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

interface Options extends Pick<Context, 'version' | 'clock'> {
  read: ReadAnimals
  totalOf(order: PageOrder): Promise<Total>
  shared: SharedPages
}

/** Reads a page for a client whose list has changed. */
function ownPages({ read, totalOf, shared }: Omit<Options, 'version' | 'clock'>) {
  /**
   * Reads the page that begins where the client's last page ended. Reads the page that all other clients see,
   * if that page begins earlier in the list.
   */
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

export function clientPages({ version, clock, ...options }: Options) {
  const { goOn, goBack } = ownPages(options)
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

  /**
   * Remembers where the next page of the client begins. @param since the version of the store that the page
   * was read from
   */
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
