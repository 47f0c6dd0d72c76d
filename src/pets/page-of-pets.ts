import { plainStart, requireBounds } from './query.ts'
import type { Show } from './row.ts'
import { find, type Start } from './search/find.ts'
import type { Finder } from './search/finder.ts'
import * as search from './search.ts'

/**
 * By the table of animals where that suffices, or else by their tokens.
 *
 * @throws {ApiError} invalid_parameter
 */
export async function pageOfPets(finder: Finder, start: Start, show: Show) {
  const plain = plainStart(start.query)
  const [, after] = start.after ?? []
  if (!plain) {
    requireBounds(start.query)
    const { found, next } = await find(finder, start, show)
    return { found, next, cut: next !== undefined }
  }
  const { found, cutFrom, only } = await search.list(
    finder.db,
    { ...plain, picked: start.picked, after },
    show,
  )
  const placed = found.map((animal) => ({ ...animal, position: [0, animal.id] as const }))
  const cut = cutFrom !== undefined
  const next = cut ? (placed.at(-1)?.position ?? start.after ?? ([0, 0] as const)) : undefined
  return { found: placed, only, next, cut }
}
