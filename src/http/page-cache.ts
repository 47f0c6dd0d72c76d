import { JSON_TYPE } from './error-body.ts'

/** An answer of 200 as a route makes it. */
export interface NewPage {
  /** Its operationId and route, such as listPets and /v1/pets. */
  operation: string
  route: string
  body: string
  /** Beside those that every answer has. */
  headers: { etag: string } & Record<string, string>
  /** Unix time in milliseconds from which on it is not given any more. */
  until?: number
  /** Whether it may change although nobody commits: it is not kept. */
  passing?: boolean
}

/** An answer of 200 as it can be given again. */
export interface Page extends NewPage {
  /** `headers`, and those that tell of the body. */
  allHeaders: Record<string, string>
  /** Where each character is one byte, Node need not look at them again. */
  encoding: 'latin1' | 'utf8'
}

/** Ready answers, for as long as nothing that they show has changed; bounded by the memory that they take. */
export interface PageCache {
  /** @returns undefined also when the store cannot say what has changed; `page` then meets the cause */
  get(query: string): Page | undefined
  /** What is ready, or is made now: once for all who ask meanwhile, and kept unless something changes. */
  page(query: string, read: () => Promise<NewPage>): Promise<Page>
}

/** What a page takes besides its text, in bytes. */
const OVERHEAD = 500

export function pageCache(version: () => number, mostBytes: number): PageCache {
  const pages = new Map<string, Page>()
  const making = new Map<string, Promise<Page>>()
  let since = -1
  let bytes = 0

  function drop(now: number): void {
    pages.clear()
    bytes = 0
    since = now
  }

  async function keep(query: string, read: () => Promise<NewPage>): Promise<Page> {
    const before = version()
    const page = toPage(await read())
    if (page.passing || before !== since || version() !== since) return page
    const size = sizeOf(query, page)
    if (bytes + size > mostBytes) drop(since)
    pages.set(query, page)
    bytes += size
    return page
  }

  function get(query: string): Page | undefined {
    try {
      const now = version()
      if (now !== since) drop(now)
      return pages.get(query)
    } catch {
      return undefined
    }
  }

  return {
    get,
    async page(query, read) {
      const ready = get(query)
      if (ready) return ready
      const place = `${since} ${query}`
      const begun = making.get(place) ?? keep(query, read).finally(() => making.delete(place))
      making.set(place, begun)
      return begun
    },
  }
}

function toPage(made: NewPage): Page {
  const { body, headers } = made
  const bytes = Buffer.byteLength(body)
  const allHeaders = { ...headers, 'content-type': JSON_TYPE, 'content-length': String(bytes) }
  const encoding = bytes === body.length ? 'latin1' : 'utf8'
  return { ...made, allHeaders, encoding }
}

function sizeOf(query: string, { body, headers, encoding }: Page): number {
  const text = encoding === 'latin1' ? body.length : 2 * body.length
  const told = Object.values(headers).reduce((sum, value) => sum + value.length, 0)
  return OVERHEAD + query.length + text + told
}
