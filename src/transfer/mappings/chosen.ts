import type { PetStatus } from '../../pets/fields.ts'
import type { Fields, Habits, Mapping } from '../animal.ts'
import { unshieldFormulas } from '../formula.ts'
import { LEAVES } from '../leaves.ts'
import { roughDateOf } from '../rough-date.ts'
import { listed, sourceRow } from '../source-row.ts'
import { AGES, COATS, SEXES, SIZES, UNIT_GRAMS, words } from '../words.ts'
import { isOwnColumn, ownBy } from './own.ts'

// A table of a shelter's own, of which somebody said what its columns hold.

/** By name or code, as people have it: ids are this store's own. */
const NAMED = new Map([
  ['categoryId', 'category'],
  ['organizationId', 'organization'],
])

/** What a column can be said to hold. */
export const CHOOSABLE: readonly string[] = LEAVES.map(({ column }) => NAMED.get(column) ?? column)

export interface ChosenColumns {
  /** By the position of the column, from 0, what it holds. */
  columns: ReadonlyMap<number, string>
  /** The position of the one that tells the animals apart. */
  id: number | undefined
}

/** The columns that are ours by their headings: of two with the same one the first. */
export function ownColumns(headings: readonly string[]): Set<number> {
  return new Set(
    headings.flatMap((heading, index) =>
      isOwnColumn(heading) && headings.indexOf(heading) === index ? [index] : [],
    ),
  )
}

/** The cells of chosen columns are read as people write them; all others as our own form has them. */
export function chosenBy(headings: readonly string[], { columns, id }: ChosenColumns): Mapping {
  const own = ownColumns(headings)
  const names = headings.map((heading, index) => columns.get(index) ?? (own.has(index) ? heading : ''))
  if (id !== undefined && names[id] === '') {
    const other = names.indexOf('id')
    if (other >= 0) names[other] = ''
    names[id] = 'id'
  }
  const idColumn = id === undefined ? undefined : names[id]
  const chosen = new Set(columns.values())
  const unit = unitIn(headings[names.indexOf('weightGrams')] ?? '')
  const { toAnimal, ...others } = ownBy()
  return {
    ...others,
    ...{ formats: ['csv'], names, ...(idColumn && { idColumn }) },
    toAnimal({ '': _left, ...cells }: Fields, format, habits) {
      const fields: Fields = { ...cells }
      for (const column of chosen) {
        const cell = cells[column]
        if (typeof cell === 'string')
          Object.assign(fields, valuesOf(column, cell.trim(), { ...habits, unit }))
      }
      // A currency says nothing without an amount.
      if (chosen.has('fee.amount'))
        fields['fee.currency'] =
          fields['fee.amount'] === undefined ? undefined : (fields['fee.currency'] ?? habits.currency)
      const { kind, isRough, ...read } = fields
      const animal = { ...toAnimal(read, format, habits), ...(typeof kind === 'string' && { kind }) }
      // Whatever a column beside it says: of a year nobody knows the day.
      return isRough === true ? { ...animal, birthDateExact: false } : animal
    },
  }
}

const STATUSES = words<PetStatus>({
  ...{ available: 'available', adoptable: 'available', 'for adoption': 'available' },
  ...{ pending: 'pending', reserved: 'pending', 'on hold': 'pending', sold: 'sold', adopted: 'sold' },
  ...{ disponible: 'available', reservado: 'pending', reservada: 'pending' },
  ...{ adoptado: 'sold', adoptada: 'sold' },
})

const WORDS = new Map<string, ReadonlyMap<string, unknown>>([
  ...([
    ['status', STATUSES],
    ['sex', SEXES],
    ['age', AGES],
  ] as const),
  ...([
    ['size', SIZES],
    ['coat', COATS],
  ] as const),
])

const BOOLEANS = new Set(LEAVES.filter(({ type }) => type === 'boolean').map(({ column }) => column))

/** A heading may have a million letters. */
const LONGEST_END = 40

/** In grams, the unit that a heading ends with: "Weight (lbs)". */
function unitIn(heading: string): number | undefined {
  const [word = ''] = /\p{L}+(?=\P{L}*$)/u.exec(heading.slice(-LONGEST_END)) ?? []
  return UNIT_GRAMS.get(word.toLowerCase()) ?? undefined
}

interface Written extends Habits {
  /** Of weights that tell none, where the heading of their column does. */
  unit: number | undefined
}

/** What was not understood stays as it is, and is refused with what it should be. */
function valuesOf(column: string, cell: string, { unit, ...habits }: Written): Fields {
  if (cell === '') return { [column]: undefined }
  const row = sourceRow({ cell }, habits)
  const meanings = WORDS.get(column)
  if (meanings) return { [column]: meanings.get(cell.toLowerCase()) ?? cell }
  if (BOOLEANS.has(column)) return { [column]: row.flag('cell') ?? cell }
  if (column === 'birthDate') return birthOf(cell, row.date('cell'))
  if (column === 'staff.intakeDate') return { [column]: row.date('cell') ?? cell }
  if (column === 'weightGrams') return { [column]: row.weight(unit, 'cell') ?? cell }
  if (column === 'colors' || column === 'tags') return { [column]: texts(cell, /[,;\r\n]+/) }
  if (column === 'bondedWith' || column === 'videos') return { [column]: texts(cell, /[\s,;]+/) }
  // A word for the kind, which may be finer than any category.
  if (column === 'category') return { category: undefined, kind: unshieldFormulas(cell) }
  if (column === 'fee.amount' && FREE.includes(cell.toLowerCase())) return { [column]: 0 }
  return { [column]: (column === 'fee.amount' ? row.money('cell')?.amount : undefined) ?? cell }
}

const FREE = ['free', 'gratis']

function birthOf(cell: string, day: string | undefined): Fields {
  const rough = day === undefined ? roughDateOf(cell) : undefined
  return { birthDate: day ?? rough ?? cell, isRough: rough !== undefined }
}

const texts = (cell: string, between: RegExp): string[] | undefined =>
  listed(
    unshieldFormulas(cell)
      .split(between)
      .map((text) => text.trim()),
  )
