import { int64 } from '../../http/validate.ts'
import type { Mapping } from '../animal.ts'

/** What `adoptable export` writes, and whoever brings their own file into that form. */
export const own: Mapping = {
  formats: ['ndjson', 'csv'],
  columns: ['name'],
  otherColumns: ['category', 'categoryId', 'status'],
  toAnimal({ name, categoryId, category, status }, format) {
    return { name, categoryId: format === 'csv' ? fromText(categoryId) : categoryId, category, status }
  },
}

/** In CSV a number is text; what is none stays text, and is refused as such. */
function fromText(cell: unknown): unknown {
  const id = typeof cell === 'string' ? int64(cell) : undefined
  if (id === undefined) return cell
  return Number.isSafeInteger(Number(id)) ? Number(id) : id
}
