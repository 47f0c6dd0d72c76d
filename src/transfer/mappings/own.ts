import { FIELDS, MEMBERS, type Member } from '../../pets/fields.ts'
import type { Animal, Fields, Format, Mapping } from '../animal.ts'
import { unshieldFormulas } from '../formula.ts'
import { fromCells, LEAVES } from '../leaves.ts'
import { isObject } from '../source-row.ts'

/** Beside the members, in either format. */
const OTHERS = ['category', 'organization', 'photos']
/** What the service gives to an animal itself, and answers with. */
const GIVEN = ['id', 'publishedAt', 'statusChangedAt', 'createdAt', 'updatedAt']
const COLUMNS = new Set([...OTHERS, ...GIVEN, ...LEAVES.map(({ column }) => column)])

export const isOwnColumn = (heading: string): boolean => COLUMNS.has(heading)
const NAMES = new Set<string>([...OTHERS, ...GIVEN, ...MEMBERS])

const PARTS = new Map(
  MEMBERS.flatMap((member: Member): [string, Set<string>][] => {
    const { properties } = FIELDS[member].schema as { properties?: object }
    return properties ? [[member, new Set(Object.keys(properties))]] : []
  }),
)

/**
 * What `adoptable export` writes, and whoever brings their own file into that form.
 *
 * @param idColumn what the file has its ids in, where that is a column of its own
 */
export function ownBy(idColumn?: string): Mapping {
  return {
    formats: ['ndjson', 'csv'],
    columns: ['name'],
    photoMembers: ['photos'],
    otherColumns: ['category', 'organization', 'photos', ...LEAVES.map(({ column }) => column)],
    toAnimal(fields, format) {
      const { category, organization } = fields
      const unknown = unknownIn(fields, format).filter((name) => name !== idColumn)
      const more = { organization, ...(unknown.length > 0 && { unknown }) }
      if (format === 'csv') {
        const name = typeof category === 'string' ? unshieldFormulas(category) : category
        return withoutDerived({ ...fromCells(fields), category: name, ...more })
      }
      const named = MEMBERS.map((member) => [member, fields[member]] as const)
      return withoutDerived({ ...Object.fromEntries(named), category, ...more })
    },
  }
}

export const own = ownBy()

/** Most are written wrong: they would be missed without a word. */
function unknownIn(fields: Fields, format: Format): string[] {
  const known = format === 'csv' ? COLUMNS : NAMES
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!known.has(name)) return [name]
    const parts = isObject(value) ? PARTS.get(name) : undefined
    if (!parts || !isObject(value)) return []
    return Object.keys(value).flatMap((part) => (parts.has(part) ? [] : [`${name}.${part}`]))
  })
}

/** An export tells the age too, which follows from the birth date. */
function withoutDerived({ age, ...animal }: Animal): Animal {
  return animal.birthDate === undefined ? { age, ...animal } : animal
}
