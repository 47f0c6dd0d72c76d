import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { type Html, html } from '../../../../http/html.ts'
import { MOST_ASKED_CHARACTERS, MOST_QUESTIONS } from '../../../../organizations/questions.ts'
import type { Stored } from '../../../../organizations/store.ts'
import {
  checkField,
  longTextField,
  type Problem,
  problemSummary,
  selectField,
  textField,
} from '../../forms.ts'
import { readOrganizations } from '../choices.ts'
import { NON_FIELD } from '../forms/problems.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { noneYet } from './none-yet.ts'
import { type Draft, EMPTY } from './questions-read.ts'

export const QUESTIONS_PATH = `${PREFIX}/organization/questions`

interface Parts {
  organization: Stored
  drafts: readonly Draft[]
  /** Of what the organization has. */
  marks: string
  problems: readonly Problem[]
}

export function questionsPage(request: FastifyRequest, parts: Parts): string {
  const { organization, drafts, marks, problems } = parts
  const { questions } = wordsFor(request).words
  const all = drafts.length < MOST_QUESTIONS ? [...drafts, EMPTY] : drafts
  const groups = all.map((draft, index) => group(request, { draft, index, problems, count: drafts.length }))
  const main = html`<div class="narrow"><h1>${questions.title}</h1>
<p class="lead"><strong>${organization.name}</strong> · ${questions.lead}</p>
${problemSummary(questions.wrong, problems)}
<form method="post" id="field-${NON_FIELD}" action="${QUESTIONS_PATH}?organization=${organization.id}" novalidate>
<input type="hidden" name="marks" value="${marks}">
<button class="visually-hidden" name="do" value="save" tabindex="-1" aria-hidden="true">${questions.save}</button>
${groups}<div class="actions"><button name="do" value="save">${questions.save}</button></div></form></div>`
  return consolePage(request, { title: questions.title, main })
}

interface Place {
  draft: Draft
  index: number
  problems: readonly Problem[]
  /** Of the questions that are there. */
  count: number
}

function group(request: FastifyRequest, { draft, index, problems, count }: Place): Html {
  const { questions } = wordsFor(request).words
  const isNew = index >= count
  const named = (name: keyof Draft) => ({ name: `${name}-${index}`, problems })
  const kinds = Object.entries(questions.kinds)
  return html`<section class="card" aria-labelledby="question-${index}"><h2 id="question-${index}">${isNew ? questions.another : questions.number(index + 1)}</h2>
<input type="hidden" name="id-${index}" value="${draft.id}">
${textField({ ...named('text'), label: questions.text, value: draft.text, mostCharacters: MOST_ASKED_CHARACTERS })}
${selectField({ ...named('kind'), label: questions.kind, value: draft.kind, choices: kinds })}
${longTextField({ ...named('options'), label: questions.options, hint: questions.optionsHint, value: draft.options, rows: 3 })}
${checkField({ ...named('required'), label: questions.required, value: draft.required ? 'yes' : '' })}
${!isNew && html`<div class="row">${index > 0 && action('up', index, request)}${index < count - 1 && action('down', index, request)}${action('remove', index, request)}</div>`}</section>`
}

function action(name: 'up' | 'down' | 'remove', index: number, request: FastifyRequest): Html {
  const { questions } = wordsFor(request).words
  const style = name === 'remove' ? 'danger' : 'plain'
  return html`<button class="${style}" name="do" value="${name}-${index}" aria-label="${questions.of(questions[name], index + 1)}">${questions[name]}</button>`
}

/** For somebody of the whole installation. */
export async function chooseOrganization(context: Context, request: FastifyRequest): Promise<string> {
  const { questions } = wordsFor(request).words
  const organizations = await readOrganizations(context, request.caller)
  const main = html`<div class="narrow"><h1>${questions.title}</h1><h2>${questions.which}</h2>
${
  organizations === undefined
    ? noneYet(request, questions.whichNone)
    : organizations === 'many'
      ? html`<form method="get" action="${QUESTIONS_PATH}">${textField({ name: 'organization', label: questions.organization, inputMode: 'numeric' })}
<button>${questions.which}</button></form>`
      : html`<ul>${organizations.map(([id, name]) => html`<li><a href="${QUESTIONS_PATH}?organization=${id}">${name}</a></li>`)}</ul>`
}</div>`
  return consolePage(request, { title: questions.title, main })
}
