import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { changes } from '../../../../db/change.ts'
import { ApiError, type ErrorDetail } from '../../../../errors.ts'
import { type FormBody, readField } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { MAX_QUESTION_CHARACTERS, MAX_QUESTIONS, type Question } from '../../../../organizations/schema.ts'
import type { StoredOrganization } from '../../../../organizations/store.ts'
import {
  checkField,
  longTextField,
  type Problem,
  problemSummary,
  selectField,
  textField,
} from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { NON_FIELD } from '../fields.ts'
import { consolePage } from '../frame.ts'
import type { Routes, Visit } from '../visit.ts'
import { organizationHead, ownOrganization, readPatch, tabPath } from './organization.ts'

/** The page that edits all application questions of an organization. */
export function questionsPages({ get, post }: Routes): void {
  const path = '/organizations/:id/questions'
  get(path, async (visit) => {
    const organization = await ownOrganization(visit)
    const { applicationQuestions: questions = [] } = organization
    const drafts = questions.map(draftOf)
    return questionsPage(visit, { organization, drafts, marks: marksOf(questions), problems: [] })
  })
  post(path, save)
}

async function save(visit: Visit): Promise<string | FastifyReply> {
  const { reply, form, words } = visit
  const organization = await ownOrganization(visit)
  const { id } = organization
  const starters = form.get('do') === 'starters' ? words.questions.starters.map(draftOfStarter) : []
  const drafts = [...readDrafts(form).filter(isFilled), ...starters]
  const marks = marksOf(organization.applicationQuestions ?? [])
  const refuse = (status: number, problems: Problem[]): string => {
    reply.code(status)
    return questionsPage(visit, { organization, drafts, marks, problems })
  }
  if (form.get('marks') !== marks)
    return refuse(409, [{ field: NON_FIELD, message: words.questions.conflict }])
  try {
    const patch = readPatch({ applicationQuestions: questionsOf(drafts) })
    await visit.write(changes.updateOrganization, id, patch, visit.clock())
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    return refuse(400, problemsIn(error.details ?? [], words))
  }
  return reply.redirect(`${tabPath(id, 'questions')}?done=questions_saved`, 303)
}

/** A question in the form. */
interface Draft {
  id: string
  text: string
  kind: string
  /** One option per line. */
  options: string
  required: boolean
}

const EMPTY: Draft = { id: '', text: '', kind: 'yesNo', options: '', required: false }

function draftOf({ id, text, kind, options = [], required }: Question): Draft {
  return { id, text, kind, options: options.join('\n'), required }
}

/** A starter question. It is a choice if it has options; otherwise, the answer is a text. */
function draftOfStarter([text = '', ...options]: readonly string[]): Draft {
  const kind = options.length > 0 ? 'choice' : 'text'
  return { id: '', text, kind, options: options.join('\n'), required: true }
}

/** A hash of the questions that the form showed, to detect a change by another person. */
const marksOf = (questions: readonly Question[]): string =>
  hash('sha256', JSON.stringify(questions)).slice(0, 16)

/** Reads the questions of the form, then moves or removes a question if such a button was clicked. */
function readDrafts(form: FormBody): Draft[] {
  const drafts: Draft[] = []
  // The last question of the form is empty.
  for (let index = 0; index <= MAX_QUESTIONS && form.has(`text-${index}`); index += 1) {
    const [id, text, kind, options] = ['id', 'text', 'kind', 'options'].map((name) =>
      readField(form, `${name}-${index}`),
    ) as [string, string, string, string]
    drafts.push({ id, text, kind, options, required: form.get(`required-${index}`) === 'yes' })
  }
  const [action, place] = (form.get('do') ?? '').split('-')
  const at = Number(place)
  if (!drafts[at]) return drafts
  if (action === 'remove') drafts.splice(at, 1)
  const to = action === 'up' ? at - 1 : action === 'down' ? at + 1 : at
  if (drafts[to] && to !== at) drafts.splice(to, 0, ...drafts.splice(at, 1))
  return drafts
}

/** A question that has neither text nor options is removed. */
const isFilled = ({ text, options }: Draft): boolean => text !== '' || options !== ''

