import { MEMBERS } from '../../pets/fields.ts'
import type { Animal, Mapping } from '../animal.ts'
import { unshieldFormulas } from '../formula.ts'
import { fromCells, LEAVES } from '../leaves.ts'

/** What `adoptable export` writes, and whoever brings their own file into that form. */
export const own: Mapping = {
  formats: ['ndjson', 'csv'],
  columns: ['name'],
  photoMembers: ['photos'],
  otherColumns: ['category', 'organization', 'photos', ...LEAVES.map(({ column }) => column)],
  toAnimal(fields, format) {
    const { category, organization } = fields
    if (format === 'csv') {
      const name = typeof category === 'string' ? unshieldFormulas(category) : category
      return withoutDerived({ ...fromCells(fields), category: name, organization })
    }
    const named = ['category', 'organization', ...MEMBERS].map((member) => [member, fields[member]] as const)
    return withoutDerived(Object.fromEntries(named))
  },
}

/** An export tells the age too, which follows from the birth date. */
function withoutDerived({ age, ...animal }: Animal): Animal {
  return animal.birthDate === undefined ? { age, ...animal } : animal
}
