import type { ApiError } from '../../../../errors.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import type { Language } from '../../../../http/language.ts'
import { SCHEMAS } from '../../../../pets/fields.ts'
import { birthDateOf, parseAge, parseBreeds } from '../../../../transfer/phrases.ts'
import { BREED_FIELD, breedList } from '../../breeds.ts'
import { formatDate } from '../../formats.ts'
import { type Problem, problemSummary } from '../../forms.ts'
import { type Texts, textsOf } from '../../texts/texts.ts'
import { type Choice, type Choices, organizationSelect } from '../choices.ts'
import {
  changedFields,
  controlOf,
  type FormField,
  field,
  long,
  NON_FIELD,
  patchOf,
  problemsOf,
  schemaIn,
  type Values,
  wide,
  widen,
} from '../fields.ts'

/** The name of the field for an age such as "about 3 years". It is stored as an estimated date of birth. */
const TYPED_AGE = 'typedAge'

/** The fields of the form, by group. */
const GROUPS = {
  basics: [
    wide('name'),
    field('categoryId', 'idChoice'),
    field('sex', 'choice'),
    long('organizationId', 'idChoice'),
    field('breed.primary'),
    field('breed.secondary'),
    field('breed.mixed', 'check'),
    field('breed.unknown', 'check'),
    field('birthDate', 'date'),
    field('birthDateExact', 'check'),
    field(TYPED_AGE, 'age'),
    field('age', 'choice'),
    field('externalId'),
  ],
  character: [
    wide('description', 'text'),
    field('goodWith.children', 'yesOrNo'),
    field('goodWith.dogs', 'yesOrNo'),
    field('goodWith.cats', 'yesOrNo'),
    field('traits.houseTrained', 'yesOrNo'),
    wide('tags', 'list'),
  ],
  looks: [
    field('size', 'choice'),
    field('coat', 'choice'),
    field('colors', 'list'),
    field('weightGrams', 'weight'),
    field('species'),
    wide('videos', 'lines'),
  ],
  health: [
    field('traits.vaccinated', 'yesOrNo'),
    field('traits.spayedNeutered', 'yesOrNo'),
    field('traits.specialNeeds', 'yesOrNo'),
    field('traits.declawed', 'yesOrNo'),
  ],
  adoption: [
    field('fee.amount', 'money'),
    field('fee.currency', 'currency'),
    wide('bondedWith', 'ids'),
    field('contact.name'),
    field('contact.phone'),
    long('contact.email', 'email'),
  ],
  place: [
    field('place.city'),
    field('place.postcode'),
    field('place.region'),
    field('place.country', 'country'),
    field('place.latitude', 'number'),
    field('place.longitude', 'number'),
  ],
  staff: [
    long('staff.microchip'),
    field('staff.intakeDate', 'date'),
    field('staff.intakeKind'),
    field('staff.kennel'),
    wide('staff.intakeNote', 'text'),
    wide('staff.notes', 'text'),
    wide('staff.holdReason'),
    field('staff.fosterName'),
    field('staff.fosterPhone'),
    long('staff.fosterEmail', 'email'),
  ],
} as const satisfies Record<string, FormField[]>

export const FORM_FIELDS: readonly FormField[] = Object.values(GROUPS).flat()

/** The fields of the form that records how an animal left. */
export const OUTCOME_FIELDS = [
  field('staff.outcomeKind', 'choice'),
  field('staff.outcomeDate', 'date'),
  wide('staff.outcomeNote', 'text'),
] as const satisfies FormField[]

/** The schema for the value of a field. */
export const schemaOf = (name: string) => schemaIn(SCHEMAS, name)

/** The new animal from a form. It is not validated yet. */
export function newPetOf(values: Values) {
  const names = changedFields(values, {})
  // Drops a currency without an amount. The age group follows from a date of birth, so drops the age group if
  // there is a date. Without a date, drops its exactness.
  if (!values['fee.amount']) names.delete('fee.currency')
  names.delete(values.birthDate ? 'age' : 'birthDateExact')
  return withPlainBreed(patchOf(values, names, FORM_FIELDS))
}

