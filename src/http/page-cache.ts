/** A ready answer: its body and headers. */
export interface Page {
  body: string
  link: string
  etag: string
}

/** Ready answers, for as long as nobody has committed anything; bounded by their size in characters. */
export interface PageCache {
  get(query: string): Page | undefined
  /** Makes an answer and keeps it, unless something was committed meanwhile. */
  make(query: string, read: () => Promise<Page>): Promise<Page>
}

export function pageCache(version: () => number, mostCharacters: number): PageCache {
  const pages = new Map<string, Page>()
  let since = -1
  let characters = 0

  function drop(now: number): void {
    pages.clear()
    characters = 0
    since = now
  }

  return {
    get(query) {
      const now = version()
      if (now !== since) drop(now)
      return pages.get(query)
    },
    async make(query, read) {
      const before = version()
      const page = await read()
      if (before !== since || version() !== since) return page
      const size = query.length + page.body.length + page.link.length
      if (characters + size > mostCharacters) drop(since)
      pages.set(query, page)
      characters += size
      return page
    },
  }
}
