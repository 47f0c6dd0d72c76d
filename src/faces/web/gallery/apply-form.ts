import type { FastifyReply, FastifyRequest } from 'fastify'
import { answersOf, type Given, problemsOf, readApplication, YES_NO } from '../../../applications/forms.ts'
import { MAX_ANSWER, MAX_CHARACTERS, type NewApplication } from '../../../applications/schema.ts'
import type { Context } from '../../../context.ts'
import { ApiError, type ErrorDetail } from '../../../errors.ts'
import { type FormBody, textIn } from '../../../http/form-body.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import { type Language, languageOf } from '../../../http/language.ts'
import type { Question } from '../../../organizations/questions.ts'
import { requireSameOrigin } from '../../../staff/session-cookie.ts'
import { assetPath } from '../assets.ts'
import { longTextField, type Problem, problemSummary, radioField, selectField, textField } from '../forms.ts'
import { type Texts, textsOf } from '../texts/texts.ts'
import { galleryPage } from './frame.ts'

/** What people do not see and programs fill in. */
export const HIDDEN_FIELD = 'homepage'
/** When the form was made, and for which link. */
export const TOKEN_FIELD = 'form'
/** The button: where what is wrong with the form itself leads. */
export const NON_FIELD = 'send'

/** Of so many options all are to be seen. */
const FEW_OPTIONS = 6

interface FormParts {
  language: Language
  pet: { id: number; name: string; status?: string | undefined }
  /** The address of a photo. */
  photo: string | undefined
  shelter: string | undefined
  questions: readonly Question[]
  days: number
  token: string
  typed: Typed
  problems: readonly Problem[]
}

const applyPath = (id: number): string => `/animals/${id}/apply`

/** The style of these pages, beside that of the gallery. */
export const applyHead = (): Html => html`<link rel="stylesheet" href="${assetPath('apply.css')}">`

export function applyPage(parts: FormParts): string {
  const { language, pet, photo, shelter, problems } = parts
  const { apply } = textsOf(language)
  const title = apply.title(pet.name)
  const wrong = problems.length > 0
  return galleryPage({
    ...{ language, path: applyPath(pet.id), head: applyHead() },
    title: `${wrong ? `${apply.wrong}: ` : ''}${title} · adoptable`,
    main: html`<div class="apply">
<div class="whom">${photo !== undefined && html`<img src="${photo}" alt="" width="96" height="96">`}<div><h1>${title}</h1>
<p><a href="/animals/${pet.id}">${pet.name}</a>${shelter && html` · ${shelter}`}</p></div></div>
${problemSummary(apply.wrong, problems)}
${!wrong && html`<p class="lead">${apply.lead(pet.name, shelter)}</p>`}
${pet.status === 'pending' && html`<p class="notice">${apply.reserved(pet.name)}</p>`}
${form(parts)}</div>`,
  })
}

function form(parts: FormParts): Html {
  const { language, pet, questions, days, token } = parts
  const { apply } = textsOf(language)
  return html`<form method="post" action="${applyPath(pet.id)}" novalidate>
<input type="hidden" name="${TOKEN_FIELD}" value="${token}" autocomplete="off">
<p class="hint">${apply.allNeeded}</p>
<h2>${apply.you}</h2>
${FIELD_NAMES.filter((name) => name !== 'message').map((name) => field(name, parts))}
<div class="visually-hidden" aria-hidden="true"><label for="${HIDDEN_FIELD}">${apply.leaveEmpty}</label>
<input id="${HIDDEN_FIELD}" name="${HIDDEN_FIELD}" tabindex="-1" autocomplete="off"></div>
${questions.length > 0 && html`<h2>${apply.questions}</h2>`}
${questions.map((question) => answer(question, parts))}
${questions.length === 0 && html`<h2>${apply.questions}</h2>`}
${field('message', parts)}
<p class="privacy">${apply.privacy(days)}</p>
<p><button class="big" id="field-${NON_FIELD}">${apply.send}</button></p></form>`
}

const AUTOCOMPLETE: Partial<Record<FieldName, string>> = {
  name: 'name',
  email: 'email',
  phone: 'tel',
  address: 'street-address',
}
const TYPES: Partial<Record<FieldName, 'email' | 'tel'>> = { email: 'email', phone: 'tel' }
const NEEDED: readonly FieldName[] = ['name', 'email']

function field(name: FieldName, { language, typed, problems }: FormParts): Part {
  const { apply } = textsOf(language)
  const label = apply.fields[name] ?? name
  const required = NEEDED.includes(name)
  const shared = {
    ...{ name, required, problems, value: typed[name] ?? '', hint: apply.hints[name] },
    label: required ? label : apply.optional(label),
    ...{ autocomplete: AUTOCOMPLETE[name], maxLength: MAX_CHARACTERS[name] },
  }
  if (isLong(name)) return longTextField({ ...shared, rows: name === 'address' ? 3 : 6 })
  return textField({ ...shared, type: TYPES[name] ?? 'text' })
}

