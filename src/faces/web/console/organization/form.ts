import { type Html, html } from '../../../../http/html.ts'
import type { Language } from '../../../../http/language.ts'
import { longTextField, type Problem, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { codeField } from '../forms/code-field.ts'
import type { FormField } from '../forms/fields.ts'
import type { Values } from '../forms/values.ts'

interface Shown {
  values: Values
  problems: readonly Problem[]
  words: Texts['console']['organization']
  language: Language
}

/** The fields of an organization, group by group, whether it is there already or not. */
export function fieldsIn(groups: Record<string, readonly FormField[]>, shown: Shown): Html[] {
  return Object.entries(groups).map(
    ([group, fields]) => html`<fieldset class="card"><legend><h2>${shown.words.groups[group]}</h2></legend>
<div class="fields">${fields.map((field) => input(field, shown))}</div></fieldset>`,
  )
}

function input({ name, kind, wide }: FormField, { values, problems, words, language }: Shown): Html {
  const hint = name === 'code' ? words.codeHint : undefined
  const shared = { name, label: words.labels[name] ?? name, value: values[name], problems, hint }
  const field =
    kind === 'text'
      ? longTextField({ ...shared, rows: 5 })
      : kind === 'country'
        ? codeField(kind, language, shared)
        : textField({ ...shared, ...(kind === 'email' && { type: 'email' as const }) })
  return wide ? html`<div class="wide">${field}</div>` : field
}
