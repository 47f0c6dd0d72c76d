import { type Html, html } from '../../../http/html.ts'
import { bodyOf, type Call, type Description, type Parameter, type Schema } from './description.ts'
import { exampleOf } from './examples.ts'
import { resolve } from './fields.ts'
import { pretty } from './pretty.ts'

/**
 * The form that sends a request of this kind; try-it.js does what its data attributes say. The ids of a
 * change are left to the reader, since what is sent really happens; what may be absent is only shown.
 */
export function tryForm(call: Call, { components }: Description): Html {
  const { operationId, method, path, parameters = [] } = call
  const example = exampleOf(call)
  const changes = method !== 'GET'
  const given = { ...(changes ? {} : example.path), ...example.query }
  const inputs = parameters.map((parameter) => {
    const id = `${operationId}-${parameter.name}`
    const hint = [
      parameter.in,
      parameter.required && 'required',
      isList(parameter.schema) && 'commas between',
    ]
    return html`<p><label for="${id}">${parameter.name}
<small>${hint.filter(Boolean).join(', ')}</small></label>
${input(id, parameter, given[parameter.name], components.schemas)}</p>`
  })
  const type = bodyOf(call)?.types[0]
  const body =
    type &&
    html`<p><label for="${operationId}-body">Body <small>${type}</small></label>
${
  example.file
    ? html`<input id="${operationId}-body" name="body" type="file" accept="${bodyOf(call)?.types.join()}" data-in="body">`
    : html`<textarea id="${operationId}-body" name="body" rows="6" spellcheck="false" data-in="body">${pretty(example.body)}
</textarea>`
}</p>`
  return html`<details class="try"><summary>Try it: ${call.summary}</summary>
<form data-method="${method}" data-path="${path}" data-type="${type}">${inputs}${body}
${changes && html`<p>This is no rehearsal: what you send is carried out.</p>`}
<p><button>Send <code>${method} ${path}</code></button></p></form>
<div class="answer" aria-live="polite"></div></details>`
}

const isList = ({ items }: Schema): boolean => items !== undefined

function input(
  id: string,
  { name, in: location, required, schema }: Parameter,
  value: string | undefined,
  schemas: Record<string, Schema>,
): Html {
  const known = resolve(schema, schemas)
  const common = html`id="${id}" name="${name}" data-in="${location}"${isList(known) && ' data-list'}`
  if (known.enum) {
    const options = known.enum.map(
      (one) => html`<option value="${one}"${required && one === value && ' selected'}>${one}</option>`,
    )
    return html`<select ${common}><option value="">not sent</option>${options}</select>`
  }
  const numeric = known.type === 'integer' && html` inputmode="numeric"`
  const example = required ? html`value="${value}" required` : html`placeholder="${value}"`
  return html`<input ${common} ${example}${numeric} autocomplete="off" spellcheck="false">`
}
