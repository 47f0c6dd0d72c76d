/** Ready answers, for as long as nobody has committed anything; bounded by their size in bytes. */
export interface PageCache {
  get(query: string): string | undefined
  /** Makes an answer and keeps it, unless something was committed meanwhile. */
  make(query: string, read: () => Promise<string>): Promise<string>
}

export function pageCache(version: () => number, mostBytes: number): PageCache {
  const pages = new Map<string, string>()
  let since = -1
  let bytes = 0

  function drop(now: number): void {
    pages.clear()
    bytes = 0
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
      if (bytes + page.length > mostBytes) drop(since)
      pages.set(query, page)
      bytes += page.length
      return page
    },
  }
}