/** The questions, which are not validated yet. A new question gets an unused id. */
function questionsOf(drafts: readonly Draft[]): unknown[] {
  const ids = new Set(drafts.map(({ id }) => id))
  let number = 0
  return drafts.map(({ id, text, kind, options, required }) => {
    let own = id
    while (own === '') {
      number += 1
      if (!ids.has(`q${number}`)) own = `q${number}`
    }
    ids.add(own)
    const lines = options.split('\n').map((line) => line.trim())
    const chosen = { options: lines.filter((line) => line !== '') }
    return { id: own, text, kind, ...(kind === 'choice' && chosen), required }
  })
}

/** The problems of refused questions, each with the field of the form. */
function problemsIn(details: readonly ErrorDetail[], { questions }: Texts['console']): Problem[] {
  const problems = details.map(({ pointer = '' }): Problem => {
    const [, , index, member] = pointer.split('/')
    if (index === undefined) return { field: NON_FIELD, message: questions.problems.many ?? '' }
    const field = member === 'options' ? 'options' : 'text'
    const number = questions.number(Number(index) + 1)
    return { field: `${field}-${index}`, message: `${number}. ${questions.problems[field]}` }
  })
  return [...new Map(problems.map((problem) => [problem.field, problem])).values()]
}

interface QuestionsPage {
  organization: StoredOrganization
  drafts: readonly Draft[]
  /** The hash of the stored questions. */
  marks: string
  problems: readonly Problem[]
}

function questionsPage(visit: Visit, parts: QuestionsPage): string {
  const { organization, drafts, marks, problems } = parts
  const { questions } = visit.words
  const all = drafts.length < MAX_QUESTIONS ? [...drafts, EMPTY] : drafts
  const groups = all.map((draft, index) => group(visit, { draft, index, problems, count: drafts.length }))
  const main = html`${organizationHead(visit, organization, 'questions')}
<div class="narrow"><p class="lead">${questions.lead}</p>
${problemSummary(questions.wrong, problems)}
<form method="post" id="field-${NON_FIELD}" action="${tabPath(organization.id, 'questions')}" novalidate>
<input type="hidden" name="marks" value="${marks}">
<button class="visually-hidden" name="do" value="save" tabindex="-1" aria-hidden="true">${questions.save}</button>
${drafts.length === 0 && starterSet(questions)}
${groups}<div class="actions"><button name="do" value="save">${questions.save}</button></div></form></div>`
  return consolePage(visit, { title: `${questions.title} – ${organization.name}`, main })
}

/** The starter questions, with the button that adds all of them. */
function starterSet({
  starterTitle,
  starterHint,
  starters,
  addStarters,
}: Texts['console']['questions']): Html {
  return html`<section class="card" aria-labelledby="starters"><h2 id="starters">${starterTitle}</h2>
<p>${starterHint}</p><ul>${starters.map(([text]) => html`<li>${text}</li>`)}</ul>
<button class="plain" name="do" value="starters">${addStarters}</button></section>`
}

interface QuestionGroup {
  draft: Draft
  index: number
  problems: readonly Problem[]
  /** The number of questions, without the empty question at the end. */
  count: number
}

function group(visit: Visit, { draft, index, problems, count }: QuestionGroup): Html {
  const { questions } = visit.words
  const isNew = index >= count
  const named = (name: keyof Draft) => ({ name: `${name}-${index}`, problems })
  const kinds = Object.entries(questions.kinds)
  return html`<section class="card" aria-labelledby="question-${index}"><h2 id="question-${index}">${isNew ? questions.another : questions.number(index + 1)}</h2>
<input type="hidden" name="id-${index}" value="${draft.id}">
${textField({ ...named('text'), label: questions.text, value: draft.text, maxLength: MAX_QUESTION_CHARACTERS })}
${selectField({ ...named('kind'), label: questions.kind, value: draft.kind, choices: kinds })}
${longTextField({ ...named('options'), label: questions.options, hint: questions.optionsHint, value: draft.options, rows: 3 })}
${checkField({ ...named('required'), label: questions.required, value: draft.required ? 'yes' : '' })}
${!isNew && html`<div class="row">${index > 0 && action('up', index, visit)}${index < count - 1 && action('down', index, visit)}${action('remove', index, visit)}</div>`}</section>`
}

function action(name: 'up' | 'down' | 'remove', index: number, { words: { questions } }: Visit): Html {
  const style = name === 'remove' ? 'danger' : 'plain'
  return html`<button class="${style}" name="do" value="${name}-${index}" aria-label="${questions.of(questions[name], index + 1)}">${questions[name]}</button>`
}
