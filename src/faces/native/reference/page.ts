import type { Config } from '../../../config.ts'
import { type Html, html, prose } from '../../../http/html.ts'
import { type Call, callsOf, type Description } from './description.ts'
import { errorsPart } from './errors-part.ts'
import { fieldTable, membersOf, typeOf } from './fields.ts'
import { clientsPart, startPart } from './guide.ts'
import { operationSection } from './operation.ts'
import { compatibilityPart, deprecationsPart, limitsPart } from './rules.ts'

/** The whole reference, as one document. */
export function renderPage(description: Description, config: Config): string {
  const calls = callsOf(description)
  const { title, version } = description.info
  const operations = calls.map((call) => operationSection(call, description, config.baseUrl))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} ${version}: API reference</title>
<meta name="description" content="${description.info.description}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/reference.css">
<script type="module" src="/docs/reference.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><h1>${title} ${version}: API reference</h1><p>${description.info.description}</p></header>
<div class="columns">
<div class="side">${keyField()}${contents(calls)}</div>
<main id="main" tabindex="-1">
${startPart(config)}
${clientsPart()}
<section id="operations"><h2>Operations</h2>
<p>In curl’s examples <code>$KEY</code> is your API key, and the ids are those of a small installation.
<a href="#limits">Four headers are on every answer</a>; only further ones are listed.</p>
${operations}</section>
${schemasPart(description)}
${errorsPart()}
${limitsPart(config)}
${deprecationsPart(calls)}
${compatibilityPart()}
</main>
</div>
</body>
</html>
`.text
}

/** The one field for the key: outside of every form, without a name, so that no browser sends or keeps it. */
function keyField(): Html {
  return html`<aside aria-label="API key"><p><label for="key">Your API key</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-hint">
<small id="key-hint">For “Try it”. It stays in this page’s memory.</small></p></aside>`
}

function contents(calls: Call[]): Html {
  const operations = calls.map(
    ({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`,
  )
  return html`<nav aria-label="Contents"><details open><summary>Contents</summary><ul>
<li><a href="#start">Start</a></li>
<li><a href="#clients">Writing a client</a></li>
<li><a href="#operations">Operations</a><ul>${operations}</ul></li>
<li><a href="#schemas">Objects</a></li>
<li><a href="#errors">Errors</a></li>
<li><a href="#limits">Limits</a></li>
<li><a href="#deprecations">Deprecations</a></li>
<li><a href="#compatibility">Compatibility</a></li>
</ul></details></nav>`
}

/** Every object that requests and answers share. */
function schemasPart({ components }: Description): Html {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    const members = membersOf(schema, components.schemas)
    const values = schema.enum?.map((value) => html`<li><code>${value}</code></li>`)
    return html`<section id="schema-${name}"><h3>${name}</h3>
<p>${prose(schema.description)} ${members.length === 0 && html`<small>${typeOf(schema)}</small>`}</p>
${values && html`<ul>${values}</ul>`}
${members.length > 0 && fieldTable(html`Members of ${name}`, members)}</section>`
  })
  return html`<section id="schemas"><h2>Objects</h2>${schemas}</section>`
}
