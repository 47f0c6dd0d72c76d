import { type Html, html, type Part } from '../../http/html.ts'

/** Why a field of a form was refused, for the person who filled it in. */
export interface Problem {
  /** The name of the field. Its input has the id `field-` plus this name. */
  field: string
  message: string
}

interface Field {
  name: string
  label: string
  hint?: string | undefined
  value?: string | undefined
  problems?: readonly Problem[]
  required?: boolean
}

export interface TextField extends Field {
  type?: 'text' | 'email' | 'tel' | 'url' | 'date' | 'number' | 'password' | 'search'
  /** The value of the HTML attribute. */
  autocomplete?: string | undefined
  /** The keyboard that a phone shows. */
  inputMode?: 'numeric' | 'decimal'
  maxLength?: number | undefined
  /** The id of a datalist with suggestions. */
  list?: string
  /**
   * An example value. The example disappears while a person types, so instructions belong in the label or
   * hint.
   */
  placeholder?: string
}

interface LongTextField extends Field, Pick<TextField, 'autocomplete' | 'maxLength'> {
  rows?: number
}

interface ChoiceField extends Field {
  /** The choices. The choice with an empty value means no choice. */
  choices: readonly (readonly [value: string, label: string])[]
}

/**
 * The list of problems above a refused form. Each problem links to its field (like GOV.UK's error summary).
 */
export function problemSummary(title: string, problems: readonly Problem[]): Html | undefined {
  if (problems.length === 0) return undefined
  return html`<div class="summary" role="alert" aria-labelledby="problems" tabindex="-1">
<h2 id="problems">${title}</h2>
<ul>${problems.map(({ field, message }) => html`<li><a href="#field-${field}">${message}</a></li>`)}</ul>
</div>`
}

export function textField(options: TextField): Html {
  const { type = 'text', autocomplete, inputMode, maxLength, list, placeholder, ...field } = options
  const { name, value } = field
  const more = attributes({ autocomplete, inputmode: inputMode, maxlength: maxLength, list, placeholder })
  return around(
    field,
    html`<input id="field-${name}" name="${name}" type="${type}" value="${value}"${described(field)}${more}>`,
  )
}

export function longTextField({ rows = 5, maxLength, autocomplete, ...field }: LongTextField): Html {
  const { name, value } = field
  const more = attributes({ maxlength: maxLength, autocomplete })
  return around(
    field,
    // Browsers drop a line break after the opening tag, so this adds one line break that they can drop.
    html`<textarea id="field-${name}" name="${name}" rows="${rows}"${described(field)}${more}>
${value}</textarea>`,
  )
}

export function selectField({ choices, ...field }: ChoiceField): Html {
  const { name, value = '' } = field
  const options = choices.map(
    ([one, words]) => html`<option value="${one}"${one === value && html` selected`}>${words}</option>`,
  )
  return around(field, html`<select id="field-${name}" name="${name}"${described(field)}>${options}</select>`)
}

/** Radio buttons, for a choice between a few options. */
export function radioField({ choices, ...field }: ChoiceField): Html {
  const { name, label, hint, value = '' } = field
  const own = problemOf(field)
  const inputs = choices.map(
    ([one, words], index) =>
      html`<label class="choice"><input type="radio" name="${name}" value="${one}"${
        index === 0 && html` id="field-${name}"`
      }${one === value && html` checked`}> ${words}</label>`,
  )
  return html`<fieldset class="field${own && ' wrong'}"><legend>${label}</legend>
${hint && html`<p class="hint">${hint}</p>`}${own && html`<p class="problem">${own}</p>`}${inputs}</fieldset>`
}

/** @param checked the value that a checked box sends */
export function checkField({ checked = 'yes', ...field }: Field & { checked?: string }): Html {
  const { name, label, value, hint } = field
  return html`<div class="field"><label class="choice"><input id="field-${name}" type="checkbox" name="${name}" value="${checked}"${
    value === checked && html` checked`
  }> ${label}</label>${hint && html`<p class="hint">${hint}</p>`}</div>`
}

function around(field: Field, control: Html): Html {
  const { name, label, hint } = field
  const own = problemOf(field)
  return html`<div class="field${own && ' wrong'}"><label for="field-${name}">${label}</label>
${hint && html`<p class="hint" id="hint-${name}">${hint}</p>`}${own && html`<p class="problem" id="problem-${name}">${own}</p>`}${control}</div>`
}

function described(field: Field): Part {
  const { name, hint, required } = field
  const own = problemOf(field)
  const ids = [hint && `hint-${name}`, own && `problem-${name}`].filter(Boolean).join(' ')
  const states = { 'aria-invalid': own && 'true', 'aria-describedby': ids || undefined }
  return [required && html` required`, attributes(states)]
}

function problemOf({ name, problems = [] }: Field): string | undefined {
  return problems.find(({ field }) => field === name)?.message
}

function attributes(all: Record<string, string | number | undefined>): Part {
  const given = Object.entries(all).filter(([, value]) => value !== undefined)
  return given.map(([name, value]) => html` ${name}="${value}"`)
}
