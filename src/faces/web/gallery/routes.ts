import type { Context } from '../../../context.ts'
import type { App } from '../../../http/app.ts'
import { html } from '../../../http/html.ts'
import { assetRoutes } from '../assets.ts'
import { breedsRoute } from '../breeds.ts'
import { languageRoutes, pageHeaders } from '../page.ts'
import { animalRoute } from './animal-page.ts'
import { openGallery } from './animals.ts'
import { applyRoutes } from './apply.ts'
import { embedRoutes } from './embed.ts'
import { favoritesRoutes } from './favorites-page.ts'
import { galleryPage } from './frame.ts'
import { listRoutes } from './list-page.ts'
import type { Phrasing } from './phrases.ts'
import { newPage, sendGallery } from './send.ts'
import { shelterRoute } from './shelter-page.ts'
import { feedRoute, sitemapRoutes } from './xml.ts'

/** Adds the public pages. They need no key. Requests count against the limit of the client's IP address. */
export function galleryRoutes(app: App, context: Context): void {
  const gallery = openGallery(context)
  assetRoutes(app)
  languageRoutes(app)
  listRoutes(app, gallery)
  animalRoute(app, gallery)
  shelterRoute(app, gallery)
  breedsRoute(app, gallery)
  favoritesRoutes(app, gallery)
  forSheltersRoute(app, context)
  feedRoute(app, gallery)
  sitemapRoutes(app, context)
  embedRoutes(app, gallery)
  applyRoutes(app, context)
}

const FOR_SHELTERS = '/for-shelters'

/** The page that explains to shelters what the service does and how to join. Signing in is the last step. */
function forSheltersRoute(app: App, context: Context): void {
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
