import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { Html, html } from '../../../../http/html.ts'
import { logFailure, toApiError } from '../../../../http/send-error.ts'
import { linesIn, type Summary } from '../../../../transfer/summary.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { resultOf, resultPage } from './preview.ts'
import { type Ran, runImport } from './run.ts'
import type { Uploaded } from './uploads.ts'

/** So many lines come in before anybody wonders: a smaller import is answered whole. */
const MIN_LINES = 2_000

/**
 * Brings a file in. The page of a large one is sent while that goes on, with a line after each batch; it goes
 * on too when the browser has left.
 */
export async function answerRunning(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  upload: Uploaded,
): Promise<unknown> {
  let page: PassThrough | undefined
  const running = new Promise<Ran | PassThrough>((resolve, reject) => {
    const onBatch = (done: Summary): void => {
      const lines = linesIn(done)
      if (lines < MIN_LINES) return
      page ??= runningPage(request, ran)
      page.write(stepOf(request, lines))
      resolve(page)
    }
    const ran = runImport(context, request.caller, upload, { dryRun: false, onBatch })
    ran.then(resolve, reject)
  })
  const answer = await running
  if (!(answer instanceof PassThrough)) return resultPage(request, answer)
  // A proxy would keep it back until it is whole.
  return reply.header('x-accel-buffering', 'no').send(answer)
}

/** Stands in the page for what comes later; no text that is escaped has it. */
const LATER = '<!-- later -->'

/** The page around what is written to it, which ends when the import does. */
function runningPage(request: FastifyRequest, ran: Promise<Ran>): PassThrough {
  const { words, common } = wordsFor(request)
  const { import: own } = words
  const whole = consolePage(request, {
    title: own.title,
    main: html`<h1>${own.title}</h1><p class="lead">${own.running}</p><div class="steps">${new Html(LATER)}`,
  })
  const [before = '', after = ''] = whole.split(LATER)
  const page = new PassThrough()
  page.write(before)
  ran.then(
    (ran) => page.end(html`</div><h2>${own.resultTitle}</h2>${resultOf(ran, words)}`.text + after),
    (thrown) => {
      const error = toApiError(thrown)
      logFailure(request.log, request.id, error)
      const problem = common.errorTitles[error.status] ?? common.errorTitles[500]
      page.end(html`</div><p class="summary problem" role="alert">${problem}</p>`.text + after)
    },
  )
  return page
}

/** Each hides the one before. */
function stepOf(request: FastifyRequest, lines: number): string {
  const { language, words } = wordsFor(request)
  return html`<p role="status">${words.import.soFar(lines.toLocaleString(language))}</p>\n`.text
}
