import type { FastifyRequest } from 'fastify'
import { type Html, html } from '../../../../http/html.ts'
import type { Texts } from '../../texts/texts.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { COLUMNS_FORM } from './columns-form.ts'
import type { Ran } from './run.ts'

const PATH = `${PREFIX}/import`

interface Preview {
  /** Absent where it is not known yet. */
  ran?: Ran
  ticket: string
  /** What the columns of the file hold, where that is asked. */
  form: Html | undefined
}

/** What a file would do. */
export function previewPage(request: FastifyRequest, { ran, ticket, form }: Preview): string {
  const { import: own } = wordsFor(request).words
  return consolePage(request, {
    title: own.previewTitle,
    main: html`<h1>${own.previewTitle}</h1><p class="lead">${own.previewLead}</p>${form}${ran && figures(ran, own)}
<form class="row" method="post" action="${PATH}/confirm"><input type="hidden" name="ticket" value="${ticket}">
${ran && confirm(ran, form !== undefined, own)}
<a class="button plain" href="${PATH}">${own.another}</a></form>${ran && details(ran, own)}`,
  })
}

/** With the form of the columns: what somebody changed there and did not look at is shown, not done. */
function confirm({ done, failed }: Ran, hasColumns: boolean, own: Texts['console']['import']): Html | false {
  const count = done.added + done.updated
  if (failed !== undefined || count === 0) return false
  return html`<button${hasColumns && html` form="${COLUMNS_FORM}" formaction="${PATH}/confirm"`}>${own.confirm(count)}</button>`
}

/** What a file did. */
export function resultPage(request: FastifyRequest, ran: Ran): string {
  const { import: own } = wordsFor(request).words
  return consolePage(request, {
    title: own.resultTitle,
    main: html`<h1>${own.resultTitle}</h1>${resultOf(ran, own)}`,
  })
}

export function resultOf(ran: Ran, own: Texts['console']['import']): Html {
  return html`${figures(ran, own)}
<p class="row"><a class="button" href="${PREFIX}/animals">${own.toList}</a> <a href="${PATH}">${own.another}</a></p>${details(ran, own)}`
}

function figures({ done, failed }: Ran, own: Texts['console']['import']): Html {
  const items = (['added', 'updated', 'unchanged', 'refused'] as const).map(
    (name) => html`<li><b>${done[name]}</b> ${own.figures[name]}</li>`,
  )
  return html`${failed !== undefined && html`<p class="summary problem" role="alert">${failed}</p>`}
<ul class="numbers">${items}</ul>`
}

function details({ done, refused }: Ran, own: Texts['console']['import']): Html {
  const left = Object.entries(done.leftOut).toSorted(([, one], [, other]) => other - one)
  return html`${
    refused.length > 0 &&
    html`<section class="card"><h2>${own.refused}</h2><table><thead><tr><th scope="col">${own.line}</th><th scope="col">${own.why}</th></tr></thead>
<tbody>${refused.map(({ line, reason }) => html`<tr><td>${line}</td><td>${reason}</td></tr>`)}</tbody></table>
${done.refused > refused.length && html`<p>${own.more(done.refused - refused.length)}</p>`}</section>`
  }${
    left.length > 0 &&
    html`<section class="card"><h2>${own.leftOut}</h2><ul>${left.slice(0, 40).map(([name, count]) => html`<li>${name}: ${count}</li>`)}</ul></section>`
  }`
}
