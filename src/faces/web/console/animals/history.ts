import { type Html, html } from '../../../../http/html.ts'
import type { Language } from '../../../../http/language.ts'
import type { DatedNote } from '../../../../pets/fields.ts'
import { findHistory } from '../../../../pets/history.ts'
import type { PetHistory } from '../../../../pets/schema.ts'
import type { StoredPet } from '../../../../pets/store.ts'
import { type ChangeAuthor, listChangeAuthors } from '../../../../staff/store.ts'
import { formatDateTime } from '../../formats.ts'
import type { Texts } from '../../texts/texts.ts'
import { valuesOf } from '../fields.ts'
import type { Visit } from '../visit.ts'
import { displayText, FORM_FIELDS, OUTCOME_FIELDS } from './form.ts'

const FIELDS = [...OUTCOME_FIELDS, ...FORM_FIELDS]

/** The changes of an animal, with their authors. */
export async function historySection(visit: Visit, { id }: StoredPet & { id: number }): Promise<Html> {
  const { db, caller, language, texts, words } = visit
  const changes = (await findHistory(db, id, caller.view)) ?? []
  const authors = await listChangeAuthors(
    db,
    changes.map(({ keyId }) => keyId),
  )
  const items = changes.map(
    ({ at, keyId, changes }) => html`<li><p><strong>${authorLabel(words, authors.get(keyId))}</strong>
<time datetime="${at}">${formatDateTime(language, Date.parse(at))}</time></p>
<ul>${linesOf(changes, texts, language).map((line) => html`<li>${lineItem(words, line)}</li>`)}</ul></li>`,
  )
  return html`<section class="card" aria-labelledby="history"><h2 id="history">${words.animal.sections.history}</h2>
${items.length > 0 ? html`<ol class="history">${items}</ol>` : html`<p>${words.animal.history.none}</p>`}</section>`
}

export function authorLabel(words: Texts['console'], author: ChangeAuthor | undefined): string {
  const { history } = words.animal
  if (!author) return history.unknown
  if (author.kind === 'formerStaff') return history.formerStaff
  return author.kind === 'key' ? history.key(author.name) : author.name
}

function lineItem(words: Texts['console'], { label, from, to }: HistoryLine): Html {
  const { nothing } = words.animal.history
  if (from === undefined || to === undefined) return html`${label}`
  return html`${label}: <del>${from || nothing}</del> → <ins>${to || nothing}</ins>`
}

/** One changed field, for display. */
export interface HistoryLine {
  /** The field's label. Without `from` and `to`, a complete sentence. */
  label: string
  from?: string
  to?: string
  /** Whether `to` is short enough for a summary. */
  isShort?: boolean
}

const MAX_CHARACTERS = 120
const shortened = (text: string): string =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)} …` : text

export function linesOf(
  changes: PetHistory[number]['changes'],
  texts: Pick<Texts, 'common' | 'console'>,
  language: Language,
): HistoryLine[] {
  const { animal, animals } = texts.console
  const { labels } = animal.fields
  const sides = { from: {} as Record<string, unknown>, to: {} as Record<string, unknown> }
  for (const [member, { from, to }] of Object.entries(changes)) {
    if (from !== undefined) sides.from[member] = from
    if (to !== undefined) sides.to[member] = to
  }
  const [from, to] = [valuesOf(sides.from, FIELDS), valuesOf(sides.to, FIELDS)]
  const changed = FIELDS.filter(({ name }) => from[name] !== to[name])
  const fieldLines = changed.map((field) => ({
    label: labels[field.name] ?? field.name,
    from: shortened(displayText(field, from[field.name] ?? '', texts, language)),
    to: shortened(displayText(field, to[field.name] ?? '', texts, language)),
  }))
  const { status, photos } = changes
  const statusOf = (value: unknown): string => animals.statuses[String(value ?? 'unlisted')] ?? ''
  const statusLine = status && {
    ...{ label: labels.status ?? '', from: statusOf(status.from), to: statusOf(status.to), isShort: true },
  }
  const photosLine = photos && { label: photoSentences(photos, animal.history.photos).join(' ') }
  const notesLine = { label: noteSentences(sides, animal.notes).join(' ') }
  return [
    ...(statusLine ? [statusLine] : []),
    ...[photosLine, notesLine].flatMap((line) => (line?.label ? [line] : [])),
    ...fieldLines,
  ]
}

/** Says how many dated notes were added and removed. Their texts are in the list of notes. */
function noteSentences(
  sides: Record<'from' | 'to', { staff?: { datedNotes?: DatedNote[] } }>,
  words: Texts['console']['animal']['notes'],
): string[] {
  const [before, after] = [sides.from, sides.to].map(({ staff }) =>
    (staff?.datedNotes ?? []).map((note) => JSON.stringify(note)),
  ) as [string[], string[]]
  const added = after.filter((note) => !before.includes(note)).length
  const removed = before.filter((note) => !after.includes(note)).length
  return [...(added > 0 ? [words.added(added)] : []), ...(removed > 0 ? [words.removed(removed)] : [])]
}

interface Photo {
  id: number
  alt?: string
}

type PhotoWords = Texts['console']['animal']['history']['photos']

/** Describes a change of photos in sentences. */
function photoSentences({ from, to }: { from?: unknown; to?: unknown }, words: PhotoWords): string[] {
  const [before, after] = [photosIn(from), photosIn(to)]
  const added = without(after, before)
  const removed = without(before, after)
  const [remaining, now] = [without(before, removed), without(after, added)]
  const isMoved = remaining.some(({ id }, index) => id !== now[index]?.id)
  const altOf = new Map(remaining.map(({ id, alt }) => [id, alt]))
  const described = now.filter(({ id, alt }) => alt !== altOf.get(id))
  return [
    ...(added.length > 0 ? [words.added(added.length)] : []),
    ...(removed.length > 0 ? [words.removed(removed.length)] : []),
    ...(isMoved ? [words.moved] : []),
    ...(described.length > 0 ? [words.described(described.length)] : []),
  ]
}

const photosIn = (value: unknown): Photo[] => (Array.isArray(value) ? value : [])

function without(photos: readonly Photo[], others: readonly Photo[]): Photo[] {
  const ids = new Set(others.map(({ id }) => id))
  return photos.filter(({ id }) => !ids.has(id))
}
