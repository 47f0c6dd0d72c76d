import { NOSNIFF, PRIVATE_ENCODED } from './cache-headers.ts'
import type { View } from './caller.ts'
import { type Coding, encodeRepresentation, type Representation } from './compress.ts'
import { JSON_TYPE } from './send-error.ts'

export interface PageRequest {
  view: View
  /** The canonical URL. It includes everything that the page depends on, and nothing else. */
  address: string
  /** The caller who first requested the page, or its organization. The page counts towards its share. */
  owner: string
}

/** A 200 response as its route creates it. */
export interface NewPage {
  body: string
  /** Media type of the body. JSON when absent. */
  type?: string
  /** Headers to send in addition to the headers of every page. */
  headers: { etag: string } & Record<string, string>
  /** When the page expires, in Unix milliseconds. */
  until?: number
  /** True if the page may change without a commit. Such a page is not cached. */
  isVolatile?: boolean
  /** The positions at which a page of a list begins and ends, for the route that made the page. */
  bounds?: unknown
}

/** A cached 200 response. */
export interface Page extends NewPage, PageRequest, Representation {
  /** Bytes of the body. */
  length: number
  /** Bytes that the page takes in the cache, including all codings. 0 while the page is not cached. */
  size: number
  /** The encoded bodies that clients requested, finished or in progress. */
  encoded: { [coding in Coding]?: Representation | Promise<Representation | undefined> | undefined }
}

/**
 * Caches responses until the data in them changes. Each caller or organization gets at most a quarter of the
 * memory, so a caller that requests many pages evicts only pages of its own.
 */
export interface PageCache {
  /** @returns undefined also when the store cannot report its version; `page` then throws the error */
  get(view: View, address: string): Page | undefined
  /**
   * Returns the cached page. If there is none, reads the page once for all callers that request it at the
   * same time with the same view. Caches the page unless the data changes during the read.
   * @param now Unix time in milliseconds
   */
  page(request: PageRequest, read: () => Promise<NewPage>, now?: number): Promise<Page>
  /**
   * Encodes the page once for all callers, and caches the encoded body with the page.
   * @returns undefined when too many bodies are being compressed; send the page uncompressed then
   */
  encode(page: Page, coding: Coding): Promise<Representation | undefined>
}

/** The estimated size of a page without its text, in bytes. */
const PAGE_OVERHEAD_BYTES = 500

/** The pages of one owner, oldest first. */
interface OwnerShare {
  keys: Set<string>
  bytes: number
}

/** All pages, oldest first, and how much memory each owner uses. */
function openPageMap(maxBytes: number) {
  const pages = new Map<string, Page>()
  const shares = new Map<string, OwnerShare>()
  const maxShare = maxBytes / 4
  let bytes = 0

  function remove(key: string): void {
    const page = pages.get(key)
    const share = page && shares.get(page.owner)
    if (!share) return
    pages.delete(key)
    share.keys.delete(key)
    share.bytes -= page.size
    bytes -= page.size
    if (share.keys.size === 0) shares.delete(page.owner)
  }

  /** Caches a page or another coding of it, and evicts others, if it is not larger than the owner's share. */
  function add(key: string, page: Page, size: number): void {
    const ownerShare = (): OwnerShare => shares.get(page.owner) ?? { keys: new Set(), bytes: 0 }
    const isCached = pages.get(key) === page
    if (!isCached || page.size + size > maxShare) remove(key)
    if (page.size + size > maxShare) return
    while (ownerShare().bytes + size > maxShare) remove(first(ownerShare().keys))
    while (bytes + size > maxBytes) remove(first(pages.keys()))
    // Making room for the coding has evicted the page itself.
    if (isCached && pages.get(key) !== page) return
    const share = ownerShare()
    shares.set(page.owner, share)
    pages.set(key, page)
    share.keys.add(key)
    page.size += size
    share.bytes += size
    bytes += size
  }

  function clear(): void {
    pages.clear()
    shares.clear()
    bytes = 0
  }

  return { get: (key: string) => pages.get(key), add, remove, clear }
}

export function createPageCache(version: () => number, maxBytes: number): PageCache {
  const pages = openPageMap(maxBytes)
  const inProgress = new Map<string, Promise<Page>>()
  let cachedVersion = -1

  async function readPage(key: string, request: PageRequest, read: () => Promise<NewPage>): Promise<Page> {
    const versionBefore = version()
    const page = toPage(request, await read())
    if (!page.isVolatile && versionBefore === cachedVersion && version() === cachedVersion)
      pages.add(key, page, sizeOf(key, page))
    return page
  }

  async function encodePage(page: Page, coding: Coding): Promise<Representation | undefined> {
    try {
      const representation = await encodeRepresentation(page, coding)
      page.encoded[coding] = representation
      const key = keyOf(page.view, page.address)
      if (representation && pages.get(key) === page) pages.add(key, page, sizeOf(key, representation))
      return representation
    } catch (error) {
      page.encoded[coding] = undefined
      throw error
    }
  }

  function get(view: View, address: string): Page | undefined {
    try {
      const current = version()
      if (current !== cachedVersion) pages.clear()
      cachedVersion = current
      return pages.get(keyOf(view, address))
    } catch {
      return undefined
    }
  }

  return {
    get,
    async page(request, read, now = 0) {
      const { view, address } = request
      const cached = get(view, address)
      if (cached && now < (cached.until ?? Number.POSITIVE_INFINITY)) return cached
      const key = keyOf(view, address)
      if (cached) pages.remove(key)
      const current = `${cachedVersion} ${key}`
      const pending =
        inProgress.get(current) ?? readPage(key, request, read).finally(() => inProgress.delete(current))
      inProgress.set(current, pending)
      return pending
    },
    async encode(page, coding) {
      page.encoded[coding] ??= encodePage(page, coding)
      return page.encoded[coding]
    },
  }
}

/** Makes the key of a page. Keys are unique, because a view contains no space. */
const keyOf = (view: View, address: string): string => `${view} ${address}`

const first = (keys: Iterable<string>): string => {
  const [key = ''] = keys
  return key
}

function toPage(request: PageRequest, page: NewPage): Page {
  const { body } = page
  const headers = { ...NOSNIFF, ...PRIVATE_ENCODED, ...page.headers }
  const length = Buffer.byteLength(body)
  const allHeaders = { ...headers, 'content-type': page.type ?? JSON_TYPE, 'content-length': String(length) }
  const encoding = length === body.length ? 'latin1' : 'utf8'
  return { ...request, ...page, headers, allHeaders, encoding, length, size: 0, encoded: {} }
}

function sizeOf(key: string, { body, headers, encoding }: Representation): number {
  const text = encoding === 'latin1' ? body.length : 2 * body.length
  const headerCharacters = Object.values(headers).reduce((sum, value) => sum + value.length, 0)
  return PAGE_OVERHEAD_BYTES + key.length + text + headerCharacters
}

/** Caches a value until the version changes. A promise that fails is not kept. */
export function cachedByVersion<Value>(version: () => number, read: () => Value): () => Value {
  let cachedVersion: number | undefined
  let value: Value
  return () => {
    if (cachedVersion === version()) return value
    cachedVersion = version()
    value = read()
    if (value instanceof Promise)
      value.catch(() => {
        cachedVersion = undefined
      })
    return value
  }
}
