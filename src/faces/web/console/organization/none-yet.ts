import type { FastifyRequest } from 'fastify'
import { type Html, html } from '../../../../http/html.ts'
import { wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'

/** What a page says that needs an organization where there is none: the way to it, or who knows the way. */
export function noneYet(request: FastifyRequest, text: string): Html {
  const { organization } = wordsFor(request).words
  const way = callerMay(request.caller, 'addOrganizations')
    ? html`<a href="${PREFIX}/organizations/new">${organization.addFirst}</a>`
    : organization.adminAdds
  return html`<p class="card">${text} ${way}</p>`
}
