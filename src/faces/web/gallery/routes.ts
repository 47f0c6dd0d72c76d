import type { Context } from '../../../context.ts'
import type { App } from '../../../http/app.ts'
import { assetRoutes } from '../assets.ts'
import { breedsRoute } from '../breeds.ts'
import { languageRoutes } from '../language-choice.ts'
import { animalRoute } from './animal-page.ts'
import { openGallery } from './animals.ts'
import { applyRoutes } from './apply.ts'
import { embedRoutes } from './embed.ts'
import { favoritesRoutes } from './favorites-page.ts'
import { forSheltersRoute } from './for-shelters.ts'
import { listRoutes } from './list-page.ts'
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
