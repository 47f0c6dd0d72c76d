import type { FastifyRequest } from 'fastify'
import { html, type Part } from '../../../http/html.ts'
import { consolePage, wordsFor } from './frame.ts'

interface Shown {
  title: string
  lead: string
  label: string
  /** A link or a key: never in an address, and nowhere else. */
  secret: string
  more?: Part
  back: { path: string; text: string }
}

/** What is shown this once, to be copied. */
export function shownOnce(
  request: FastifyRequest,
  { title, lead, label, secret, more, back }: Shown,
): string {
  const { words } = wordsFor(request)
  return consolePage(request, {
    title,
    main: html`<div class="narrow"><h1>${title}</h1>
<p class="lead">${lead}</p>
<div class="card"><label for="secret">${label}</label>
<div class="secret"><textarea id="secret" rows="2" readonly autocomplete="off" spellcheck="false">${secret}</textarea>
<button class="plain" type="button" data-copies="secret" data-copied="${words.people.copied}" hidden>${words.people.copy}</button></div>
<p class="hint" role="status"></p>
<p>${words.people.onlyOnce}</p>${more}</div>
<p><a href="${back.path}">${back.text}</a></p></div>`,
  })
}
