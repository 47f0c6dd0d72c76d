import type { Mapping } from '../animal.ts'
import { COLUMNS } from '../columns.ts'
import { NOT_GOOD_WITH } from '../good-with.ts'
import { createOwnMapping, isOwnColumn } from './own.ts'

// Reads a shelter's own table. In the console, a person chooses a member for each column.

/** People choose names and codes instead of ids of this store. */
const COLUMN_NAMES = new Map([
  ['categoryId', 'category'],
  ['organizationId', 'organization'],
])

/** The members that can be chosen for a column. People do not write lists of objects by hand. */
export const CHOOSABLE_COLUMNS: readonly string[] = COLUMNS.flatMap(({ column, hasObjects }) => [
  ...(hasObjects ? [] : [COLUMN_NAMES.get(column) ?? column]),
  ...(column === 'goodWith.cats' ? NOT_GOOD_WITH : []),
])

export interface ChosenColumns {
  /** The chosen member by the position of the column, from 0. */
  columns: ReadonlyMap<number, string>
  /** The position of the column with the ids. */
  id: number | undefined
  /** Whether other columns keep their headings, so the import reports them. */
  keepsOthers?: boolean
}

/** Finds the columns with a heading of adoptable's own format; the first one for a repeated heading. */
export function findOwnColumns(headings: readonly string[]): Set<number> {
  return new Set(
    headings.flatMap((heading, index) =>
      isOwnColumn(heading) && headings.indexOf(heading) === index ? [index] : [],
    ),
  )
}

/** Reads chosen columns, and columns whose heading is from adoptable's own format, as people write them. */
export function createTableMapping(
  headings: readonly string[],
  { columns, id, keepsOthers = false }: ChosenColumns,
): Mapping {
  const own = findOwnColumns(headings)
  const otherName = (heading: string, index: number): string => {
    if (heading.trim() === '') return index === id ? '' : `column ${index + 1}`
    return headings.indexOf(heading) === index ? heading : `${heading} (column ${index + 1})`
  }
  // A column without a field may still say that an animal is held.
  const names = headings.map(
    (heading, index) => columns.get(index) ?? (own.has(index) ? heading : otherName(heading, index)),
  )
  if (id !== undefined && names[id] === '') {
    const other = names.indexOf('id')
    if (other >= 0) names[other] = ''
    names[id] = 'id'
  }
  const idColumn = id === undefined ? undefined : names[id]
  const given = new Map<string, string>()
  for (const [index, name] of names.entries())
    given.set(name, [given.get(name), headings[index]].filter((heading) => heading).join(' / '))
  // An animal without a name is imported under its number.
  const [required = 'name'] = names.includes('name')
    ? []
    : ['externalId', idColumn].filter((name) => name !== undefined && names.includes(name))
  return {
    ...createOwnMapping(idColumn, given, keepsOthers),
    ...{
      formats: ['csv'],
      columns: [required],
      names,
      ...(idColumn && { idColumn, isIdOptional: true as const }),
      ...(keepsOthers && { otherColumns: [] }),
    },
  }
}
