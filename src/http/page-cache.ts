import { NOSNIFF, PRIVATE_CODED } from './cache-headers.ts'
import type { View } from './caller.ts'
import { canonical } from './canonical.ts'
import type { Coding } from './coding.ts'
import { codedForm, type Form } from './form.ts'
import { JSON_TYPE } from './send-error.ts'

/** The page that a request asks for. */
export interface PageRequest {
  view: View
  /** With all of the query, and the variant of the face before it. */
  address: string
  /** Whether the address has parameters that the route ignores: a client may refuse that. */
  isLenient: boolean
}

/** An answer of 200 as a route makes it. */
export interface NewPage {
  body: string
  /** Of the body; JSON when absent. */
  type?: string
  /** Beside those that every answer has. */
  headers: { etag: string } & Record<string, string>
  /** Unix time in milliseconds from which on it is not given any more. */
  until?: number
  /** Whether it may change although nobody commits: it is not kept. */
  passing?: boolean
}

/** An answer of 200 as it can be given again. */
export interface Page extends NewPage, PageRequest, Form {
  /** Bytes of the body. */
  length: number
  /** In the codings that somebody asked for: there, or in the making. */
  coded: { [coding in Coding]?: Form | Promise<Form | undefined> | undefined }
}

/** Ready answers, for as long as nothing that they show has changed; bounded by the memory that they take. */
export interface PageCache {
  /** @returns undefined also when the store cannot say what has changed; `page` then meets the cause */
  get(view: View, address: string): Page | undefined
  /**
   * What is ready, or is made now: once for all callers with the same view who ask meanwhile, and kept unless
   * something changes.
   *
   * @param now Unix time in milliseconds
   */
  page(asked: PageRequest, read: () => Promise<NewPage>, now?: number): Promise<Page>
  /**
   * The page in a coding: made once for all who ask, and kept with the page.
   *
   * @returns undefined when too many others are being made; it is then to be sent as it is
   */
  code(page: Page, coding: Coding): Promise<Form | undefined>
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

  async function keep(key: string, asked: PageRequest, read: () => Promise<NewPage>): Promise<Page> {
    const before = version()
    const page = toPage(asked, await read())
    if (page.passing || before !== since || version() !== since) return page
    const size = sizeOf(key, page)
    if (bytes + size > mostBytes) drop(since)
    pages.set(key, page)
    bytes += size
    return page
  }

  async function keepCoded(page: Page, coding: Coding): Promise<Form | undefined> {
    try {
      const form = await codedForm(page, coding)
      page.coded[coding] = form
      const key = keyOf(page.view, page.address)
      if (!form || pages.get(key) !== page) return form
      const size = sizeOf(key, form)
      // With everything the page itself goes: what is there is counted, and what is counted is there.
      if (bytes + size > mostBytes) drop(since)
      else bytes += size
      return form
    } catch (error) {
      page.coded[coding] = undefined
      throw error
    }
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
    async page(asked, read, now = 0) {
      const { view, address } = asked
      const cached = get(view, address)
      if (cached && now < (cached.until ?? Number.POSITIVE_INFINITY)) return cached
      // Others are over too, or soon will be.
      if (cached) drop(since)
      const key = keyOf(view, address)
      const current = `${since} ${key}`
      const begun = making.get(current) ?? keep(key, asked, read).finally(() => making.delete(current))
      making.set(current, begun)
      return begun
    },
    async code(page, coding) {
      page.coded[coding] ??= keepCoded(page, coding)
      return page.coded[coding]
    },
  }
}

/** An address of which there are several pages, each of a variant; it has no space in it. */
export const variantOf = (variant: string | undefined, address: string): string =>
  variant === undefined ? address : `${variant} ${address}`

/** No view has a space in it. */
function keyOf(view: View, address: string): string {
  return `${view} ${canonical(address)}`
}

function toPage(asked: PageRequest, made: NewPage): Page {
  const { body } = made
  const headers = { ...NOSNIFF, ...PRIVATE_CODED, ...made.headers }
  const length = Buffer.byteLength(body)
  const allHeaders = { ...headers, 'content-type': made.type ?? JSON_TYPE, 'content-length': String(length) }
  const encoding = length === body.length ? 'latin1' : 'utf8'
  return { ...asked, ...made, headers, allHeaders, encoding, length, coded: {} }
}

function sizeOf(key: string, { body, headers, encoding }: Form): number {
  const text = encoding === 'latin1' ? body.length : 2 * body.length
  const told = Object.values(headers).reduce((sum, value) => sum + value.length, 0)
  return OVERHEAD + key.length + text + told
}
