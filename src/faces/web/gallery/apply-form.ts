import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type FormAnswers,
  readApplication,
  toAnswers,
  validateAnswers,
  YES_NO,
} from '../../../applications/forms.ts'
import { MAX_ANSWER, MAX_CHARACTERS, type NewApplication } from '../../../applications/schema.ts'
import type { Context } from '../../../context.ts'
import { ApiError, type ErrorDetail } from '../../../errors.ts'
import { type FormBody, readField } from '../../../http/form-body.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import { type Language, languageOf } from '../../../http/language.ts'
import { cleanEmail, hasTwoEmails } from '../../../http/text.ts'
import type { Question } from '../../../organizations/schema.ts'
import { requireSameOrigin } from '../../../staff/session-cookie.ts'
import { assetPath } from '../assets.ts'
import { longTextField, type Problem, problemSummary, radioField, selectField, textField } from '../forms.ts'
import { type Texts, textsOf } from '../texts/texts.ts'
import { galleryPage } from './frame.ts'
import { numberWords, unitWords } from './phrases.ts'

/** The name of a hidden field. People do not see the field, but spam programs fill it in. */
export const HIDDEN_FIELD = 'homepage'
/**
 * The name of the field with the form's signed token. The token contains the time of the form and the private
 * link of the application.
 */
export const TOKEN_FIELD = 'form'
/** The field name for problems of the complete form. They link to the send button. */
export const NON_FIELD = 'send'

/**
 * A question with up to this many options has radio buttons. A question with more options has a select
 * element.
 */
const MAX_RADIO_OPTIONS = 6

interface FormParts {
  language: Language
  pet: { id: number; name: string; status?: string | undefined }
  /** URL of a photo. */
  photo: string | undefined
  shelter: string | undefined
  questions: readonly Question[]
  days: number
  /** Whether applicants get e-mails. */
  sendsEmail: boolean
  token: string
  typed: FieldValues
  problems: readonly Problem[]
}

const applyPath = (id: number): string => `/animals/${id}/apply`

