import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { Html, html } from '../../../../http/html.ts'
import { logFailure, toApiError } from '../../../../http/send-error.ts'
import { countLines, type Summary } from '../../../../transfer/report.ts'
import { KILOGRAM_GRAMS } from '../../../../transfer/words.ts'
import { formatDate } from '../../dates.ts'
import type { Texts } from '../../texts/texts.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { COLUMNS_FORM, labelOf } from './columns.ts'
import { questionSection } from './questions.ts'
import { leftOutIn, reasonsIn } from './refusal-words.ts'
import { refusedSection } from './refused.ts'
import { type ImportRun, runImport } from './run.ts'
import { statusSection } from './statuses.ts'
import type { UploadedFile } from './uploads.ts'

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
export function previewPage(request: FastifyRequest, { run, ticket, form, categories }: Preview): string {
  const { words, language } = wordsFor(request)
  const { import: own } = words
  const id = form ? COLUMNS_FORM : CONFIRM_FORM
  return consolePage(request, {
    title: own.previewTitle,
    main: html`<h1>${own.previewTitle}</h1><p class="lead">${own.previewLead}</p>${run && questionSection(run.failed, { words, language, form: id })}${run && figures(run, request)}${run && statusSection(run.done.statuses, words, id)}${run && examples(request, run, categories)}
<form class="row" id="${CONFIRM_FORM}" method="post" action="${PATH}/confirm"><input type="hidden" name="ticket" value="${ticket}">
${run && confirm(run, form !== undefined, own)}
<a class="button plain" href="${PATH}">${own.another}</a></form>${run && checks(run, words)}${run && refusedSection(request, run.refused, run.done.refused)}${form}${run && details(run, request)}`,
  })
}

const KILOGRAMS: Intl.NumberFormatOptions = {
  ...{ style: 'unit', unit: 'kilogram', maximumFractionDigits: 3 },
}

/** The first animals as the console would show them. People then notice a date or weight that was misread. */
function examples(
  request: FastifyRequest,
  { examples }: ImportRun,
  categories: ReadonlyMap<string, string> | undefined,
): Html | false {
  const { language, words } = wordsFor(request)
  const { labels } = words.animal.fields
  const items = examples.map((pet) => {
    const { name, categoryId, status, weightGrams, birthDate } = pet
    const day = birthDate && formatDate(language, Date.parse(birthDate))
    const weight = weightGrams && (weightGrams / KILOGRAM_GRAMS).toLocaleString(language, KILOGRAMS)
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
 *
 * @param share the slot of this import in the limit for running imports; released at the end
 */
export async function answerRunning(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  upload: UploadedFile,
  share: Disposable,
): Promise<unknown> {
  let page: PassThrough | undefined
  const running = new Promise<ImportRun | PassThrough>((resolve, reject) => {
    const onBatch = (done: Summary): void => {
      const lines = countLines(done)
      if (lines < MIN_STREAMED_LINES) return
      page ??= runningPage(request, run)
      page.write(progressLine(request, lines))
      resolve(page)
    }
    const run = runImport(context, request.caller, upload, {
      dryRun: false,
      onBatch,
      words: wordsFor(request).words,
    }).finally(() => share[Symbol.dispose]())
    run.then(resolve, reject)
  })
  const answer = await running
  if (!(answer instanceof PassThrough)) return resultPage(request, answer)
  // Without this header, a proxy would buffer the page until the import ends.
  return reply.header('x-accel-buffering', 'no').send(answer)
}

/** Marks the position of the streamed part in the page. Escaped text cannot contain this comment. */
const LATER = '<!-- later -->'

/** The page with the streamed progress. The page ends when the import ends. */
function runningPage(request: FastifyRequest, run: Promise<ImportRun>): PassThrough {
  const { words, common } = wordsFor(request)
  const { import: own } = words
  const document = consolePage(request, {
    title: own.title,
    main: html`<h1>${own.title}</h1><p class="lead">${own.running}</p><div class="steps">${new Html(LATER)}`,
  })
  const [before = '', after = ''] = document.split(LATER)
  const page = new PassThrough()
  page.write(before)
  run.then(
    (run) => page.end(html`</div><h2>${own.resultTitle}</h2>${resultOf(run, request)}`.text + after),
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
function progressLine(request: FastifyRequest, lines: number): string {
  const { language, words } = wordsFor(request)
  return html`<p role="status">${words.import.soFar(lines.toLocaleString(language))}</p>\n`.text
}

function resultPage(request: FastifyRequest, run: ImportRun): string {
  const { words } = wordsFor(request)
  const { import: own } = words
  return consolePage(request, {
    title: own.resultTitle,
    main: html`<h1>${own.resultTitle}</h1>${resultOf(run, request)}`,
  })
}

function resultOf(run: ImportRun, request: FastifyRequest): Html {
  const { words } = wordsFor(request)
  const { import: own } = words
  return html`${figures(run, request)}
<p class="row"><a class="button" href="${PREFIX}/animals">${own.toList}</a> <a href="${PATH}">${own.another}</a></p>${statusSection(run.done.statuses, words)}${checks(run, words)}${refusedSection(request, run.refused, run.done.refused)}${details(run, request)}`
}

function figures({ done, failed }: ImportRun, request: FastifyRequest): Html {
  const { language, words } = wordsFor(request)
  const { import: own } = words
  const items = (['added', 'updated', 'unchanged', 'refused'] as const).map(
    (name) => html`<li><b>${done[name].toLocaleString(language)}</b> ${own.figures[name]}</li>`,
  )
  const withdrawn = Object.values(done.withdrawn ?? {}).reduce((sum, count) => sum + count, 0)
  return html`${failed !== undefined && html`<p class="summary problem" role="alert">${reasonsIn(failed, words).join(' ')}</p>`}
<ul class="numbers">${items}</ul>
${(done.lostBonds ?? 0) > 0 && html`<p class="summary problem">${own.lostBonds(done.lostBonds ?? 0)}</p>`}${(done.takenOff ?? 0) > 0 && html`<p>${own.takenOff(done.takenOff ?? 0)}</p>`}${withdrawn > 0 && html`<p>${own.withdrawn(withdrawn)}</p>`}`
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

function details({ done }: ImportRun, request: FastifyRequest): Html | false {
  const { language, words } = wordsFor(request)
  const left = Object.entries(done.leftOut).toSorted(([, one], [, other]) => other - one)
  const items = left
    .slice(0, 40)
    .map(([name, count]) => html`<li>${leftOutIn(name, done, words)}: ${count.toLocaleString(language)}</li>`)
  return (
    items.length > 0 &&
    html`<section class="card"><h2>${words.import.leftOut}</h2><ul>${items}</ul></section>`
  )
}
