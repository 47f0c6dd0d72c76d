import { type Html, html } from '../../../../http/html.ts'
import { CHOOSABLE } from '../../../../transfer/mappings/chosen.ts'
import { type Problem, problemSummary, selectField, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { PREFIX } from '../pages.ts'
import { type Column, type Columns, fieldOf, hasNames, ID, labelOf, SOURCE } from './columns.ts'
import { type Chosen, columnsOf } from './uploads.ts'

/** Of a heading and of an example. */
const MAX_SHOWN = 40

/** For a button elsewhere on the page, which then sends this form too. */
export const COLUMNS_FORM = 'columns'

interface Shown {
  columns: Columns
  chosen: Chosen
  ticket: string
  problems: Problem[]
}

/** Asks what each column of a file holds, and which of them tells the animals apart. */
export function columnsForm({ columns, chosen, ticket, problems }: Shown, words: Texts['console']): Html {
  const { columns: own } = words.import
  const { open, more } = columns
  const { columns: held, id } = columnsOf(chosen)
  const all = [...columns.own, ...open].sort((one, other) => one.index - other.index)
  const nameOf = namer(all, own)
  const choices = [['', own.leave], ...CHOOSABLE.map((name) => [name, labelOf(name, words)])] as never
  const fields = open.map((column) =>
    selectField({
      ...{ name: fieldOf(column), label: nameOf(column), choices, problems },
      hint: column.example.trim() === '' ? undefined : own.example(cut(column.example)),
      value: held.get(column.index),
    }),
  )
  // Another button on the page imports them.
  const isPlain = problems.length === 0 && hasNames(columns, chosen)
  return html`<form class="card columns" id="${COLUMNS_FORM}" method="post" action="${PREFIX}/import/columns">
<h2>${own.title}</h2><p>${own.lead}</p>${problemSummary(own.problems.title, problems)}
<input type="hidden" name="ticket" value="${ticket}">
<div class="fields">${fields}</div>${more > 0 && html`<p>${own.more(more)}</p>`}
${selectField({
  ...{ name: ID, label: own.id, hint: own.idHint, value: id === undefined ? '' : String(id) },
  choices: [['', own.idNone], ...all.map((column) => [String(column.index), nameOf(column)] as const)],
})}${textField({
  ...{ name: SOURCE, label: own.source, hint: own.sourceHint, value: chosen.source, maxLength: 100 },
  problems,
})}<div class="row"><button${isPlain && html` class="plain"`}>${own.show}</button></div></form>`
}

/** A name for each, also where headings are missing or the same. */
function namer(all: Column[], own: Texts['console']['import']['columns']): (column: Column) => string {
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
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line
}
