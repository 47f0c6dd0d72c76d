import { ApiError } from '../errors.ts'
import type { View } from '../http/caller.ts'
import { countWords } from '../search/words.ts'
import type { Show } from './row.ts'
import type { PetQuery } from './schema.ts'
import { type Finder, find, type Start } from './search/find.ts'
import type { PageStart } from './search.ts'
import * as search from './search.ts'

// A query of a list of animals: its bounds, and the page that answers it.

/** @returns what the table of animals answers alone; undefined for anything else */
function plainStart(query: PetQuery): PageStart | undefined {
  const { limit, within, sort, cursor, fields, id, status, categoryId, organizationId, ...others } = query
  if (sort !== 'id' && sort !== '-id') return undefined
  const given = [categoryId, organizationId]
  if (given.some((values) => values && values.length > 1)) return undefined
  if (Object.values(others).some((value) => value !== undefined)) return undefined
  return {
    // In one order, so that what was asked for in another is the same.
    ...{ limit, sort, id, status: status && [...new Set(status)].sort() },
    ...{ categoryId: categoryId?.[0], organizationId: organizationId?.[0] },
  }
}

/** What a cursor belongs to: everything that decides which animals follow which. */
export function scopeOf(query: PetQuery, view: View): string {
  const { limit, cursor, fields, ...asked } = query
  const sorted = Object.entries(asked)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? value.map(String).sort() : String(value)])
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
  return JSON.stringify(['pets', view, sorted])
}

const [MAX_FILTERS, MAX_VALUES, MAX_WORDS] = [16, 64, 8]

/** Of what a client of the list asks for. @throws {ApiError} invalid_parameter */
export function requireBounds(query: PetQuery): void {
  const { limit, within, sort, cursor, fields, id, ...filters } = query
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const values = given.reduce((sum, [, value]) => sum + (Array.isArray(value) ? value.length : 1), 0)
  const [last = 'sort'] = given.at(-1) ?? []
  if (given.length > MAX_FILTERS) throw refused(last, `Give at most ${MAX_FILTERS} filters.`)
  if (values > MAX_VALUES) throw refused(last, `Give at most ${MAX_VALUES} values in all filters together.`)
  if (countWords(filters.q ?? '') > MAX_WORDS) throw refused('q', `Give at most ${MAX_WORDS} words.`)
  if (sort === 'distance' && filters.near === undefined)
    throw refused('sort', 'Sorting by distance needs `near`.')
  if (id && !['id', '-id'].includes(sort)) throw refused('sort', 'With `id` only id and -id can sort.')
}

function refused(parameter: string, message: string): ApiError {
  return new ApiError('invalid_parameter', { details: [{ parameter, code: 'invalid_value', message }] })
}

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
