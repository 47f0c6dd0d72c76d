import { readFile } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import type { App } from '../../http/app.ts'
import { type Held, hold, sendHeld } from '../../http/held.ts'
import { type Html, html, prose } from '../../http/html.ts'
import { JSON_TYPE } from '../../http/send-error.ts'
import { type Call, callsOf, type Description } from './reference/description.ts'
import { fieldTable, membersOf, typeOf } from './reference/fields.ts'
import {
  clientsPart,
  compatibilityPart,
  deprecationsPart,
  errorsPart,
  limitsPart,
  startPart,
} from './reference/guide.ts'
import { operationSection } from './reference/operation.ts'
import { STYLESHEET } from './reference/stylesheet.ts'

/** The page needs nothing from elsewhere, runs no script but its own, and is in nobody's frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The empty icon, which keeps browsers from asking for one.
  'img-src data:',
  // "Try it" sends to the server that the page came from.
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  // Forms are sent by the script; without it none may put what was typed into an address.
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  // A page in which somebody types a key is in no group with one of another origin that opened it.
  'cross-origin-opener-policy': 'same-origin',
  // Nobody outside has to know the address of a service that may be internal.
  'referrer-policy': 'no-referrer',
}

const PATHS = ['/docs', '/docs/', '/docs/reference.css', '/docs/reference.js']

/** Everybody may read this one: tools on web pages generate clients from it. */
export const DESCRIPTION = '/openapi.json'

/** What the API says of itself, without key: its description, and its reference under /docs. */
export function referenceRoutes(app: App, config: Config): void {
  let description: Held | undefined
  app.get(DESCRIPTION, async (request, reply) => {
    description ??= hold(JSON_TYPE, JSON.stringify(await app.describe()))
    return sendHeld(request, reply, description)
  })
  let files: Promise<Map<string, Held>> | undefined

  for (const path of PATHS) {
    app.get(path, async (request, reply) => {
      files ??= make(app, config)
      const held = (await files).get(path) as Held
      return sendHeld(request, reply.headers(HEADERS), held)
    })
  }
}

/** Made when somebody first asks, and held once, however many clients are slow to take it. */
async function make(app: App, config: Config): Promise<Map<string, Held>> {
  const script = await readFile(new URL('./reference/try-it.js', import.meta.url), 'utf8')
  const page = hold('text/html; charset=utf-8', renderPage((await app.describe()) as Description, config))
  return new Map([
    ['/docs', page],
    ['/docs/', page],
    ['/docs/reference.css', hold('text/css; charset=utf-8', STYLESHEET)],
    ['/docs/reference.js', hold('text/javascript; charset=utf-8', script)],
  ])
}

/** The whole reference, as one document. */
function renderPage(description: Description, config: Config): string {
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
