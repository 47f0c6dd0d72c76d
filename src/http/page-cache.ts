/** An answer of 200 as it can be given again. */
export interface Page {
  /** Its operationId and route, such as listPets and /v1/pets. */
  operation: string
  route: string
  body: string
  /** Beside those that every answer has. */
  headers: { etag: string } & Record<string, string>
  /** Unix time in milliseconds from which on it is not given any more. */
  until?: number
}

/** Ready answers, for as long as nothing that they show has changed; bounded by their size in characters. */
export interface PageCache {
  /** @returns undefined also when the store cannot say what has changed; `page` then meets the cause */
  get(query: string): Page | undefined
  /** What is ready, or is made now: once for all who ask meanwhile, and kept unless something changes. */
  page(query: string, read: () => Promise<Page>): Promise<Page>
}

export function pageCache(version: () => number, mostCharacters: number): PageCache {
  const pages = new Map<string, Page>()
  const making = new Map<string, Promise<Page>>()
  let since = -1
  let characters = 0

  function drop(now: number): void {
    pages.clear()
    characters = 0
    since = now
  }

  async function keep(query: string, read: () => Promise<Page>): Promise<Page> {
    const before = version()
    const page = await read()
    if (before !== since || version() !== since) return page
    const size = query.length + page.body.length + lengthOf(page.headers)
    if (characters + size > mostCharacters) drop(since)
    pages.set(query, page)
    characters += size
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

function lengthOf(headers: Page['headers']): number {
  return Object.values(headers).reduce((sum, value) => sum + value.length, 0)
}
