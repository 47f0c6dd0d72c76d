import { readFile } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import type { App } from '../../http/app.ts'
import { type Html, html, renderProse } from '../../http/html.ts'
import { JSON_TYPE } from '../../http/send-error.ts'
import { createStaticFile, type StaticFile, sendStaticFile } from '../../http/static-file.ts'
import { mapInTurns } from '../../http/turns.ts'
import { type Call, callsOf, type OpenApiDocument } from './reference/description.ts'
import { entry, fieldTable, membersOf, typeOf } from './reference/fields.ts'
import {
  clientsPart,
  compatibilityPart,
  deprecationsPart,
  errorsPart,
  limitsPart,
  startPart,
  wordsPart,
} from './reference/guide.ts'
import { operationSection } from './reference/operation.ts'
import { STYLESHEET } from './reference/stylesheet.ts'

/** The page loads nothing from other sites, runs only its own script, and cannot be framed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The empty icon keeps browsers from requesting /favicon.ico.
  'img-src data:',
  // "Try it" sends requests to this server.
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  // The script sends the forms. If the script fails, a browser must not send the values in a URL.
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  // People type API keys on this page, so windows of other origins must not get a reference to its window.
  'cross-origin-opener-policy': 'same-origin',
  // The service may be internal, so a link to another site must not reveal the service's address.
  'referrer-policy': 'no-referrer',
}

const PATHS = ['/docs', '/docs/', '/docs/reference.css', '/docs/reference.js']

/** Path of the OpenAPI document. Web pages of any origin may read it. */
export const OPENAPI_PATH = '/openapi.json'

/** Adds the OpenAPI document and the reference under /docs. Neither needs a key. */
export function referenceRoutes(app: App, config: Config): void {
  let description: Promise<StaticFile> | undefined
  app.get(OPENAPI_PATH, async (request, reply) => {
    // Simultaneous first requests wait for the same document, because making it takes long.
    description ??= app.describe().then((document) => createStaticFile(JSON_TYPE, JSON.stringify(document)))
    return sendStaticFile(request, reply, await description)
  })
  let files: Promise<Map<string, StaticFile>> | undefined

  for (const path of PATHS) {
    app.get(path, async (request, reply) => {
      files ??= renderFiles(app, config)
      const file = (await files).get(path) as StaticFile
      return sendStaticFile(request, reply.headers(HEADERS), file)
    })
  }
}

async function renderFiles(app: App, config: Config): Promise<Map<string, StaticFile>> {
  const script = await readFile(new URL('./reference/page.js', import.meta.url), 'utf8')
  const page = createStaticFile(
    'text/html; charset=utf-8',
    await renderPage((await app.describe()) as OpenApiDocument, config),
  )
  return new Map([
    ['/docs', page],
    ['/docs/', page],
    ['/docs/reference.css', createStaticFile('text/css; charset=utf-8', STYLESHEET)],
    ['/docs/reference.js', createStaticFile('text/javascript; charset=utf-8', script)],
  ])
}

async function renderPage(description: OpenApiDocument, config: Config): Promise<string> {
  const calls = callsOf(description)
  const { title, version } = description.info
  const operations = await mapInTurns(calls, (call) => operationSection(call, description, config.baseUrl))
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
<a class="skip" href="#main">Skip to main content</a>
<header><h1>${title} ${version}: API reference</h1><p>${description.info.description}</p></header>
<div class="columns">
<div class="side">${searchField()}${keyField()}${contents(calls)}</div>
<main id="main" tabindex="-1">
${startPart(config)}
${wordsPart()}
${clientsPart()}
<section id="operations"><h2>Operations</h2>
<p>In the curl examples, <code>$KEY</code> is your API key, and the ids are from a small installation.
<a href="#limits">Six headers are in every response</a>. The operations below list only other headers.</p>
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

/** The search of the script. */
function searchField(): Html {
  return html`<search class="scripted"><p><label for="search">Search operations, members and errors</label>
<input id="search" type="search" autocomplete="off" spellcheck="false">
<output id="found" for="search"></output></p><ul id="results"></ul></search>`
}

/** The field for the API key. It has no name and no form, so browsers neither send nor store its value. */
function keyField(): Html {
  return html`<aside class="scripted" aria-label="API key"><p><label for="key">Your API key</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-hint">
<small id="key-hint">Used by “Try it”. The key is not stored.</small></p></aside>`
}

function contents(calls: Call[]): Html {
  const operations = calls.map(
    ({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`,
  )
  return html`<nav aria-label="Contents"><details><summary>Contents</summary><ul>
<li><a href="#start">Get started</a></li>
<li><a href="#words">What the words mean</a></li>
<li><a href="#clients">Writing a client</a></li>
<li><a href="#operations">Operations</a><ul>${operations}</ul></li>
<li><a href="#schemas">Objects</a></li>
<li><a href="#errors">Errors</a></li>
<li><a href="#limits">Limits</a></li>
<li><a href="#deprecations">Deprecations</a></li>
<li><a href="#compatibility">Compatibility</a></li>
</ul></details></nav>`
}

/** The section on the objects of requests and responses. */
function schemasPart({ components }: OpenApiDocument): Html {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    const members = membersOf(schema, components.schemas)
    const values = schema.enum?.map((value) => html`<li><code>${value}</code></li>`)
    return entry(
      `schema-${name}`,
      html`<h3>${name}</h3>`,
      html`<p>${renderProse(schema.description)} ${members.length === 0 && html`<small>${typeOf(schema)}</small>`}</p>
${values && html`<ul>${values}</ul>`}
${members.length > 0 && fieldTable(html`Members of ${name}`, members)}`,
    )
  })
  return html`<section id="schemas"><h2>Objects</h2>${schemas}</section>`
}
