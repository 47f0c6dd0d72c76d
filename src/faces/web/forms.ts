import { type Html, html, type Part } from '../../http/html.ts'

/** What is wrong with a field of a form, in words for the person who filled it in. */
export interface Problem {
  /** Name of the field; its input has the id `field-` and this. */
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
  /** As HTML names it: what a browser may fill in by itself. */
  autocomplete?: string | undefined
  /** Which keys a phone offers. */
  inputMode?: 'numeric' | 'decimal'
  maxLength?: number | undefined
  /** The id of a list of what may be meant. */
  list?: string
  /** An example; what has to be known stands in the label. */
  placeholder?: string
}

interface LongTextField extends Field {
  rows?: number
  /** As HTML names it: what a browser may fill in by itself. */
  autocomplete?: string | undefined
  maxLength?: number | undefined
}

interface ChoiceField extends Field {
  /** Value and words of each; an empty value stands for no choice. */
  choices: readonly (readonly [value: string, words: string])[]
}

/** Above a form that was refused: what is wrong, each with a link to its field (as GOV.UK's error summary). */
export function problemSummary(title: string, problems: readonly Problem[]): Html | undefined {
  if (problems.length === 0) return undefined
  return html`<div class="summary" role="alert" aria-labelledby="problems" tabindex="-1">
<h2 id="problems">${title}</h2>
<ul>${problems.map(({ field, message }) => html`<li><a href="#field-${field}">${message}</a></li>`)}</ul>
</div>`
}

export function textField(given: TextField): Html {
  const { type = 'text', autocomplete, inputMode, maxLength, list, placeholder, ...field } = given
  const { name, value } = field
  return around(
    field,
    html`<input id="field-${name}" name="${name}" type="${type}" value="${value}"${described(field)}${when(
      autocomplete,
      (words) => html` autocomplete="${words}"`,
    )}${when(inputMode, (keys) => html` inputmode="${keys}"`)}${when(maxLength, (most) => html` maxlength="${most}"`)}${when(list, (id) => html` list="${id}"`)}${when(placeholder, (words) => html` placeholder="${words}"`)}>`,
  )
}

export function longTextField({ rows = 5, maxLength, autocomplete, ...field }: LongTextField): Html {
  const { name, value } = field
  return around(
    field,
    // A browser takes the first line break away, so one stands in front.
    html`<textarea id="field-${name}" name="${name}" rows="${rows}"${described(field)}${when(
      maxLength,
      (most) => html` maxlength="${most}"`,
    )}${when(autocomplete, (words) => html` autocomplete="${words}"`)}>
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

/** One of few: radio buttons, all of them to be seen. */
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
${when(hint, (words) => html`<p class="hint">${words}</p>`)}${when(own, (words) => html`<p class="problem">${words}</p>`)}${inputs}</fieldset>`
}

/** @param checked what is sent when the box is checked */
export function checkField({
  name,
  label,
  value,
  hint,
  checked = 'yes',
}: Field & { checked?: string }): Html {
  return html`<div class="field"><label class="choice"><input id="field-${name}" type="checkbox" name="${name}" value="${checked}"${
    value === checked && html` checked`
  }> ${label}</label>${when(hint, (words) => html`<p class="hint">${words}</p>`)}</div>`
}

function around(field: Field, control: Html): Html {
  const { name, label, hint } = field
  const own = problemOf(field)
  return html`<div class="field${own && ' wrong'}"><label for="field-${name}">${label}</label>
${when(hint, (words) => html`<p class="hint" id="hint-${name}">${words}</p>`)}${when(
  own,
  (words) => html`<p class="problem" id="problem-${name}">${words}</p>`,
)}${control}</div>`
}

function described(field: Field): Part {
  const { name, hint, required } = field
  const own = problemOf(field)
  const ids = [hint && `hint-${name}`, own && `problem-${name}`].filter(Boolean).join(' ')
  return [
    required && html` required`,
    own && html` aria-invalid="true"`,
    ids !== '' && html` aria-describedby="${ids}"`,
  ]
}

function problemOf({ name, problems = [] }: Field): string | undefined {
  return problems.find(({ field }) => field === name)?.message
}

function when<Value extends string | number>(
  value: Value | undefined,
  shown: (value: Value) => Html,
): Html | undefined {
  return value === undefined ? undefined : shown(value)
}
