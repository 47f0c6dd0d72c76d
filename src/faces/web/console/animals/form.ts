import { type Html, html, type Part } from '../../../../http/html.ts'
import type { Language } from '../../../../http/language.ts'
import {
  checkField,
  longTextField,
  type Problem,
  problemSummary,
  selectField,
  textField,
} from '../../forms.ts'
import { type Texts, textsOf } from '../../texts/texts.ts'
import type { Choices } from '../choices.ts'
import { codeField } from '../forms/code-field.ts'
import type { FormField } from '../forms/fields.ts'
import { NON_FIELD } from '../forms/problems.ts'
import type { Values } from '../forms/values.ts'
import { choicesOf, saidOf } from './choices.ts'
import { FORM_FIELDS, GROUP_NAMES, GROUPS, type Group, schemaOf } from './fields.ts'

export interface FormParts {
  language: Language
  values: Values
  problems: readonly Problem[]
  choices: Choices
  /** What the form brings along. */
  hidden: Record<string, string>
  /** Of an animal that is there. */
  isNew?: boolean
  /** For those who may only look. */
  isReadOnly?: boolean
  /** Above and below the fields. */
  before?: Part
  after?: Part
}

/** The fields of an animal in their groups: those that hold something are open. */
export function animalForm(path: string, parts: FormParts): Html {
  const { language, problems, hidden, isReadOnly, before, after } = parts
  const { console: words } = textsOf(language)
  const inputs = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const groups = GROUP_NAMES.map((group) => groupOf(group, parts, words))
  return html`<form class="animal" id="field-${NON_FIELD}" method="post" action="${path}" novalidate data-guard>
${problemSummary(words.animal.wrong, problems)}${before}${inputs}
${isReadOnly ? html`<fieldset disabled>${groups}</fieldset>` : groups}
${after}</form>`
}

function groupOf(group: Group, parts: FormParts, words: Texts['console']): Html | undefined {
  const fields = (GROUPS[group] as readonly FormField[]).filter(({ name }) => isOffered(name, parts))
  const { values, problems } = parts
  const isUsed = fields.some(({ name }) => values[name] || problems.some(({ field }) => field === name))
  const { groups, groupHints } = words.animal.fields
  const hint = groupHints[group]
  return html`<details class="group"${(group === 'basics' || isUsed) && html` open`}>
<summary>${parts.isNew ? html`<h2>${groups[group]}</h2>` : html`<h3>${groups[group]}</h3>`}</summary>
${hint && html`<p class="hint">${hint}</p>`}<div class="fields">${fields.map((field) =>
    field.wide ? html`<div class="wide">${input(field, parts)}</div>` : input(field, parts),
  )}</div></details>`
}

/** Who belongs to an organization adds animals to that alone. */
const isOffered = (name: string, { choices }: FormParts): boolean =>
  name !== 'organizationId' || choices.organizations !== undefined

function input({ name, kind }: FormField, { language, values, problems, choices }: FormParts): Html {
  const { common, console: words } = textsOf(language)
  const { labels, hints, notKnown, yes, no } = words.animal.fields
  const shared = { name, label: labels[name] ?? name, hint: hints[name], value: values[name], problems }
  switch (kind) {
    case 'choice':
    case 'idChoice':
      if (name === 'organizationId' && choices.organizations === 'many')
        return textField({ ...shared, inputMode: 'numeric' })
      return selectField({
        ...shared,
        choices: choicesOf(name, { common, console: words }, choices, values[name]),
      })
    case 'yesOrNo':
      return selectField({
        ...shared,
        choices: [
          ['', notKnown],
          ['yes', yes],
          ['no', no],
        ],
      })
    case 'check':
      return checkField(shared)
    case 'text':
      return longTextField({ ...shared, rows: name === 'description' ? 8 : 3, mostCharacters: mostOf(name) })
    case 'lines':
      return longTextField({ ...shared, rows: 2 })
    case 'date':
      return textField({ ...shared, type: 'date' })
    case 'number':
    case 'money':
      return textField({ ...shared, inputMode: 'decimal' })
    case 'country':
    case 'currency':
      return codeField(kind, language, shared)
    case 'email':
      return textField({ ...shared, type: 'email', mostCharacters: mostOf(name) })
    default:
      return textField({ ...shared, required: name === 'name', mostCharacters: mostOf(name) })
  }
}

const mostOf = (name: string): number | undefined => schemaOf(name).maxLength

/** Both versions of what two people changed at once. */
export function conflictPanel(
  language: Language,
  { theirs, yours, names }: { theirs: Values; yours: Values; names: readonly string[] },
): Html {
  const texts = textsOf(language)
  const { conflict, fields } = texts.console.animal
  const shown = (field: FormField, text = ''): Part =>
    saidOf(field, text, texts) || html`<i>${conflict.empty}</i>`
  const rows = FORM_FIELDS.filter(({ name }) => names.includes(name)).map(
    (field) => html`<tr><th scope="row"><a href="#field-${field.name}">${fields.labels[field.name]}</a></th>
<td>${shown(field, theirs[field.name])}</td><td>${shown(field, yours[field.name])}</td></tr>`,
  )
  return html`<section class="summary" role="alert" aria-labelledby="conflict">
<h2 id="conflict">${conflict.title}</h2>
<p>${conflict.advice}</p>
<table><thead><tr><th scope="col">${conflict.field}</th><th scope="col">${conflict.theirs}</th><th scope="col">${conflict.yours}</th></tr></thead>
<tbody>${rows}</tbody></table></section>`
}
