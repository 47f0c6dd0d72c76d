import { PassThrough } from 'node:stream'
import type { FormBody } from '../../../../http/form-body.ts'
import { Html, html } from '../../../../http/html.ts'
import type { Language } from '../../../../http/language.ts'
import { logFailure, toApiError } from '../../../../http/send-error.ts'
import { parseDate } from '../../../../transfer/dates.ts'
import { decodeWord, ENCODINGS, SINGLE_BYTE } from '../../../../transfer/encoding.ts'
import { countLines, type Summary } from '../../../../transfer/report.ts'
import {
  foldStatus,
  OTHER_STATUSES,
  STATUS_RESULTS,
  type StatusCount,
  type StatusMeaning,
  type StatusResult,
} from '../../../../transfer/statuses.ts'
import { formatDate } from '../../formats.ts'
import { weightWords } from '../../gallery/phrases.ts'
import type { Texts } from '../../texts/texts.ts'
import { consolePage } from '../frame.ts'
import { PREFIX, type Visit } from '../visit.ts'
import { COLUMNS_FORM } from './columns.ts'
import { labelOf, leftOutIn, lostBondsSection, type Reason, reasonsIn, refusedSection } from './refused.ts'
import { type ImportRun, runImport } from './run.ts'
import { readYesOrNo, type UploadedFile } from './uploads.ts'

const PATH = `${PREFIX}/import`

interface Preview {
  /** The result of the dry run; absent while the columns have problems. */
  run?: ImportRun
  ticket: string
  /** The form of the columns; undefined if all headings are known. */
  form: Html | undefined
  /** The names of categories, by id. */
  categories?: ReadonlyMap<string, string>
}

/** The id of the form with the import button. */
const CONFIRM_FORM = 'confirm'

/** Shows what an import would do. */
export function previewPage(visit: Visit, { run, ticket, form, categories }: Preview): string {
  const { language, words } = visit
  const { import: own } = words
  const id = form ? COLUMNS_FORM : CONFIRM_FORM
  // Until the question is answered, nothing is counted.
  const question = run && questionSection(run.failed, { words, language, form: id })
  const lead = question ? own.questionLead : run?.failed ? own.failedLead : own.previewLead
  return consolePage(visit, {
    title: own.previewTitle,
    main: html`<h1>${own.previewTitle}</h1><p class="lead">${lead}</p>${question}${run && !question && figures(run, visit)}${run && statusSection(run.done.statuses, words, id)}${run && examples(visit, run, categories)}
<form class="row" id="${CONFIRM_FORM}" method="post" action="${PATH}/confirm"><input type="hidden" name="ticket" value="${ticket}">
${run && confirm(run, form !== undefined, own)}
<a class="button plain" href="${PATH}">${own.another}</a></form>${run && checks(run, words)}${run && refusedSection(visit, run.refused, run.done.refused)}${form}${run && details(run, visit)}`,
  })
}

/** The first animals as the console would show them. People then notice a date or weight that was misread. */
function examples(
  { language, words }: Visit,
  { examples }: ImportRun,
  categories: ReadonlyMap<string, string> | undefined,
): Html | false {
  const { labels } = words.animal.fields
  const items = examples.map((pet) => {
    const { name, categoryId, status, weightGrams, birthDate, place } = pet
    const day = birthDate && formatDate(language, Date.parse(birthDate))
    const weight = weightGrams && weightWords(language, weightGrams, place?.country)
    const facts = [
      categories?.get(String(categoryId)),
      words.animals.statuses[status ?? 'unlisted'],
      weight && `${words.import.columns.labels.weightGrams}: ${weight}`,
      day && `${labels.birthDate}: ${pet.birthDateExact === false ? words.import.about(day) : day}`,
    ]
    return html`<li><b>${name}</b> <small>${facts.filter(Boolean).join(' · ')}</small></li>`
  })
  return (
    items.length > 0 &&
    html`<section class="card"><h2>${words.import.examples}</h2><ul>${items}</ul></section>`
  )
}

/**
 * The import button. It also sends the form of the columns. If the columns have changed, the answer is a new
 * preview.
 */
function confirm(
  { done, failed }: ImportRun,
  hasColumns: boolean,
  own: Texts['console']['import'],
): Html | false {
  const count = done.added + done.updated
  if (failed !== undefined || count === 0) return false
  return html`<button${hasColumns && html` form="${COLUMNS_FORM}" formaction="${PATH}/confirm"`}>${own.confirm(count)}</button>`
}

/** The page of an import with fewer lines shows no progress, because the import takes only a moment. */
const MIN_STREAMED_LINES = 2_000

/**
 * Imports a file. The page of a large import is streamed, with the progress after each batch. The import
 * continues if the browser disconnects.
 * @param share the slot of this import in the limit for running imports; released at the end
 */
