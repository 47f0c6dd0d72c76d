import type { Context } from '../../../context.ts'
import type { App } from '../../../http/app.ts'
import { assetRoutes } from '../assets.ts'
import { languageOf } from '../language.ts'
import { HTML_TYPE, pageHeaders } from '../page.ts'
import { textsOf } from '../texts/texts.ts'
import { applyRoutes } from './apply.ts'
import { galleryPage } from './frame.ts'

/** Pages for the public: nobody needs a key, and each address is limited. */
export function galleryRoutes(app: App, context: Context): void {
  assetRoutes(app)
  applyRoutes(app, context)
  const headers = pageHeaders(context.config)
  app.get('/', (request, reply) => {
    const language = languageOf(request.headers)
    const { gallery } = textsOf(language)
    reply.headers(headers).type(HTML_TYPE)
    return galleryPage({ language, path: '/', title: gallery.title, main: undefined })
  })
}
