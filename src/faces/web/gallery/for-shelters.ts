import type { Context } from '../../../context.ts'
import type { App } from '../../../http/app.ts'
import { html } from '../../../http/html.ts'
import { pageHeaders } from '../page.ts'
import { galleryPage } from './frame.ts'
import type { Phrasing } from './phrases.ts'
import { newPage, sendGallery } from './send.ts'

const FOR_SHELTERS = '/for-shelters'

/** The page that tells shelters what the service does and how to join. Signing in is the last step. */
export function forSheltersRoute(app: App, context: Context): void {
  const headers = pageHeaders(context.config)
  app.get(FOR_SHELTERS, (request, reply) =>
    sendGallery(request, reply, context, async (phrasing) => newPage(forShelters(phrasing), { headers })),
  )
}

function forShelters({ language, texts }: Phrasing): string {
  const { title, lead, offers, joinTitle, join, ownTitle, own, api, signInTitle, signIn, help } =
    texts.gallery.forShelters
  return galleryPage({
    ...{ language, path: FOR_SHELTERS, title, description: lead },
    main: html`<div class="prose"><h1>${title}</h1>
<p class="lead">${lead}</p>
<ul>${offers.map((offer) => html`<li>${offer}</li>`)}</ul>
<h2>${joinTitle}</h2>
<ol>${join.map((step) => html`<li>${step}</li>`)}</ol>
<h2>${signInTitle}</h2>
<p><a class="button" href="/console">${signIn}</a></p>
<p class="hint">${help}</p>
<h2>${ownTitle}</h2>
<p>${own} <a href="/docs">${api}</a></p></div>`,
  })
}
