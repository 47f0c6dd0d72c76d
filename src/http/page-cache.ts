import type { Access } from '../access.ts'
import { NOSNIFF, PRIVATE } from './cache-headers.ts'
import type { View } from './caller.ts'
import { JSON_TYPE } from './send-error.ts'

/** Which page is asked for, and what its route is. */
export interface Asked {
  view: View
  /** With all of the query. */
  address: string
  /** Its operationId and route, such as listPets and /v1/pets. */
  operation: string
  route: string
  /** What a caller needs for the route. */
  access: Access | undefined
}

/** An answer of 200 as a route makes it. */
export interface NewPage {
  body: string
  /** Beside those that every answer has. */
  headers: { etag: string } & Record<string, string>
  /** Unix time in milliseconds from which on it is not given any more. */
  until?: number
  /** Whether it may change although nobody commits: it is not kept. */
  passing?: boolean
}

/** An answer of 200 as it can be given again. */
export interface Page extends NewPage, Asked {
  /** `headers`, and those that tell of the body. */
  allHeaders: Record<string, string>
  /** Where each character is one byte, Node need not look at them again. */
  encoding: 'latin1' | 'utf8'
}

/** Ready answers, for as long as nothing that they show has changed; bounded by the memory that they take. */
export interface PageCache {
  /** @returns undefined also when the store cannot say what has changed; `page` then meets the cause */
  get(view: View, address: string): Page | undefined
  /**
   * What is ready, or is made now: once for all callers with the same view who ask meanwhile, and kept unless
   * something changes.
   */
  page(asked: Asked, read: () => Promise<NewPage>): Promise<Page>
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

  async function keep(key: string, asked: Asked, read: () => Promise<NewPage>): Promise<Page> {
    const before = version()
    const page = toPage(asked, await read())
    if (page.passing || before !== since || version() !== since) return page
    const size = sizeOf(key, page)
    if (bytes + size > mostBytes) drop(since)
    pages.set(key, page)
    bytes += size
    return page
  }

  function get(view: View, address: string): Page | undefined {
    try {
      const now = version()
      if (now !== since) drop(now)
      return pages.get(keyOf(view, address))
    } catch {
      return undefined
    }
  }

  return {
    get,
    async page(asked, read) {
      const { view, address } = asked
      const cached = get(view, address)
      if (cached) return cached
      const key = keyOf(view, address)
      const current = `${since} ${key}`
      const begun = making.get(current) ?? keep(key, asked, read).finally(() => making.delete(current))
      making.set(current, begun)
      return begun
    },
  }
}

/** No view has a space in it. */
function keyOf(view: View, address: string): string {
  return `${view} ${address}`
}

function toPage(asked: Asked, made: NewPage): Page {
  const { body } = made
  const headers = { ...NOSNIFF, ...PRIVATE, ...made.headers }
  const bytes = Buffer.byteLength(body)
  const allHeaders = { ...headers, 'content-type': JSON_TYPE, 'content-length': String(bytes) }
  const encoding = bytes === body.length ? 'latin1' : 'utf8'
  return { ...asked, ...made, headers, allHeaders, encoding }
}

function sizeOf(key: string, { body, headers, encoding }: Page): number {
  const text = encoding === 'latin1' ? body.length : 2 * body.length
  const told = Object.values(headers).reduce((sum, value) => sum + value.length, 0)
  return OVERHEAD + key.length + text + told
}
