import { MOST_CHARACTERS } from '../../../applications/schema.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import type { Language } from '../../../http/language.ts'
import type { Question } from '../../../organizations/questions.ts'
import { assetPath } from '../assets.ts'
import { longTextField, type Problem, problemSummary, radioField, selectField, textField } from '../forms.ts'
import { textsOf } from '../texts/texts.ts'
import { answerField, choicesOf, FIELD_NAMES, type FieldName, isLong, type Typed } from './apply-read.ts'
import { galleryPage } from './frame.ts'

/** What people do not see and programs fill in. */
export const HIDDEN_FIELD = 'homepage'
/** When the form was made, and for which link. */
export const TOKEN_FIELD = 'form'
/** The button: where what is wrong with the form itself leads. */
export const NON_FIELD = 'send'

/** Of so many options all are to be seen. */
const FEW_OPTIONS = 6

export interface FormParts {
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

export const applyPath = (id: number): string => `/animals/${id}/apply`

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
    ...{ autocomplete: AUTOCOMPLETE[name], mostCharacters: MOST_CHARACTERS[name] },
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
