import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { NO_STORE } from '../../http/cache-headers.ts'
import { type Html, html } from '../../http/html.ts'
import { LANGUAGES, type Language, languageCookie } from '../../http/language.ts'
import { textsOf } from './texts/texts.ts'

const pathOf = (language: Language): string => `/language/${language}`

/** Links for the foot of a page: the other languages, each by its own name. */
export function languageLinks(current: Language): Html[] {
  return LANGUAGES.filter((language) => language !== current).map(
    (language) =>
      html`<a href="${pathOf(language)}" lang="${language}" hreflang="${language}" rel="nofollow">${textsOf(language).common.language}</a>`,
  )
}

/** Has a browser keep the language that somebody chose, and leads back to the page that they came from. */
export function languageRoutes(app: App): void {
  for (const language of LANGUAGES)
    app.get(pathOf(language), { config: { open: true } }, (request, reply) =>
      reply
        .headers({ ...NO_STORE, 'set-cookie': languageCookie(language) })
        .redirect(pathBefore(request), 303),
    )
}

/** Of the page with the link, without its host, which two slashes would name too: nobody leaves this site. */
function pathBefore({ headers: { referer = '' } }: FastifyRequest): string {
  const { pathname, search } = URL.parse(referer) ?? { pathname: '/', search: '' }
  return /^\/(?![/\\])/.test(pathname) ? pathname + search : '/'
}
