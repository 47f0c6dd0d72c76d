import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Context } from '../../../../context.ts'
import { ApiError, type ErrorDetail } from '../../../../errors.ts'
import type { Caller } from '../../../../http/caller.ts'
import { type Html, html } from '../../../../http/html.ts'
import { csvLine, shieldFormulas } from '../../../../transfer/columns.ts'
import { readRecords } from '../../../../transfer/csv.ts'
import { isOnlyDayFirst } from '../../../../transfer/dates.ts'
import type { Encoding } from '../../../../transfer/encoding.ts'
import { type ImportFile, openTable } from '../../../../transfer/read.ts'
import type { Refusal, RefusalReason, Summary } from '../../../../transfer/report.ts'
import type { Texts } from '../../texts/texts.ts'
import { FORM_FIELDS, schemaOf } from '../animals/form.ts'
import { field, NON_FIELD, problemsOf } from '../fields.ts'
import { csvReply, PREFIX, type Routes, type Visit } from '../visit.ts'
import { readRefused, refusedPathOf, type UploadedFile } from './uploads.ts'

// Shows the lines that an import refused, grouped by reason, and offers them as a file to correct.

const PATH = `${PREFIX}/import/refused.csv`

const MAX_REASONS = 50
/** The page names up to this many animals per reason. */
const MAX_NAMED = 20

const BOND_CODES = ['bond_lacking', 'bond_unclear', 'bond_unnamed', 'bond_lost', 'bond_held']
const isBond = ({ why = [] }: Refusal): boolean => why.some(({ code = '' }) => BOND_CODES.includes(code))

/** The animals that are imported, but not published, because a bonded partner is missing. */
export function lostBondsSection(
  { refused, done: { lostBonds = 0 } }: { refused: readonly Refusal[]; done: Summary },
  words: Texts['console'],
): Html | false {
  const { import: own } = words
  const lines = refused.filter(isBond)
  const items = lines.slice(0, MAX_REASONS).map((line) => {
    return html`<li>${lineName(line, own)}<br>${reasonsIn(line, words).join(' ')}</li>`
  })
  const more = lines.length - items.length
  return (
    lostBonds > 0 &&
    html`<div class="summary"><p class="problem">${own.lostBonds(lostBonds)}</p><ul>${items}</ul>${more > 0 && html`<p>${own.more(more)}</p>`}</div>`
  )
}

/** The skipped lines, grouped by reason. The most frequent reason comes first. */
export function refusedSection(visit: Visit, refused: readonly Refusal[], count: number): Html | false {
  const { language, words } = visit
  const { import: own } = words
  if (count === 0) return false
  const skipped = refused.filter((line) => !isBond(line))
  const reasoned = skipped.flatMap((line) => reasonsIn(line, words).map((reason) => ({ reason, line })))
  const groups = Map.groupBy(reasoned, ({ reason }) => reason)
  const sorted = [...groups].toSorted(([, one], [, other]) => other.length - one.length)
  const items = sorted.slice(0, MAX_REASONS).map(([reason, lines]) => {
    const named = lines.slice(0, MAX_NAMED).map(({ line }) => lineItem(line, own))
    const more = lines.length - named.length
    return html`<details class="group reason"${sorted.length <= 3 && html` open`}><summary>${reason} <b>${lines.length.toLocaleString(language)}</b></summary>
<ul>${named}</ul>${more > 0 && html`<p>${own.more(more)}</p>`}</details>`
  })
  const more = Math.max(count - skipped.length, 0)
  return html`<section class="card" id="refused"><h2>${own.refused}</h2><p>${own.refusedLead}</p>
<p><a class="button plain" href="${PATH}" download>${own.download}</a></p>${items}${more > 0 && html`<p>${own.more(more)}</p>`}</section>`
}

const lineName = ({ line, name, id }: Refusal, own: Texts['console']['import']): Html =>
  html`${name ?? id} <small>${own.line} ${line}</small>`

const lineItem = (line: Refusal, own: Texts['console']['import']): Html =>
  html`<li>${lineName(line, own)}</li>`

/**
 * Stores the refused lines of an import, with their cells as in the file and with the reason. The file is in
 * the folder of uploads, and the next import replaces it.
 */
export async function storeRefused(
  context: Pick<Context, 'photos'>,
  caller: Caller,
  { bytes, chosen }: UploadedFile,
  refused: readonly Refusal[],
  words: Texts['console'],
): Promise<void> {
  const { line, name, why } = words.import
  const reasons = new Map(refused.map((one) => [one.line, reasonsIn(one, words).join(' ')]))
  const file = { bytes: () => Readable.from([bytes]) }
  const table = await readRows(file, reasons, chosen.encoding).catch(() => undefined)
  const rows = table
    ? [
        [...table.headings, why],
        ...table.rows.map(({ number, cells }) => [
          ...padTo(table.headings.length, cells),
          reasons.get(number) ?? '',
        ]),
      ]
    : [
        [line, name, why],
        ...refused.map((one) => [
          String(one.line),
          shieldFormulas(one.name ?? ''),
          reasons.get(one.line) ?? '',
        ]),
      ]
  const separator = table?.separator ?? ','
  const text = rows.map((cells) => csvLine(cells, separator))
  // Spreadsheet programs need the byte order mark to read accents.
  await writeFile(await refusedPathOf(context, caller), `\uFEFF${text.join('')}`, { mode: 0o600 })
}

