import type { FastifyRequest } from 'fastify'
import { type Html, html } from '../../../../http/html.ts'
import type { Refusal } from '../../../../transfer/animal.ts'
import { dayIn } from '../../dates.ts'
import type { Texts } from '../../texts/texts.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { COLUMNS_FORM } from './columns-form.ts'
import { leftOutIn, reasonsIn } from './refusal-words.ts'
import type { Ran } from './run.ts'

const PATH = `${PREFIX}/import`

interface Preview {
  /** Absent where it is not known yet. */
  ran?: Ran
  ticket: string
  /** What the columns of the file hold, where that is asked. */
  form: Html | undefined
  /** Their names, by their ids. */
  categories?: ReadonlyMap<string, string>
}

/** What a file would do. */
export function previewPage(request: FastifyRequest, { ran, ticket, form, categories }: Preview): string {
  const { words } = wordsFor(request)
  const { import: own } = words
  return consolePage(request, {
    title: own.previewTitle,
    main: html`<h1>${own.previewTitle}</h1><p class="lead">${own.previewLead}</p>${form}${ran && figures(ran, words)}${ran && examples(request, ran, categories)}
<form class="row" method="post" action="${PATH}/confirm"><input type="hidden" name="ticket" value="${ticket}">
${ran && confirm(ran, form !== undefined, own)}
<a class="button plain" href="${PATH}">${own.another}</a></form>${ran && details(ran, words)}`,
  })
}

/** The first animals as the console would show them: so a date or a weight that is read wrong is seen. */
function examples(
  request: FastifyRequest,
  { examples }: Ran,
  categories: ReadonlyMap<string, string> | undefined,
): Html | false {
  const { language, words } = wordsFor(request)
  const { labels } = words.animal.fields
  const items = examples.map((pet) => {
    const { name, categoryId, status, weightGrams, birthDate } = pet
    const day = birthDate && dayIn(language, Date.parse(birthDate))
    const weight = weightGrams && (weightGrams / 1_000).toLocaleString(language, { maximumFractionDigits: 3 })
    const facts = [
      categories?.get(String(categoryId)),
      words.animals.statuses[status ?? 'unlisted'],
      weight && `${labels.weightGrams}: ${weight}`,
      day && `${labels.birthDate}: ${pet.birthDateExact === false ? words.import.about(day) : day}`,
    ]
    return html`<li><b>${name}</b> <small>${facts.filter(Boolean).join(' · ')}</small></li>`
  })
  return (
    items.length > 0 &&
    html`<section class="card"><h2>${words.import.examples}</h2><ul>${items}</ul></section>`
  )
}

/** With the form of the columns: what somebody changed there and did not look at is shown, not done. */
function confirm({ done, failed }: Ran, hasColumns: boolean, own: Texts['console']['import']): Html | false {
  const count = done.added + done.updated
  if (failed !== undefined || count === 0) return false
  return html`<button${hasColumns && html` form="${COLUMNS_FORM}" formaction="${PATH}/confirm"`}>${own.confirm(count)}</button>`
}

/** What a file did. */
export function resultPage(request: FastifyRequest, ran: Ran): string {
  const { words } = wordsFor(request)
  const { import: own } = words
  return consolePage(request, {
    title: own.resultTitle,
    main: html`<h1>${own.resultTitle}</h1>${resultOf(ran, words)}`,
  })
}

export function resultOf(ran: Ran, words: Texts['console']): Html {
  const { import: own } = words
  return html`${figures(ran, words)}
<p class="row"><a class="button" href="${PREFIX}/animals">${own.toList}</a> <a href="${PATH}">${own.another}</a></p>${details(ran, words)}`
}

function figures({ done, failed }: Ran, words: Texts['console']): Html {
  const { import: own } = words
  const items = (['added', 'updated', 'unchanged', 'refused'] as const).map(
    (name) => html`<li><b>${done[name]}</b> ${own.figures[name]}</li>`,
  )
  return html`${failed !== undefined && html`<p class="summary problem" role="alert">${reasonsIn(failed, words).join(' ')}</p>`}
<ul class="numbers">${items}</ul>`
}

function lineOf(refusal: Refusal, words: Texts['console']): Html {
  const reasons = reasonsIn(refusal, words).map((reason, index) => [index > 0 && html`<br>`, reason])
  return html`<tr><td>${refusal.line}</td><td>${reasons}</td></tr>`
}

function details({ done, refused }: Ran, words: Texts['console']): Html {
  const { import: own } = words
  const left = Object.entries(done.leftOut).toSorted(([, one], [, other]) => other - one)
  return html`${
    refused.length > 0 &&
    html`<section class="card"><h2>${own.refused}</h2><table><thead><tr><th class="line" scope="col">${own.line}</th><th scope="col">${own.why}</th></tr></thead>
<tbody>${refused.map((one) => lineOf(one, words))}</tbody></table>
${done.refused > refused.length && html`<p>${own.more(done.refused - refused.length)}</p>`}</section>`
  }${
    left.length > 0 &&
    html`<section class="card"><h2>${own.leftOut}</h2><ul>${left.slice(0, 40).map(([name, count]) => html`<li>${leftOutIn(name, words)}: ${count}</li>`)}</ul></section>`
  }`
}
