import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../../../http/html.ts'
import { barePage } from '../error-page.ts'
import { wordsFor } from '../frame.ts'

/** For whoever would sign in where a browser drops the cookie: over plain http, from another machine. */
export function needsHttps(request: FastifyRequest, reply: FastifyReply): string {
  const { language, words } = wordsFor(request)
  reply.code(403)
  const { title, advice, how } = words.signIn.needsHttps
  return barePage(
    language,
    title,
    html`<p>${advice}</p>
<ul>${how.map((way) => html`<li>${way}</li>`)}</ul>`,
  )
}