/** Reads "Labrador Mix" in the field of the breed like an import. */
function withPlainBreed<Patch extends object>(patch: Patch): Patch {
  const { breed } = patch as { breed?: { primary?: unknown; secondary?: unknown; mixed?: unknown } }
  if (typeof breed?.primary !== 'string') return patch
  const second = typeof breed.secondary === 'string' ? breed.secondary : undefined
  const kind = breed.primary
  const { breed: read } = parseBreeds([breed.primary, second], { kind })
  // A second breed in its own field does not change the box for mixed breeds.
  const isSaid = read?.primary !== breed.primary || read.secondary !== second
  return read && isSaid ? { ...patch, breed: { ...breed, ...read } } : patch
}

/** The patch of an animal from a form. It is not validated yet. @param typed the edited values */
export function petPatchOf(values: Values, typed: Values, now: Values) {
  const names = changedFields(typed, now)
  // Amount and currency are two fields of one value.
  const isFeeChanged = names.has('fee.amount') || names.has('fee.currency')
  if (isFeeChanged) names.add('fee.amount').add('fee.currency')
  if (values.birthDate === '') names.delete('birthDateExact')
  const patch = withPlainBreed(patchOf(values, names, FORM_FIELDS))
  return isFeeChanged && values['fee.amount'] === '' ? { ...patch, fee: null } : patch
}

const INTAKE = 'staff.intakeDate'

/** The problems of a refused animal, each with the field of the form. */
export function petProblems(
  error: ApiError,
  words: Texts['console'],
  { fields = FORM_FIELDS, values = {} }: { fields?: readonly FormField[]; values?: Values } = {},
): Problem[] {
  const { labels, problems } = words.animal.fields
  const { externalId = '', age = '' } = labels
  if (error.code === 'external_id_exists')
    return [{ field: 'externalId', message: problems.taken(externalId) }]
  const found = problemsOf(error, words, {
    ...{ fields, labels },
    maxLengthOf: (name) => schemaOf(name).maxLength,
    messageOf(name, code) {
      if (name === 'age' && code === 'invalid_value') return problems.age(age)
      return name === INTAKE && code === 'out_of_range' ? problems.intakeDate(labels[name] ?? '') : undefined
    },
  })
  if (!values[TYPED_AGE]) return found
  // The date of birth comes from the age.
  const message = problems.typedAge(labels[TYPED_AGE] ?? '')
  return found.map((problem) => (problem.field === 'birthDate' ? { field: TYPED_AGE, message } : problem))
}

interface FormParts {
  language: Language
  values: Values
  problems: readonly Problem[]
  choices: Choices
  /** The values of hidden inputs, by name. */
  hidden: Record<string, string>
  /** Whether the form adds an animal. */
  isNew?: boolean
  /** Whether the caller can only view the animal. */
  isReadOnly?: boolean
  before?: Part
  after?: Part
}

/** The form of an animal, in groups. Groups with a value or a problem are open. */
export function animalForm(path: string, parts: FormParts): Html {
  const { language, problems, hidden, isNew, isReadOnly, before, after } = parts
  const { console: words } = textsOf(language)
  const inputs = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const groups = Object.entries(GROUPS).map(([name, fields]) => groupOf(name, fields, parts, words))
  return html`<form class="animal" id="field-${NON_FIELD}" method="post" action="${path}"${isNew && html` enctype="multipart/form-data"`} novalidate data-guard>
${problemSummary(words.animal.wrong, problems)}${before}${inputs}
${isReadOnly ? html`<fieldset disabled>${groups}</fieldset>` : groups}
${after}</form>`
}

function groupOf(group: string, all: readonly FormField[], parts: FormParts, words: Texts['console']): Html {
  const { values, problems, choices, isNew } = parts
  // A caller who belongs to an organization cannot choose another one.
  const fields = all.filter(({ name }) => name !== 'organizationId' || choices.organizations !== undefined)
  const isUsed = fields.some(({ name }) => values[name] || problems.some(({ field }) => field === name))
  const { groups, groupHints } = words.animal.fields
  const hint = groupHints[group]
  return html`<details class="group"${(group === 'basics' || isUsed) && html` open`}>
<summary>${isNew ? html`<h2>${groups[group]}</h2>` : html`<h3>${groups[group]}</h3>`}</summary>
${hint && html`<p class="hint">${hint}</p>`}<div class="fields">${fields.map((field) => input(field, parts))}</div></details>`
}

