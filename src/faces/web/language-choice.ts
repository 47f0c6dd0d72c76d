import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { NO_STORE } from '../../http/cache-headers.ts'
import { type Html, html } from '../../http/html.ts'
import { LANGUAGES, type Language, languageCookie } from '../../http/language.ts'
import { textsOf } from './texts/texts.ts'

const pathOf = (language: Language): string => `/language/${language}`

/** Links to the other languages, each with its name in that language. */
export function languageLinks(current: Language): Html[] {
  return LANGUAGES.filter((language) => language !== current).map(
    (language) =>
      html`<a href="${pathOf(language)}" lang="${language}" hreflang="${language}" rel="nofollow">${textsOf(language).common.language}</a>`,
  )
}

/** Routes that store the chosen language in a cookie and redirect to the previous page. */
export function languageRoutes(app: App): void {
  for (const language of LANGUAGES)
    app.get(pathOf(language), { config: { open: true } }, (request, reply) =>
      reply
        .headers({ ...NO_STORE, 'set-cookie': languageCookie(language) })
        .redirect(refererPath(request), 303),
    )
}

/**
 * The path of the previous page. The path never leads to another site: it cannot begin with two slashes,
 * which would name a host.
 */
function refererPath({ headers: { referer = '' } }: FastifyRequest): string {
  const { pathname, search } = URL.parse(referer) ?? { pathname: '/', search: '' }
  return /^\/(?![/\\])/.test(pathname) ? pathname + search : '/'
}
