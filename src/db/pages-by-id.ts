const PAGE_SIZE = 1_000

/**
 * Yields all rows by ascending id, page by page.
 *
 * @param read returns up to `limit` rows with ids above `after`
 */
export async function* pagesById<Row extends { id: number }>(
  read: (after: number, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: Row[] = await read(after, PAGE_SIZE)
    yield rows
    after = rows[PAGE_SIZE - 1]?.id
  }
}