function answer(question: Question, { language, typed, problems }: FormParts): Html {
  const { apply } = textsOf(language)
  const { text, kind, required, options = [] } = question
  const name = answerField(question)
  const label = required ? text : apply.optional(text)
  const shared = { name, label, required, problems, value: typed[name] ?? '' }
  if (kind === 'text') return longTextField({ ...shared, rows: 3 })
  const choices = choicesOf(question, apply)
  if (kind === 'choice' && options.length > FEW_OPTIONS)
    return selectField({ ...shared, choices: [['', apply.choose], ...choices] })
  return radioField({ ...shared, choices })
}

/** A page in the place of the form: why there is none, and where to go on. */
export function applyRefusal(
  language: Language,
  { title, advice }: { title: string; advice: string },
): string {
  const { common } = textsOf(language)
  return galleryPage({
    ...{ language, path: '', head: applyHead(), title: `${title} · adoptable` },
    main: html`<div class="apply"><h1>${title}</h1>
<p class="lead">${advice}</p>
<p><a class="button" href="/animals">${common.toGallery}</a></p></div>`,
  })
}

/** The fields that every form has. */
type FieldName = keyof typeof MAX_CHARACTERS
const FIELD_NAMES = Object.keys(MAX_CHARACTERS) as FieldName[]

/** Those of several lines. */
const LINES: readonly FieldName[] = ['address', 'message']

/** The field of an answer. */
const answerField = ({ id }: Question): string => `q-${id}`

/** What was typed, by the names of the fields. */
export type Typed = Record<string, string>

/** Only what the form has is read, whatever else was sent. */
export function typedIn(form: FormBody, questions: readonly Question[]): Typed {
  const names = [...FIELD_NAMES, ...questions.map(answerField)]
  return Object.fromEntries(names.map((name) => [name, textIn(form, name)]))
}

/** The application that was typed, or all that is wrong with it, field by field from the top. */
export function applicationIn(
  typed: Typed,
  { petId, questions }: { petId: number; questions: readonly Question[] },
  words: Texts['apply'],
): { application: NewApplication } | { problems: Problem[] } {
  const given: Given = Object.fromEntries(
    questions.map((question) => [question.id, typed[answerField(question)]]),
  )
  const { message, ...applicant } = present(typed)
  const answers = answersOf(questions, given)
  const inAnswers = problemsOf(questions, given).map(({ id, code }): Problem => {
    const question = questions.find((one) => one.id === id) as Question
    return { field: answerField(question), message: answerProblem(code, question, words) }
  })
  // What is wrong with an answer is said in the words of its question.
  const sound = inAnswers.length === 0 ? answers : undefined
  const read = readApplication({
    ...{ petId, applicant },
    ...(message !== undefined && { message }),
    ...(sound && { answers: sound }),
  })
  const inFields = 'problems' in read ? read.problems.map((detail) => fieldProblem(detail, words)) : []
  if ('application' in read && inAnswers.length === 0) return read
  const rank = ({ field }: Problem): number => FIELD_NAMES.indexOf(field as FieldName)
  return { problems: [...inFields.sort((one, other) => rank(one) - rank(other)), ...inAnswers] }
}

function present(typed: Typed): Partial<Record<FieldName, string>> {
  const filled = FIELD_NAMES.filter((name) => typed[name] !== undefined && typed[name] !== '')
  return Object.fromEntries(filled.map((name) => [name, typed[name]]))
}

function fieldProblem({ code, pointer = '' }: ErrorDetail, words: Texts['apply']): Problem {
  const field = (FIELD_NAMES.find((name) => pointer.endsWith(`/${name}`)) ?? 'name') as FieldName
  const label = words.fields[field] ?? field
  const missing = code === 'missing' && words.missing[field]
  if (missing) return { field, message: missing }
  if (code === 'too_long') return { field, message: words.tooLong(label, MAX_CHARACTERS[field]) }
  return { field, message: field === 'email' ? words.email : words.line(label) }
}

function answerProblem(code: string, { text, kind }: Question, words: Texts['apply']): string {
  if (code === 'missing') return words.missingAnswer(text)
  if (code === 'too_long') return words.tooLong(text, MAX_ANSWER)
  return kind === 'text' ? words.line(text) : words.choice(text)
}

const isLong = (name: FieldName): boolean => LINES.includes(name)

/** What can be answered, and how it is called. */
function choicesOf(
  { kind, options = [] }: Question,
  { yes, no }: Texts['apply'],
): (readonly [string, string])[] {
  if (kind === 'choice') return options.map((option) => [option, option])
  return YES_NO.map((value) => [value, value === 'yes' ? yes : no])
}

/** @returns the page for what does not come from one of our own; undefined for what does */
export function refuseForeign(
  { config }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): string | undefined {
  try {
    requireSameOrigin(request, config)
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const language = languageOf(request.headers)
    const { apply } = textsOf(language)
    reply.code(error.status)
    return applyRefusal(language, { title: apply.notOurs, advice: apply.notOursAdvice })
  }
}
