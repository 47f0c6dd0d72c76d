import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../config.ts'
import type { ApiError } from '../../errors.ts'
import type { Face } from '../../http/face.ts'
import { html } from '../../http/html.ts'
import { LANGUAGE_VARY, languageOf } from '../../http/language.ts'
import { galleryPage } from './gallery/frame.ts'
import { HTML_TYPE, pageHeaders } from './page.ts'
import { textsOf } from './texts/texts.ts'

function wantsPage({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.includes('text/html')
}

/** An error as an HTML page. */
function errorPage(
  { status }: ApiError,
  headers: IncomingHttpHeaders,
  config: Config,
): ReturnType<Face['writeError']> {
  const language = languageOf(headers)
  const { common } = textsOf(language)
  const title = common.errorTitles[status] ?? common.errorTitles[status < 500 ? 400 : 500] ?? ''
  const body = galleryPage({
    ...{ language, title, path: '' },
    main: html`<h1>${title}</h1>
<p>${common.errorAdvice[status]}</p>
<p><a class="button" href="/animals">${common.toGallery}</a></p>`,
  })
  return { type: HTML_TYPE, body, headers: { ...pageHeaders(config), vary: `Accept, ${LANGUAGE_VARY}` } }
}

/** Writes errors for addresses that people and programs use. The error is HTML if the client accepts HTML. */
export function errorsFor(config: Config, forPrograms: Face['writeError']): Face['writeError'] {
  return (error, headers) =>
    headers && wantsPage(headers) ? errorPage(error, headers, config) : forPrograms(error)
}