/** Adds the stylesheet of these pages to that of the gallery. */
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
<p class="hint">${apply.allRequired}</p>
<h2>${apply.you}</h2>
${FIELD_NAMES.filter((name) => name !== 'message').map((name) => field(name, parts))}
<div class="visually-hidden" aria-hidden="true"><label for="${HIDDEN_FIELD}">${apply.leaveEmpty}</label>
<input id="${HIDDEN_FIELD}" name="${HIDDEN_FIELD}" tabindex="-1" autocomplete="off"></div>
${questions.length > 0 && html`<h2>${apply.questions}</h2>`}
${questions.map((question) => answer(question, parts))}
${questions.length === 0 && html`<h2>${apply.home}</h2>`}
${field('message', parts)}
<p class="privacy">${apply.privacy(unitWords(language, 'day', days))}</p>
<p><button class="big" id="field-${NON_FIELD}">${apply.send}</button></p></form>`
}

const AUTOCOMPLETE: Partial<Record<FieldName, string>> = {
  name: 'name',
  email: 'email',
  phone: 'tel',
  address: 'street-address',
}
const TYPES: Partial<Record<FieldName, 'email' | 'tel'>> = { email: 'email', phone: 'tel' }
const REQUIRED: readonly FieldName[] = ['name', 'email']

function field(name: FieldName, { language, typed, problems, sendsEmail }: FormParts): Part {
  const { apply } = textsOf(language)
  const label = apply.fields[name] ?? name
  const required = REQUIRED.includes(name)
  const shared = {
    ...{
      name,
      required,
      problems,
      value: typed[name] ?? '',
      hint: apply.hints[name === 'email' && sendsEmail ? 'emailSent' : name],
    },
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
  if (kind === 'choice' && options.length > MAX_RADIO_OPTIONS)
    return selectField({ ...shared, choices: [['', apply.choose], ...choices] })
  return radioField({ ...shared, choices })
}

/** The page that replaces the form. It gives the reason and a link to all animals. */
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

/** Fields with several lines. */
const MULTILINE: readonly FieldName[] = ['address', 'message']

const answerField = ({ id }: Question): string => `q-${id}`

/** Texts by field name. */
export type FieldValues = Record<string, string>

/** The texts of the fields that belong to the form. Other fields are ignored. */
export function fieldValuesIn(form: FormBody, questions: readonly Question[]): FieldValues {
  const names = [...FIELD_NAMES, ...questions.map(answerField)]
  const typed = Object.fromEntries(names.map((name) => [name, readField(form, name)]))
  const { email = '' } = typed
  return hasTwoEmails(email) ? typed : { ...typed, email: cleanEmail(email) }
}

/** Returns the application in the form, or all problems in the order of the fields. */
export function applicationIn(
  typed: FieldValues,
  { petId, questions }: { petId: number; questions: readonly Question[] },
  language: Language,
): { application: NewApplication } | { problems: Problem[] } {
  const formAnswers: FormAnswers = Object.fromEntries(
    questions.map((question) => [question.id, typed[answerField(question)]]),
  )
  const { message, ...applicant } = present(typed)
  const answers = toAnswers(questions, formAnswers)
  const inAnswers = validateAnswers(questions, formAnswers).map(({ id, code }): Problem => {
    const question = questions.find((one) => one.id === id) as Question
    return { field: answerField(question), message: answerProblem(code, question, language) }
  })
  // Invalid answers have separate problems, so the other fields are validated without the answers.
  const validAnswers = inAnswers.length === 0 ? answers : undefined
  const read = readApplication({
    ...{ petId, applicant },
    ...(message !== undefined && { message }),
    ...(validAnswers && { answers: validAnswers }),
  })
  const inFields =
    'problems' in read ? read.problems.map((detail) => fieldProblem(detail, typed, language)) : []
  if ('application' in read && inAnswers.length === 0) return read
  const rank = ({ field }: Problem): number => FIELD_NAMES.indexOf(field as FieldName)
  return { problems: [...inFields.sort((one, other) => rank(one) - rank(other)), ...inAnswers] }
}

function present(typed: FieldValues): Partial<Record<FieldName, string>> {
  const filled = FIELD_NAMES.filter((name) => typed[name] !== undefined && typed[name] !== '')
  return Object.fromEntries(filled.map((name) => [name, typed[name]]))
}

function fieldProblem({ code, pointer = '' }: ErrorDetail, typed: FieldValues, language: Language): Problem {
  const words = textsOf(language).apply
  const field = (FIELD_NAMES.find((name) => pointer.endsWith(`/${name}`)) ?? 'name') as FieldName
  const label = words.fields[field] ?? field
  const missing = code === 'missing' && words.missing[field]
  if (missing) return { field, message: missing }
  if (code === 'too_long')
    return { field, message: words.tooLong(label, numberWords(language, MAX_CHARACTERS[field])) }
  return { field, message: field === 'email' ? emailProblem(typed.email ?? '', words) : words.line(label) }
}

function emailProblem(email: string, words: Texts['apply']): string {
  if (hasTwoEmails(email)) return words.oneEmail
  return /^[\0-\x7f]*$/.test(email) ? words.email : words.emailLetters
}

function answerProblem(code: string, { text, kind }: Question, language: Language): string {
  const words = textsOf(language).apply
  if (code === 'missing') return words.missingAnswer(text)
  if (code === 'too_long') return words.tooLong(text, numberWords(language, MAX_ANSWER))
  return kind === 'text' ? words.line(text) : words.choice(text)
}

const isLong = (name: FieldName): boolean => MULTILINE.includes(name)

/** Values of the possible answers, with their labels. */
function choicesOf(
  { kind, options = [] }: Question,
  { yes, no }: Texts['apply'],
): (readonly [string, string])[] {
  if (kind === 'choice') return options.map((option) => [option, option])
  return YES_NO.map((value) => [value, value === 'yes' ? yes : no])
}

/** @returns an error page if the form was sent from another site; undefined otherwise */
export function refuseCrossSite(
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
