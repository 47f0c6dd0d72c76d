import type { FormBody } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import {
  foldStatus,
  OTHER_STATUSES,
  STATUS_RESULTS,
  type StatusCount,
  type StatusMeaning,
  type StatusResult,
} from '../../../../transfer/statuses.ts'
import type { Texts } from '../../texts/texts.ts'
import { PREFIX } from '../pages.ts'
import { statusesOf, type UploadedFile } from './uploads.ts'

// Lists the statuses in a file. Before the import, a person chooses what each of them means.

const FIELD_PREFIX = 'status:'

/** Adds the choices of a form to the earlier choices. */
export function withStatuses({ bytes, chosen }: UploadedFile, form: FormBody): UploadedFile {
  const choices = new Map(statusesOf(chosen))
  for (const [name, value] of form)
    if (name.startsWith(FIELD_PREFIX) && STATUS_RESULTS.includes(value as StatusResult))
      choices.set(name.slice(FIELD_PREFIX.length), value as StatusResult)
  return { bytes, chosen: { ...chosen, statuses: JSON.stringify([...choices]) } }
}

/** @param form the id of the form that sends the choices; without it, the statuses are only listed */
export function statusSection(
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
