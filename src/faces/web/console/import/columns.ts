import { basename, extname } from 'node:path'
import type { FormBody } from '../../../../http/form-body.ts'
import { CHOOSABLE, ownColumns } from '../../../../transfer/mappings/chosen.ts'
import { ownBy } from '../../../../transfer/mappings/own.ts'
import { readTable } from '../../../../transfer/read-table.ts'
import type { Problem } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { guessColumns } from './guess.ts'
import { formatOf, piecesOf } from './run.ts'
import { type Chosen, columnsOf, type Uploaded } from './uploads.ts'

// What the columns of a shelter's own table hold, as far as its headings do not say it.

/** So many can be chosen; a browser makes a list of each. */
const MAX_CHOSEN = 40

export interface Column {
  index: number
  heading: string
  example: string
}

export interface Columns {
  /** Those that somebody says something of. */
  open: Column[]
  /** How many more there would be. */
  more: number
  /** Those that are ours by their headings. */
  own: Column[]
}

/** @returns undefined for a file that says all itself */
export async function findColumns({ bytes, chosen }: Uploaded): Promise<Columns | undefined> {
  if (chosen.from !== '' || formatOf(chosen, ownBy()) !== 'csv') return undefined
  // What cannot be read at all, the import tells.
  const table = await readTable(piecesOf(bytes)).catch(() => undefined)
  if (!table) return undefined
  const { headings, example } = table
  const all = headings.map((heading, index): Column => ({ index, heading, example: example[index] ?? '' }))
  const ours = ownColumns(headings)
  const own = all.filter(({ index }) => ours.has(index))
  const open = all.filter((column) => !ours.has(column.index) && !isEmpty(column))
  const isAsked = open.length > 0 || !headings.includes('name') || chosen.update === 'yes'
  if (!isAsked) return undefined
  return { open: open.slice(0, MAX_CHOSEN), more: Math.max(0, open.length - MAX_CHOSEN), own }
}

/** As spreadsheet programs leave them at the end. */
const isEmpty = ({ heading, example }: Column): boolean => heading.trim() === '' && example.trim() === ''

/** Before anybody has chosen. */
export function chooseFirst(columns: Columns, chosen: Chosen): Chosen {
  const { name } = chosen
  // A browser that has such a file already saves the next one as "animals (1).csv".
  const source = basename(name, extname(name)).replace(/ ?\(\d+\)$/, '')
  const { open, own } = columns
  const guessed = guessColumns(
    open,
    own.map(({ heading }) => heading),
  )
  return { ...chosen, columns: JSON.stringify(guessed), source: source.slice(0, 100) }
}

/** Whether it is known what the animals are called. */
export const hasNames = ({ own }: Columns, chosen: Chosen): boolean =>
  own.some(({ heading }) => heading === 'name') || [...columnsOf(chosen).columns.values()].includes('name')

/** Names of the fields of the form. */
export const fieldOf = ({ index }: Pick<Column, 'index'>): string => `column-${index}`
export const ID = 'id'
export const SOURCE = 'source'

/** As the import of the command has it. */
const IS_SOURCE = /^[^\p{Cc}\p{Cs}]{1,100}$/u

/** What the form says; of a field that it lacks nothing. */
export function readColumns(
  form: FormBody,
  { open, own }: Columns,
  chosen: Chosen,
  words: Texts['console'],
): { chosen: Chosen; problems: Problem[] } {
  const problems: Problem[] = []
  const { problems: told } = words.import.columns
  const taken = new Set(own.map(({ heading }) => heading))
  const pairs: [number, string][] = []
  for (const column of open) {
    const member = form.get(fieldOf(column)) ?? ''
    if (!CHOOSABLE.includes(member)) continue
    if (taken.has(member))
      problems.push({ field: fieldOf(column), message: told.taken(labelOf(member, words)) })
    taken.add(member)
    pairs.push([column.index, member])
  }
  const id = [...own, ...open].find(({ index }) => String(index) === form.get(ID))
  const source = form.get(SOURCE)?.trim() ?? ''
  if (id && !IS_SOURCE.test(source)) problems.push({ field: SOURCE, message: told.source })
  const read = { columns: JSON.stringify(pairs), id: id ? String(id.index) : '', source }
  return { chosen: { ...chosen, ...read }, problems }
}

/** What a form of an animal calls it, where that fits a column. */
export function labelOf(column: string, { import: own, animal }: Texts['console']): string {
  const { labels } = animal.fields
  const name = column === 'category' ? 'categoryId' : column
  return own.columns.labels[name] ?? labels[name] ?? name
}
