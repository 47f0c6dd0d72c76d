import type { QueryParameters } from './query-parameters.ts'

interface Pages {
  page: number
  limit: number
  total: number
}

/** With the neighbours that exist; a list of one page has no links at all. */
export function paginationOf(path: string, parameters: QueryParameters, { page, limit, total }: Pages) {
  const last = Math.ceil(total / limit)
  const kept = parameters.kept()
  const link = (to: number) => ({ href: `${path}?${kept}${kept && '&'}page=${to}` })
  const links = {
    ...(page > 1 && { previous: link(Math.min(page - 1, Math.max(last, 1))) }),
    ...(page < last && { next: link(page + 1) }),
  }
  return {
    count_per_page: limit,
    total_count: total,
    current_page: page,
    total_pages: last,
    ...(Object.keys(links).length > 0 && { _links: links }),
  }
}
