import { hash } from 'node:crypto'
import type { ApiError } from '../../../../errors.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { type DatedNote, MAX_DATED_NOTES, NoteKind } from '../../../../pets/fields.ts'
import type { Pet } from '../../../../pets/schema.ts'
import { formatDate } from '../../formats.ts'
import { longTextField, type Problem, problemSummary, selectField, textField } from '../../forms.ts'
import { field, NON_FIELD, problemsOf, type Values } from '../fields.ts'
import { consolePage } from '../frame.ts'
import { newOnce, ONCE, PREFIX, type Visit } from '../visit.ts'

// The dated notes about an animal, which only staff see.

const KINDS = NoteKind.enum
export const NOTE_PARTS = ['kind', 'date', 'text'] as const
export const fieldOf = (part: string): string => `note.${part}`

/** The animal's page shows this many notes. Another page has all of them. */
const MAX_SHOWN = 5
const MAX_TEXT_LENGTH = 1_000

const FIELDS = [field(fieldOf('kind'), 'choice'), field(fieldOf('date'), 'date'), field(fieldOf('text'))]

/** The problems of a refused note. The new note is the last of the list. */
export function noteProblems(error: ApiError, { words }: Visit, { staff }: Pet, values: Values): Problem[] {
  const { notes, fields } = words.animal
  if ((staff?.datedNotes?.length ?? 0) >= MAX_DATED_NOTES)
    return [{ field: fieldOf('text'), message: notes.tooMany(MAX_DATED_NOTES) }]
  const details = error.details?.map((detail) => ({
    ...detail,
    pointer: `/note/${detail.pointer?.split('/').at(-1)}`,
  }))
  const isMissing = values.text?.trim() === ''
  return problemsOf({ code: error.code, details }, words, {
    fields: FIELDS,
    labels: Object.fromEntries(NOTE_PARTS.map((part) => [fieldOf(part), notes[part]])),
    maxLengthOf: () => MAX_TEXT_LENGTH,
    messageOf: (name) =>
      name === fieldOf('text') && isMissing ? fields.problems.missing(notes.text) : undefined,
  })
}

/** Identifies a note in a form. */
export const markOf = ({ date, kind, text }: DatedNote): string =>
  hash('sha256', JSON.stringify([date, kind, text]), 'base64url').slice(0, 22)

function newestFirst(notes: readonly DatedNote[]): DatedNote[] {
  return notes.toReversed().sort((one, other) => other.date.localeCompare(one.date))
}

/** The newest notes about an animal, and the form for another one. */
export function notesSection(
  visit: Visit,
  { id, staff }: Pet,
  now: number,
  refused?: { values: Values; problems: readonly Problem[] },
): Html {
  const { notes: words } = visit.words.animal
  const notes = newestFirst(staff?.datedNotes ?? [])
  const path = `${PREFIX}/animals/${id}/notes`
  return html`<section class="card" id="notes" aria-labelledby="of-notes"><h2 id="of-notes">${words.title}</h2>
${notes.length > 0 ? list(visit, notes.slice(0, MAX_SHOWN)) : html`<p>${words.none}</p>`}
${notes.length > 0 && html`<p><a href="${path}">${words.all(notes.length)}</a></p>`}
${visit.may('changeAnimals') && addForm(visit, path, now, refused)}</section>`
}

function addForm(
  { words }: Visit,
  path: string,
  now: number,
  refused?: { values: Values; problems: readonly Problem[] },
): Html {
  const { notes } = words.animal
  const problems = refused?.problems ?? []
  const today = new Date(now).toISOString().slice(0, 10)
  const { kind = 'general', date = today, text } = refused?.values ?? {}
  const choices = KINDS.map((one) => [one, notes.kinds[one] ?? one] as const)
  return html`<form class="aside" id="field-${NON_FIELD}" method="post" action="${path}" novalidate>
${problemSummary(words.animal.wrong, problems)}<input type="hidden" name="${ONCE}" value="${newOnce()}">
<div class="fields">${selectField({ name: fieldOf('kind'), label: notes.kind, value: kind, choices, problems })}
${textField({ name: fieldOf('date'), label: notes.date, type: 'date', value: date, problems })}
<div class="wide">${longTextField({
    ...{ name: fieldOf('text'), label: notes.text, hint: notes.textHint, value: text, problems },
    ...{ rows: 3, maxLength: MAX_TEXT_LENGTH },
  })}</div></div><button class="plain">${notes.add}</button></form>`
}

function list(visit: Visit, notes: readonly DatedNote[], after?: (note: DatedNote) => Part): Html {
  const { language, words } = visit
  const { kinds } = words.animal.notes
  return html`<ul class="history">${notes.map(
    (note) => html`<li><p><strong>${kinds[note.kind]}</strong>
<time datetime="${note.date}">${formatDate(language, Date.parse(note.date))}</time></p>
<p class="said">${note.text}</p>${after?.(note)}</li>`,
  )}</ul>`
}

/** All notes about an animal, or all of one kind, to read and to print. */
export function notesPage(visit: Visit, pet: Pet): string {
  const { language, words } = visit
  const { notes: own } = words.animal
  const all = newestFirst(pet.staff?.datedNotes ?? [])
  const { kind } = visit.query
  const chosen = KINDS.find((one) => one === kind)
  const shown = all.filter((note) => chosen === undefined || note.kind === chosen)
  const path = `${PREFIX}/animals/${pet.id}/notes`
  const link = (to: string, name: string | undefined, isCurrent: boolean) =>
    html`<li><a href="${to}"${isCurrent && html` aria-current="page"`}>${name}</a></li>`
  const kinds = KINDS.map((one) => link(`${path}?kind=${one}`, own.kinds[one], one === chosen))
  const removal = (note: DatedNote): Part => {
    const label = own.removeOf(own.kinds[note.kind] ?? '', formatDate(language, Date.parse(note.date)))
    return (
      visit.may('changeAnimals') &&
      html`<form method="post" action="${path}/remove"><input type="hidden" name="note" value="${markOf(note)}">
<button class="plain small" aria-label="${label}">${own.remove}</button></form>`
    )
  }
  const title = own.titleOf(pet.name)
  const facts = [pet.externalId, pet.staff?.microchip].filter((one) => one !== undefined)
  return consolePage(visit, {
    title,
    main: html`<h1>${title}</h1><p class="lead">${facts.join(' · ')}</p>
<ul class="kinds">${link(path, own.anyKind, chosen === undefined)}${kinds}</ul>
<div class="card">${shown.length > 0 ? list(visit, shown, removal) : html`<p>${own.none}</p>`}</div>
<p class="unprinted"><a href="${PREFIX}/animals/${pet.id}">${own.toAnimal(pet.name)}</a></p>`,
  })
}
