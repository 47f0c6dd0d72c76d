import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../../config.ts'
import type { ApiError } from '../../../errors.ts'
import type { Face } from '../../../http/face.ts'
import { type Html, html } from '../../../http/html.ts'
import { LANGUAGE_VARY, type Language, languageOf } from '../../../http/language.ts'
import { languageLinks } from '../language-choice.ts'
import { HTML_TYPE, type PageParts, pageHeaders, renderPage } from '../page.ts'
import { textsOf } from '../texts/texts.ts'
import { PREFIX } from './pages.ts'

/** What stands below every page of the console. */
export const consoleFoot = (language: Language): Html =>
  html`<footer class="foot">${languageLinks(language)}</footer>`

/** A page of the console for somebody of whom nobody knows who it is. */
export function barePage(
  language: Language,
  title: string,
  main: Html,
  scripts: PageParts['scripts'] = [],
): string {
  const { console: words } = textsOf(language)
  return renderPage({
    language,
    title: `${title} – ${words.title}`,
    style: 'console.css',
    scripts,
    header: html`<header class="bar"><a class="home" href="${PREFIX}/">adoptable</a></header>`,
    main: html`<div class="narrow"><h1>${title}</h1>
${main}</div>`,
    footer: consoleFoot(language),
  })
}

/** An error in words, with a way back. */
export function consoleError(
  { status, code }: ApiError,
  headers: IncomingHttpHeaders,
  config: Config,
): ReturnType<Face['writeError']> {
  const language = languageOf(headers)
  const { common, console: words } = textsOf(language)
  const title = common.errorTitles[status] ?? common.errorTitles[status < 500 ? 400 : 500] ?? ''
  const advice = words.errors[code] ?? common.errorAdvice[status]
  const body = barePage(
    language,
    title,
    html`<p>${advice}</p>
<p><a href="${PREFIX}/">${words.toStart}</a></p>`,
  )
  return { type: HTML_TYPE, body, headers: { ...pageHeaders(config), vary: LANGUAGE_VARY } }
}

/** For a form that was sent after its session had ended. */
export function signedOutPage(headers: IncomingHttpHeaders): string {
  const language = languageOf(headers)
  const { signedOut } = textsOf(language).console
  return barePage(
    language,
    signedOut.title,
    html`<p>${signedOut.advice}</p>
<p><a class="button" href="${PREFIX}/sign-in" target="_blank" rel="noopener">${signedOut.link}</a></p>`,
  )
}