/** Reads the rows with these line numbers as they are in the file. @returns undefined if it is not a table */
async function readRows(file: ImportFile, lines: ReadonlyMap<number, unknown>, chosen?: Encoding) {
  const table = await openTable(file, chosen)
  if (!table) return undefined
  const { separator, headings, input, withoutReason } = table
  const rows: { number: number; cells: string[] }[] = []
  for await (const { number, cells } of readRecords(input, separator))
    if (cells && lines.has(number)) rows.push({ number, cells: withoutReason(cells) })
  return { separator, headings, rows }
}

const padTo = (length: number, cells: string[]): string[] =>
  Array.from({ length: Math.max(length, cells.length) }, (_, index) => cells[index] ?? '')

/** The download of the refused lines of the person's last preview or import. */
export function refusedDownload({ get }: Routes): void {
  get('/import/refused.csv', async (visit) => {
    const bytes = await readRefused(visit.context, visit.caller)
    if (!bytes) throw new ApiError('route_not_found')
    return csvReply(visit, 'skipped.csv').send(bytes)
  })
}

/** Why a line or a file is not imported. */
export type Reason = Pick<Refusal, 'reason' | 'why'>

/**
 * A file has a column for the status. The form of an animal has buttons for the status instead of a field.
 */
const FIELDS = [...FORM_FIELDS, field('status', 'choice')]
const KINDS = new Map<string, string>(FIELDS.map(({ name, kind }) => [name, kind]))

/** The label of a column: the field's label, or one for columns. */
export function labelOf(column: string, { import: own, animal }: Texts['console']): string {
  const { labels } = animal.fields
  const name = column === 'category' ? 'categoryId' : column
  return own.columns.labels[name] ?? labels[name] ?? name
}

/** The reasons in the words of the console. They do not mention options of the command. */
export function reasonsIn({ reason, why = [] }: Reason, words: Texts['console']): string[] {
  if (why.length === 0) return [withoutOptions(reason)]
  return [...new Set(why.map((one) => sentenceOf(one, words)))]
}

function sentenceOf(why: RefusalReason, words: Texts['console']): string {
  const { code = '', pointer, value = '', message } = why
  const reasons: Record<string, ((value: string) => string) | undefined> = words.import.refusals.reasons
  const own = reasons[code]
  if (own) return own(value)
  if (pointer !== undefined) return ofField(why, words) ?? withoutOptions(message)
  return words.errors[code] ?? withoutOptions(message)
}

/**
 * The label of data that the import left out, with an example of a value.
 * @param name the name in the import's summary
 */
export function leftOutIn(
  name: string,
  { notUnderstood = [] }: Pick<Summary, 'notUnderstood'>,
  words: Texts['console'],
): string {
  const { refusals } = words.import
  const reason = Object.keys(refusals.left).find((one) => name.endsWith(` (${one})`))
  if (reason === undefined) return name
  const column = name.slice(0, -` (${reason})`.length)
  const first = notUnderstood.find((one) => one.column === column)
  const example = first ? `: ${refusals.onLine(first.value, first.line)}` : ''
  return `${labelOf(column, words)} (${refusals.left[reason]})${example}`
}

/** @returns undefined if the form of an animal has no such field */
function ofField(
  { code, pointer, value, message }: RefusalReason,
  words: Texts['console'],
): string | undefined {
  const { refusals } = words.import
  const { labels, problems } = words.animal.fields
  const detail = { code, pointer, message } as ErrorDetail
  let isQuoted = false
  const [problem] = problemsOf({ code: 'validation_failed', details: [detail] }, words, {
    fields: FIELDS,
    labels,
    maxLengthOf: (name) => schemaOf(name).maxLength,
    messageOf(name) {
      const label = labels[name] ?? name
      if (code === 'external_id_exists') return problems.taken(label)
      // Such an error without a value means that the field contradicts the date of birth.
      if (value === undefined && name === 'age') return problems.age(label)
      if (value === undefined && name === 'birthDateExact') return refusals.exactAlone
      if (value === undefined) return undefined
      const kind = KINDS.get(name) ?? ''
      const isDayFirst = kind === 'date' && isOnlyDayFirst(value)
      const options = (schemaOf(name).enum ?? []) as string[]
      const sentence = refusals.fields[isDayFirst ? 'dayFirst' : kind]?.(label, value, options)
      isQuoted = sentence !== undefined
      return sentence
    },
  })
  if (!problem || problem.field === NON_FIELD) return undefined
  return value === undefined || isQuoted ? problem.message : `${problem.message} ${refusals.found(value)}`
}

/** Clauses about options of the command, which do not exist in the console. */
const WITH_OPTION = /(?:^|[;:.,]) [^;:.,]*(?<= )--[a-z][^;:.,]*/g

function withoutOptions(text: string): string {
  const left = text.replaceAll(WITH_OPTION, '').trim()
  const sentence = left.charAt(0).toUpperCase() + left.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
