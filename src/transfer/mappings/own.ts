import { int64 } from '../../http/validate.ts'
import { MEMBERS } from '../../pets/fields.ts'
import type { Mapping } from '../animal.ts'
import { unshieldFormulas } from '../formula.ts'

/** What `adoptable export` writes, and whoever brings their own file into that form. */
export const own: Mapping = {
  formats: ['ndjson', 'csv'],
  columns: ['name'],
  otherColumns: ['category', ...MEMBERS],
  toAnimal(fields, format) {
    const named = ['category', ...MEMBERS].map((member) => [member, fields[member]] as const)
    if (format !== 'csv') return Object.fromEntries(named)
    const read = named.map(([member, cell]) => [member, unshielded(cell)])
    return { ...Object.fromEntries(read), categoryId: fromText(fields.categoryId) }
  },
}

function unshielded(cell: unknown): unknown {
  return typeof cell === 'string' ? unshieldFormulas(cell) : cell
}

/** In CSV a number is text; what is none stays text, and is refused as such. */
function fromText(cell: unknown): unknown {
  const id = typeof cell === 'string' ? int64(cell) : undefined
  if (id === undefined) return cell
  return Number.isSafeInteger(Number(id)) ? Number(id) : id
}
