import { type Html, html, joinList, renderProse } from '../../../http/html.ts'
import {
  type ApiResponse,
  bodyOf,
  type Call,
  nameOf,
  type OpenApiDocument,
  type Parameter,
  type Schema,
} from './description.ts'
import { curlOf, exampleOf } from './examples.ts'
import {
  badge,
  entry,
  fieldTable,
  membersOf,
  parametersOf,
  pretty,
  resolve,
  schemaLink,
  table,
} from './fields.ts'

/** Headers of every response. The section on limits explains them. */
const EVERYWHERE = /^X-|^Cache-Control$/

export function operationSection(call: Call, description: OpenApiDocument, baseUrl: string): Html {
  const { operationId, method, path, summary, parameters = [] } = call
  const { answer } = exampleOf(operationId)
  const { schemas } = description.components
  const stability = call['x-stability']
  const marks = [stability, call.deprecated && 'deprecated'].filter(Boolean)
  // A summary is a control and must not contain links.
  const heading = html`<h3>${summary}${marks.map((mark) => html` <span class="badge">${mark}</span>`)}</h3>
<code><b>${method}</b> ${path}</code>`
  return entry(
    operationId,
    heading,
    html`${
      call.deprecated &&
      html`<p><strong><a href="#deprecations">Deprecated</a>: will be removed on
<time datetime="${call['x-deprecated-sunset']}">${call['x-deprecated-sunset']}</time>.</strong></p>`
    }
${call.description && html`<p>${renderProse(call.description)}</p>`}
<p>Operation id: <code>${operationId}</code>. Needs a key with <code>${call['x-access']}</code> access.${stability && html` This operation is${badge(stability)}.`}</p>
${
  parameters.length > 0 &&
  fieldTable(html`Parameters of <code>${operationId}</code>`, parametersOf(parameters, schemas))
}
${bodyPart(call, description)}
<figure><figcaption>Request</figcaption><pre><code data-curl="${operationId}">${curlOf(call, baseUrl)}</code>
</pre></figure>
${
  answer !== undefined &&
  html`<figure><figcaption>Response</figcaption><pre><code>${pretty(answer)}</code></pre>
</figure>`
}
<details><summary>Responses: ${Object.keys(call.responses).join(', ')}</summary>
${table(html`Responses of <code>${operationId}</code>`, ['Status', 'Meaning'], answerRows(call), 'narrow-first')}
</details>
${tryForm(call, description)}`,
  )
}

function bodyPart(call: Call, { components }: OpenApiDocument): Html | undefined {
  const body = bodyOf(call)
  if (!body) return undefined
  const name = nameOf(body.schema)
  const types = joinList(
    body.types.map((type) => html`<code>${type}</code>`),
    'or',
  )
  if (name === undefined) return html`<p>The body is a file as ${types}.</p>`
  const members = membersOf(resolve(body.schema, components.schemas), components.schemas)
  return html`<p>The body is ${types}. ${renderProse(call.requestBody?.description)}</p>
${fieldTable(html`Members of the body, ${schemaLink(name)}`, members)}`
}

function answerRows({ responses }: Call): Html[] {
  return Object.entries(responses).map(([status, answer]) => {
    const headers = Object.entries(answer.headers ?? {})
      .filter(([name]) => !EVERYWHERE.test(name))
      .map(
        ([name, header]) => html`<li><code>${name}</code>${badge(header.schema['x-stability'])}:
${renderProse(header.description)}</li>`,
      )
    return html`<tr><th scope="row"><code>${status}</code></th><td>${renderProse(answer.description)}
${shapeOf(answer)}${headers.length > 0 && html`<ul>${headers}</ul>`}</td></tr>`
  })
}

/** The body of a response, except for errors, which all have the same. */
function shapeOf({ content }: ApiResponse): Html | undefined {
  const [json] = Object.values(content ?? {})
  const name = json && nameOf(json.schema)
  if (name === 'Error') return undefined
  return name === undefined ? html`<small>no body</small>` : html`<small>${schemaLink(name)}</small>`
}

/**
 * The "Try it" form of an operation. It is a template until it is opened, because text fields delay the page.
 * The script page.js reads the form's data attributes and sends the request. Required parameters are filled in
 * with the example. A change is carried out for real, so its path parameters stay empty. Examples of optional
 * parameters are placeholders.
 */
function tryForm(call: Call, { components }: OpenApiDocument): Html {
  const { operationId, method, path, parameters = [] } = call
  const example = exampleOf(operationId)
  const changes = method !== 'GET'
  const exampleValues = { ...(changes ? {} : example.path), ...example.query }
  const inputs = parameters.map((parameter) => {
    const id = `${operationId}-${parameter.name}`
    const hint = [
      parameter.in,
      parameter.required && 'required',
      isList(parameter.schema) && 'separate with commas',
    ]
    return html`<p><label for="${id}">${parameter.name}
<small>${hint.filter(Boolean).join(', ')}</small></label>
${input(id, parameter, exampleValues[parameter.name], components.schemas)}</p>`
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
  return html`<details class="try"><summary>Try it: ${call.summary}</summary><template>
<form data-method="${method}" data-path="${path}" data-type="${type}">${inputs}${body}
${changes && html`<p>This sends a real request: the change is carried out.</p>`}
<p><button>Send <code>${method} ${path}</code></button></p></form>
<div class="answer" aria-live="polite"></div></template></details>`
}

const isList = ({ items, oneOf }: Schema): boolean => (items ?? oneOf) !== undefined

function input(
  id: string,
  { name, in: location, required, schema }: Parameter,
  value: string | undefined,
  schemas: Record<string, Schema>,
): Html {
  const resolved = resolve(schema, schemas)
  const common = html`id="${id}" name="${name}" data-in="${location}"${isList(resolved) && ' data-list'}`
  if (resolved.enum) {
    const options = resolved.enum.map(
      (one) => html`<option value="${one}"${required && one === value && ' selected'}>${one}</option>`,
    )
    return html`<select ${common}><option value="">not sent</option>${options}</select>`
  }
  const numeric = resolved.type === 'integer' && html` inputmode="numeric"`
  const example = required ? html`value="${value}" required` : html`placeholder="${value}"`
  return html`<input ${common} ${example}${numeric} autocomplete="off" spellcheck="false">`
}