export async function answerRunning(visit: Visit, upload: UploadedFile, share: Disposable): Promise<unknown> {
  let page: PassThrough | undefined
  const running = new Promise<ImportRun | PassThrough>((resolve, reject) => {
    const onBatch = (done: Summary): void => {
      const lines = countLines(done)
      if (lines < MIN_STREAMED_LINES) return
      page ??= runningPage(visit, run)
      page.write(progressLine(visit, lines))
      resolve(page)
    }
    const run = runImport(visit.context, visit.caller, upload, {
      dryRun: false,
      onBatch,
      words: visit.words,
    }).finally(() => share[Symbol.dispose]())
    run.then(resolve, reject)
  })
  const answer = await running
  if (!(answer instanceof PassThrough)) return resultPage(visit, answer)
  // Without this header, a proxy would buffer the page until the import ends.
  return visit.reply.header('x-accel-buffering', 'no').send(answer)
}

/** Marks the position of the streamed part in the page. Escaped text cannot contain this comment. */
const LATER = '<!-- later -->'

/** The page with the streamed progress. The page ends when the import ends. */
function runningPage(visit: Visit, run: Promise<ImportRun>): PassThrough {
  const { request, common, words } = visit
  const { import: own } = words
  const document = consolePage(visit, {
    title: own.title,
    main: html`<h1>${own.title}</h1><p class="lead">${own.running}</p><div class="steps">${new Html(LATER)}`,
  })
  const [before = '', after = ''] = document.split(LATER)
  const page = new PassThrough()
  page.write(before)
  run.then(
    (run) => page.end(html`</div><h2>${own.resultTitle}</h2>${resultOf(run, visit)}`.text + after),
    (thrown) => {
      const error = toApiError(thrown)
      logFailure(request.log, request.id, error)
      const problem = common.errorTitles[error.status] ?? common.errorTitles[500]
      page.end(html`</div><p class="summary problem" role="alert">${problem}</p>`.text + after)
    },
  )
  return page
}

/** A line of progress. The style sheet hides the lines before it. */
function progressLine({ language, words }: Visit, lines: number): string {
  return html`<p role="status">${words.import.soFar(lines.toLocaleString(language))}</p>\n`.text
}

function resultPage(visit: Visit, run: ImportRun): string {
  const { import: own } = visit.words
  return consolePage(visit, {
    title: own.resultTitle,
    main: html`<h1>${own.resultTitle}</h1>${resultOf(run, visit)}`,
  })
}

function resultOf(run: ImportRun, visit: Visit): Html {
  const { words } = visit
  const { import: own } = words
  return html`${figures(run, visit)}
<p class="row"><a class="button" href="${PREFIX}/animals">${own.toList}</a> <a class="button plain" href="${PATH}">${own.another}</a></p>${statusSection(run.done.statuses, words)}${checks(run, words)}${refusedSection(visit, run.refused, run.done.refused)}${details(run, visit)}`
}

function figures({ done, failed, refused }: ImportRun, { language, words }: Visit): Html {
  const { import: own } = words
  const items = (['added', 'updated', 'unchanged', 'refused'] as const).map(
    (name) => html`<li><b>${done[name].toLocaleString(language)}</b> ${own.figures[name]}</li>`,
  )
  const withdrawn = Object.values(done.withdrawn ?? {}).reduce((sum, count) => sum + count, 0)
  return html`${failed !== undefined && html`<p class="summary problem" role="alert">${reasonsIn(failed, words).join(' ')}</p>`}
${(failed === undefined || countLines(done) > 0) && html`<ul class="numbers">${items}</ul>`}
${lostBondsSection({ done, refused }, words)}${(done.takenOff ?? 0) > 0 && html`<p>${own.takenOff(done.takenOff ?? 0)}</p>`}${withdrawn > 0 && html`<p>${own.withdrawn(withdrawn)}</p>`}`
}

/** Lists what a person should check: how the file was read, and rows that are imported, but look wrong. */
function checks({ done: { notes = [] } }: ImportRun, words: Texts['console']): Html | false {
  const { import: own } = words
  const repeated = notes.find(({ code }) => code === 'repeated_id')
  const { sameChips = [] } = notes.find(({ code }) => code === 'same_chip') ?? {}
  const items = sameChips.map(({ line, animal, otherLine }) => {
    const link =
      animal !== undefined && html` <a href="${PREFIX}/animals/${animal}">${own.otherAnimal(animal)}</a>.`
    return html`<li>${own.sameChip(line, otherLine)}${link}</li>`
  })
  const others = notes.flatMap((note) => {
    const columns = note.columns?.map((name) => labelOf(name, words)) ?? []
    const text = own.notes[note.code]?.({ ...note, columns })
    return text === undefined ? [] : [html`<li>${text}</li>`]
  })
  return (
    (repeated !== undefined || items.length + others.length > 0) &&
    html`<section class="card"><h2>${own.check}</h2><ul>${repeated && html`<li>${own.repeatedIds(repeated.count ?? 1)}</li>`}${items}${others}</ul></section>`
  )
}