function input(field: FormField, { language, values, problems, choices }: FormParts): Html {
  const texts = textsOf(language)
  const { labels, hints, none } = texts.console.animal.fields
  const { name, kind } = field
  const { maxLength } = schemaOf(name)
  const shown = {
    ...{ name, label: labels[name] ?? name, hint: hints[name], value: values[name], problems, maxLength },
    ...{ required: name === 'name', ...(name.startsWith('breed.') && BREED_FIELD) },
  }
  if (name === 'organizationId' && choices.organizations)
    return widen(field, organizationSelect(choices.organizations, shown, none))
  const rows = name === 'description' ? 8 : 3
  const control = controlOf(kind, shown, { rows, choices: choicesOf(field, texts, choices, values[name]) })
  return name === 'breed.primary' ? html`${control}${breedList(choices.breeds ?? [])}` : widen(field, control)
}

type Words = Pick<Texts, 'common' | 'console'>

/** The form shows one choice for both an unknown and an absent sex. */
const UNKNOWN = 'unknown'

/** The choices of a field, with their labels. @param now the stored value */
function choicesOf(
  { name, kind }: FormField,
  { common, console: words }: Words,
  { categories }: Choices,
  now: string | undefined,
): Choice[] {
  const { fields } = words.animal
  if (name === 'categoryId') return [['', fields.choose], ...categories]
  const { notKnown, yes, no } = fields
  if (kind === 'yesOrNo') return Object.entries({ '': notKnown, yes, no })
  const named: Record<string, Record<string, string>> = {
    ...{ ...common, coat: fields.coat, 'staff.outcomeKind': words.animal.outcome.kinds },
  } as never
  const values = ((schemaOf(name).enum ?? []) as string[]).filter((value) => value !== UNKNOWN)
  return [
    [now === UNKNOWN ? UNKNOWN : '', notKnown],
    ...values.map((value): Choice => [value, named[name]?.[value] ?? value]),
  ]
}

/** The displayed text of a field: for a choice, its label instead of its value. */
export function displayText(field: FormField, text: string, texts: Words, language: Language): string {
  const { kind } = field
  if (text === '') return text
  if (kind === 'date' && Number.isFinite(Date.parse(text))) return formatDate(language, Date.parse(text))
  const { yes, no } = texts.console.animal.fields
  if (kind === 'yesOrNo' || kind === 'check') return { yes, no }[text] ?? text
  if (kind !== 'choice') return text
  const chosen = choicesOf(field, texts, { categories: [] }, text).find(([value]) => value === text)
  return chosen?.[1] ?? text
}

/** The fields that two people changed at the same time, with both versions side by side. */
export function conflictPanel(language: Language, theirs: Values, yours: Values): Html {
  const texts = textsOf(language)
  const { conflict, fields } = texts.console.animal
  const cell = (field: FormField, text = ''): Part =>
    displayText(field, text, texts, language) || html`<i>${conflict.empty}</i>`
  const inConflict = FORM_FIELDS.filter(({ name }) => name in yours && yours[name] !== theirs[name])
  const rows = inConflict.map(
    (field) => html`<tr><th scope="row"><a href="#field-${field.name}">${fields.labels[field.name]}</a></th>
<td>${cell(field, theirs[field.name])}</td><td>${cell(field, yours[field.name])}</td></tr>`,
  )
  return html`<section class="summary" role="alert" aria-labelledby="conflict">
<h2 id="conflict">${conflict.title}</h2>
<p>${conflict.advice}</p>
<table><thead><tr><th scope="col">${conflict.field}</th><th scope="col">${conflict.theirs}</th><th scope="col">${conflict.yours}</th></tr></thead>
<tbody>${rows}</tbody></table></section>`
}

type Json = Record<string, unknown>

/**
 * Replaces a typed age by the date of birth. An age that cannot be read, or that is next to a date of birth,
 * becomes an invalid date of birth, which the schema refuses.
 */
export function withTypedAge({ [TYPED_AGE]: typed, ...pet }: Json, now: number): Json {
  if (typeof typed !== 'string') return pet
  // The age group follows from the date of birth.
  const { age, ...others } = pet
  const span = others.birthDate === undefined ? parseAge(typed) : undefined
  const today = new Date(now).toISOString().slice(0, 10)
  return { ...others, birthDate: span ? birthDateOf(span, today) : typed, birthDateExact: false }
}
