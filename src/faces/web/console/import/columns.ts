import { Readable } from 'node:stream'
import type { FormBody } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { SOURCE_NAME } from '../../../../transfer/animal.ts'
import { guessColumns, REPEATABLE } from '../../../../transfer/headings.ts'
import { CHOOSABLE_COLUMNS, findOwnColumns } from '../../../../transfer/mappings/chosen.ts'
import { createOwnMapping } from '../../../../transfer/mappings/own.ts'
import { openOwnTable } from '../../../../transfer/read.ts'
import { type Problem, problemSummary, selectField, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { PREFIX } from '../visit.ts'
import { labelOf } from './refused.ts'
import { formatOf } from './run.ts'
import type { ImportSettings, UploadedFile } from './uploads.ts'

// Asks what the columns of a spreadsheet contain, if adoptable does not know the headings.

/** The form asks for up to this many columns, because each one is a long select element. */
const MAX_CHOSEN_COLUMNS = 40

export interface FileColumn {
  index: number
  heading: string
  example: string
}

export interface FileColumns {
  /** The columns whose content the form asks for. */
  open: FileColumn[]
  /** The number of further columns that the form does not show. */
  more: number
  /** The columns with headings of adoptable's own format. */
  own: FileColumn[]
}

/** @returns undefined if the columns of the file need no choices */
export async function findColumns({ bytes, chosen }: UploadedFile): Promise<FileColumns | undefined> {
  if (chosen.from !== '' || formatOf(chosen, createOwnMapping()) !== 'csv') return undefined
  // The import reports a file that cannot be read.
  const table = await openOwnTable({ bytes: () => Readable.from([bytes]) }, chosen.encoding).catch(
    () => undefined,
  )
  if (!table) return undefined
  const { headings, example } = table
  const all = headings.map(
    (heading, index): FileColumn => ({ index, heading, example: example[index] ?? '' }),
  )
  const ours = findOwnColumns(headings)
  const own = all.filter(({ index }) => ours.has(index))
  const open = all.filter((column) => !ours.has(column.index) && !isEmpty(column))
  const needsForm = open.length > 0 || !headings.includes('name') || own.some(isNumber)
  if (!needsForm) return undefined
  return { open: open.slice(0, MAX_CHOSEN_COLUMNS), more: Math.max(0, open.length - MAX_CHOSEN_COLUMNS), own }
}

/** Spreadsheet programs leave empty columns at the end. */
const isEmpty = ({ heading, example }: FileColumn): boolean => heading.trim() === '' && example.trim() === ''

/** The guesses that the form shows before the person has chosen anything. */
export function guessSettings(columns: FileColumns, chosen: ImportSettings): ImportSettings {
  const { open, own } = columns
  const guessed = guessColumns(
    open,
    own.map(({ heading }) => heading),
  )
  const numbered = guessed.find(([, column]) => column === 'externalId')?.[0] ?? own.find(isNumber)?.index
  return { ...chosen, columns: guessed, id: numbered, source: SOURCE_OF_NUMBERS }
}

/** The same for every file, so a file with another name still updates its animals. */
const SOURCE_OF_NUMBERS = 'animals'

const isNumber = ({ heading }: FileColumn): boolean => heading === 'externalId' || heading === 'id'

/** Whether a column contains the names of the animals, or their numbers. */
export function hasNames({ own }: FileColumns, chosen: ImportSettings): boolean {
  const { columns = [], id } = chosen
  const all = [...own.map(({ heading }) => heading), ...columns.map(([, member]) => member)]
  return id !== undefined || all.includes('name') || all.includes('externalId')
}

/** The name of the form field for a column. */
const fieldOf = ({ index }: Pick<FileColumn, 'index'>): string => `column-${index}`
const ID = 'id'
export const SOURCE = 'source'

/** Reads the choices from the form. A missing field means no choice. */
export function readColumns(
  form: FormBody,
  { open, own }: FileColumns,
  chosen: ImportSettings,
  words: Texts['console'],
): { chosen: ImportSettings; problems: Problem[] } {
  const problems: Problem[] = []
  const { problems: messages } = words.import.columns
  const taken = new Set(own.map(({ heading }) => heading))
  const pairs: [number, string][] = []
  for (const column of open) {
    const member = form.get(fieldOf(column)) ?? ''
    if (!CHOOSABLE_COLUMNS.includes(member)) continue
    if (taken.has(member) && !REPEATABLE.has(member))
      problems.push({ field: fieldOf(column), message: messages.taken(labelOf(member, words)) })
    taken.add(member)
    pairs.push([column.index, member])
  }
  const id = [...own, ...open].find(({ index }) => String(index) === form.get(ID))
  const source = form.get(SOURCE)?.trim() ?? ''
  if (id && !SOURCE_NAME.test(source)) problems.push({ field: SOURCE, message: messages.source })
  return { chosen: { ...chosen, columns: pairs, id: id?.index, source }, problems }
}

/** The maximum length of a displayed heading or example, in characters. */
const MAX_TEXT = 40

/** The id of the form. Buttons outside of the form refer to it. */
export const COLUMNS_FORM = 'columns'

interface ColumnsForm {
  columns: FileColumns
  chosen: ImportSettings
  ticket: string
  problems: Problem[]
}

/** The form that asks what each column contains, and which column is the ID column. */
export function columnsForm(
  { columns, chosen, ticket, problems }: ColumnsForm,
  words: Texts['console'],
): Html {
  const { columns: own } = words.import
  const { open, more } = columns
  const meanings = new Map(chosen.columns)
  const all = [...columns.own, ...open].sort((one, other) => one.index - other.index)
  const nameOf = columnNamer(all, own)
  const choices = [['', own.leave], ...CHOOSABLE_COLUMNS.map((name) => [name, labelOf(name, words)])] as never
  const fields = open.map((column) =>
    selectField({
      ...{ name: fieldOf(column), label: nameOf(column), choices, problems },
      hint: column.example.trim() === '' ? undefined : own.example(cut(column.example)),
      value: meanings.get(column.index),
    }),
  )
  // Another button on the page starts the import, so this button is secondary.
  const isSecondary = problems.length === 0 && hasNames(columns, chosen)
  return html`<form class="card columns" id="${COLUMNS_FORM}" method="post" action="${PREFIX}/import/columns">
${problemSummary(own.problems.title, problems)}<input type="hidden" name="ticket" value="${ticket}">
<details${!isSecondary && html` open`}><summary><h2>${own.title}</h2></summary><p>${own.lead}</p>
<div class="fields">${fields}</div>${more > 0 && html`<p>${own.more(more)}</p>`}
${selectField({
  ...{ name: ID, label: own.id, hint: own.idHint, value: String(chosen.id ?? '') },
  choices: [['', own.idNone], ...all.map((column) => [String(column.index), nameOf(column)] as const)],
})}${textField({
  ...{ name: SOURCE, label: own.source, hint: own.sourceHint, value: chosen.source, maxLength: 100 },
  problems,
})}<div class="row"><button${isSecondary && html` class="plain"`}>${own.show}</button></div></details></form>`
}

/**
 * Returns a function that names columns. A column with a missing or repeated heading gets its number as the
 * name.
 */
function columnNamer(
  all: FileColumn[],
  own: Texts['console']['import']['columns'],
): (column: FileColumn) => string {
  const counts = new Map<string, number>()
  for (const { heading } of all) counts.set(cut(heading), (counts.get(cut(heading)) ?? 0) + 1)
  return ({ heading, index }) => {
    const name = cut(heading)
    if (name === '') return own.position(index + 1)
    return (counts.get(name) ?? 0) > 1 ? `${name} (${own.position(index + 1)})` : name
  }
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line
}
