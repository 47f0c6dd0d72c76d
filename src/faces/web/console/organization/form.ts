import type { ApiError } from '../../../../errors.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import type { Language } from '../../../../http/language.ts'
import { PATCHABLE } from '../../../../organizations/schema.ts'
import { longTextField, type Problem, problemSummary, selectField, textField } from '../../forms.ts'
import { type Texts, textsOf } from '../../texts/texts.ts'
import { type FormField, field, NON_FIELD, problemsOf, schemaIn, type Values, wide } from '../fields.ts'

type Groups = Record<string, readonly FormField[]>

const partsOf = (member: 'hours' | 'social'): string[] =>
  Object.keys(schemaIn(PATCHABLE, member).properties ?? {}).map((part) => `${member}.${part}`)

/** The fields of the form, by group. */
export const GROUPS = {
  contact: [
    wide('name'),
    field('email', 'email'),
    field('phone'),
    field('website', 'web'),
    wide('applicationNotices', 'choice'),
  ],
  address: [
    wide('address.street'),
    ...['address.city', 'address.postcode', 'address.region'].map((name) => field(name)),
    field('address.country', 'country'),
    field('latitude', 'number'),
    field('longitude', 'number'),
  ],
  about: [wide('mission', 'text'), wide('adoptionPolicy', 'text'), wide('adoptionUrl', 'web')],
  hours: partsOf('hours').map((name) => field(name, 'hours')),
  social: partsOf('social').map((name) => field(name, 'account')),
} satisfies Groups

export const FIELDS: readonly FormField[] = Object.values(GROUPS).flat()

const [nameField, ...otherContact] = GROUPS.contact
/** The form of a new organization also asks for the code, which never changes. */
export const NEW_GROUPS: Groups = {
  ...GROUPS,
  contact: [nameField, wide('code'), ...otherContact] as FormField[],
}
export const NEW_FIELDS: readonly FormField[] = Object.values(NEW_GROUPS).flat()

/** The problems of a refused organization, each with the field of the form. */
export function organizationProblems(error: ApiError, words: Texts['console']): Problem[] {
  const { labels, codeTaken, codeWrong } = words.organization
  if (error.code === 'organization_exists') return [{ field: 'code', message: codeTaken }]
  return problemsOf(error, words, {
    fields: NEW_FIELDS,
    labels,
    maxLengthOf: (name) => schemaIn(PATCHABLE, name).maxLength,
    messageOf: (name) => (name === 'code' ? codeWrong(labels.code ?? '') : undefined),
  })
}

interface FormParts {
  language: Language
  groups: Groups
  values: Values
  problems: readonly Problem[]
  /** A hidden input. */
  hidden: Html
  actions: Part
}

export function organizationForm(path: string, parts: FormParts): Html {
  const { language, groups, problems, hidden, actions } = parts
  const { animal, organization } = textsOf(language).console
  const fieldsets = Object.entries(groups).map(
    ([group, fields]) => html`<fieldset class="card"><legend><h2>${organization.groups[group]}</h2></legend>
${hintOf(organization.groupHints[group])}<div class="fields">${fields.map((field) => input(field, parts))}</div></fieldset>`,
  )
  return html`<form class="animal" id="field-${NON_FIELD}" method="post" action="${path}" novalidate data-guard>
${problemSummary(animal.wrong, problems)}${hidden}
${fieldsets}<div class="actions">${actions}</div></form>`
}

function input({ name, kind, wide }: FormField, { values, problems, language }: FormParts): Html {
  const { labels, hints, notices } = textsOf(language).console.organization
  const hint = hints[name]
  const shared = { name, label: labels[name] ?? name, value: values[name], problems, hint }
  const control =
    kind === 'text'
      ? longTextField({ ...shared, rows: 5 })
      : kind === 'choice'
        ? selectField({ ...shared, choices: notices })
        : textField({ ...shared, type: kind === 'email' ? 'email' : 'text' })
  return wide ? html`<div class="wide">${control}</div>` : control
}

const hintOf = (hint: string | undefined): Part => hint && html`<p class="hint">${hint}</p>`
