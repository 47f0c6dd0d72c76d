import type { FastifyRequest } from 'fastify'
import { type Html, html } from '../../../../http/html.ts'
import { type Problem, problemSummary, selectField, textField } from '../../forms.ts'
import { type Choices, onlyChoice } from '../choices.ts'
import { wordsFor } from '../frame.ts'
import { callerMay } from '../pages.ts'
import { LIST_PATH } from './filters.ts'
import { SELECTED_FORM } from './rows.ts'

/** An animal that an action could not change. */
export interface FailedAnimal {
  id: number
  name: string
  reason: string
}

/** The result of an action on the selected animals. */
export interface SelectedResult {
  /** The ids that stay selected. */
  selected: readonly number[]
  values: Record<string, string>
  problems: readonly Problem[]
  done: number
  failed: readonly FailedAnimal[]
}

export const SELECTED_PATH = `${LIST_PATH}/selected`
const MAX_TAG_LENGTH = 40

/** The form for the selected animals, under the table. */
export function selectedForm(
  request: FastifyRequest,
  address: string,
  { organizations }: Choices,
  { values = {}, problems = [] }: Partial<SelectedResult> = {},
): Html | undefined {
  if (!callerMay(request.caller, 'changeAnimals')) return undefined
  const { list, animals } = wordsFor(request).words
  const actions = Object.entries(list.actions).filter(([action]) => action !== 'assign' || organizations)
  const field = (name: string, label: string) => ({ name, label, value: values[name], problems })
  const organization = field('organizationId', animals.organization)
  return html`<form class="card with-selected" id="${SELECTED_FORM}" method="post" action="${SELECTED_PATH}">
<h2>${list.selected}</h2><input type="hidden" name="to" value="${address}">
<label class="choice" hidden><input type="checkbox" data-checks="id"> ${list.selectAll}</label>
<div class="row">${selectField({ ...field('action', list.action), choices: [['', list.choose], ...actions] })}
<div class="for-tag">${textField({ ...field('tag', list.tag), maxLength: MAX_TAG_LENGTH })}</div>
${
  organizations &&
  html`<div class="for-assign">${
    organizations === 'many'
      ? textField({ ...organization, inputMode: 'numeric' })
      : selectField({
          ...organization,
          value: values.organizationId ?? onlyChoice(organizations),
          choices: [['', list.noOrganization], ...organizations],
        })
  }</div>`
}
<button>${list.apply}</button></div></form>`
}

/** Says how many animals were changed, and which ones could not be. */
export function selectedReport(
  request: FastifyRequest,
  result: SelectedResult | undefined,
): Html | undefined {
  if (!result) return undefined
  const { words } = wordsFor(request)
  const { list } = words
  const { done, failed, problems } = result
  const items = failed.map(
    ({ id, name, reason }) => html`<li><a href="${LIST_PATH}/${id}">${name}</a>: ${reason}</li>`,
  )
  return html`${problemSummary(words.animal.wrong, problems)}${done > 0 && html`<p class="notice" role="status">${list.done(done)}</p>`}${
    failed.length > 0 &&
    html`<div class="summary" role="alert"><h2>${list.failed(failed.length)}</h2><p>${list.stillSelected}</p><ul>${items}</ul></div>`
  }`
}