function details({ done }: ImportRun, { language, words }: Visit): Html | false {
  const left = Object.entries(done.leftOut).toSorted(([, one], [, other]) => other - one)
  const items = left
    .slice(0, 40)
    .map(([name, count]) => html`<li>${leftOutIn(name, done, words)}: ${count.toLocaleString(language)}</li>`)
  return (
    items.length > 0 &&
    html`<section class="card"><h2>${words.import.leftOut}</h2><ul>${items}</ul></section>`
  )
}

// Asks how to read a file whose dates or letters have several meanings.

/** Adds the answers in a form to the settings. */
export function withAnswers({ bytes, chosen }: UploadedFile, form: FormBody): UploadedFile {
  const dayFirst = readYesOrNo(form.get('dayFirst')) ?? chosen.dayFirst
  const encoding = ENCODINGS.find((one) => one === form.get('encoding')) ?? chosen.encoding
  return { bytes, chosen: { ...chosen, dayFirst, encoding } }
}

/** @param form the id of the form that sends the answer */
function questionSection(
  failed: Reason | undefined,
  { words, language, form }: { words: Texts['console']; language: Language; form: string },
): Html | false {
  const { questions: own, columns } = words.import
  const [{ code, value = '' } = {}] = failed?.why ?? []
  const question = { unclear_dates: datesIn, unclear_encoding: readingsOf }[code as string]
  if (!question) return false
  const { name, label, choices } = question()
  const options = choices.map(([answer, text]) => html`<option value="${answer}">${text}</option>`)
  return html`<section class="card"><h2>${own.title}</h2><p class="field"><label for="field-${name}">${label}</label>
<select id="field-${name}" name="${name}" form="${form}"><option value="">${words.animal.fields.choose}</option>${options}</select></p>
<div class="row"><button form="${form}" formaction="${PREFIX}/import/columns">${columns.show}</button></div></section>`

  function datesIn() {
    const choices = (['day', 'month'] as const).map((order) => {
      const day = parseDate(value, order) ?? ''
      return [order === 'day' ? 'yes' : 'no', formatDate(language, Date.parse(day))] as const
    })
    return { name: 'dayFirst', label: own.date(value), choices }
  }

  function readingsOf() {
    const choices = SINGLE_BYTE.map((encoding) => [encoding, decodeWord(value, encoding)] as const)
    return { name: 'encoding', label: own.word, choices }
  }
}

// Lists the statuses in a file. Before the import, a person chooses what each of them means.

const FIELD_PREFIX = 'status:'

/** Adds the choices of a form to the earlier choices. */
export function withStatuses({ bytes, chosen }: UploadedFile, form: FormBody): UploadedFile {
  const choices = new Map(chosen.statuses)
  for (const [name, value] of form)
    if (name.startsWith(FIELD_PREFIX) && STATUS_RESULTS.includes(value as StatusResult))
      choices.set(name.slice(FIELD_PREFIX.length), value as StatusResult)
  return { bytes, chosen: { ...chosen, statuses: [...choices] } }
}

/** @param form the id of the form that sends the choices; without it, the statuses are only listed */
function statusSection(
  statuses: readonly StatusCount[] = [],
  words: Texts['console'],
  form?: string,
): Html | false {
  const { statuses: own } = words.import
  if (statuses.length === 0) return false
  const labelOf = (result: StatusMeaning): string =>
    result === 'died' ? own.died : (words.animals.statuses[result] ?? result)
  const sorted = statuses.toSorted(
    (one, other) => Number(one.known) - Number(other.known) || other.count - one.count,
  )
  const items = sorted.map((one, index) => {
    const id = `status-${index}`
    const about = html`${one.word || own.none} <small>${own.animals(one.count)}${!one.known && html` · <b>${own.unknown}</b>`}</small>`
    if (form === undefined || one.word === OTHER_STATUSES)
      return html`<li><span>${about}</span><span>${labelOf(one.result)}</span></li>`
    return html`<li><label for="${id}">${about}</label>${resultSelect(one, { id, form, labelOf })}</li>`
  })
  return html`<section><h2>${own.title}</h2><p>${form !== undefined && `${own.lead} `}${own.result}</p><ul class="rows">${items}</ul>
${form !== undefined && html`<div class="row"><button class="plain" form="${form}" formaction="${PREFIX}/import/columns">${words.import.columns.show}</button></div>`}</section>`
}

/** The choices for a status. The current result has an empty value, unless a person has chosen it. */
function resultSelect(
  { word, result, chosen }: StatusCount,
  { id, form, labelOf }: { id: string; form: string; labelOf: (result: StatusMeaning) => string },
): Html {
  const results = result === 'died' ? [result, ...STATUS_RESULTS] : STATUS_RESULTS
  const options = results.map(
    (one) =>
      html`<option value="${one === result && !chosen ? '' : one}"${one === result && html` selected`}>${labelOf(one)}</option>`,
  )
  return html`<select id="${id}" name="${FIELD_PREFIX}${foldStatus(word)}" form="${form}">${options}</select>`
}
