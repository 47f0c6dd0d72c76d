import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { App } from '../../http/app.ts'
import { NO_STORE } from '../../http/cache-headers.ts'
import { type Html, html, type Part } from '../../http/html.ts'
import { LANGUAGES, type Language, languageCookie } from '../../http/language.ts'
import { photoOrigins } from '../../photos/storage/stored-photo.ts'
import { type AssetName, assetPath } from './assets.ts'
import { textsOf } from './texts/texts.ts'

export interface PageParts {
  language: Language
  /** The text of the title element. */
  title: string
  /** A description of the page for search engines and link previews. */
  description?: string | undefined
  style: AssetName & `${string}.css`
  scripts?: (AssetName & `${string}.js`)[]
  /** Further elements of the head. */
  head?: Part
  header: Part
  main: Part
  footer?: Part
}

export const HTML_TYPE = 'text/html; charset=utf-8'

/** Renders the whole HTML document. */
export function renderPage(parts: PageParts): string {
  const { language, title, description, style, scripts = [], head, header, main, footer } = parts
  const texts = textsOf(language)
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${description !== undefined && html`<meta name="description" content="${description}">`}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath(style)}">
${scripts.map((name) => html`<script type="module" src="${assetPath(name)}"></script>`)}
${head}
</head>
<body>
<a class="skip" href="#main">${texts.common.skip}</a>
${header}
<main id="main" tabindex="-1">
${main}
</main>
${footer}
</body>
</html>
`.text
}

interface PageHeaderOptions {
  /** Whether other sites may show the page in a frame. */
  framed?: boolean
  /**
   * Whether the page shares no window with the site that opens it. A sandboxed frame of a site builder cannot
   * open such a page, so public pages are not isolated.
   */
  isolated?: boolean
}

/**
 * The security headers of a page. They allow only the features and files that our pages need, all from this
 * server.
 */
export function pageHeaders(
  config: Config,
  { framed = false, isolated = false }: PageHeaderOptions = {},
): Record<string, string> {
  const photos = config.photosPublicUrl ? ` ${new URL(config.photosPublicUrl).origin}` : ''
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${photos}`,
    "connect-src 'self'",
    "form-action 'self'",
    `frame-ancestors ${framed ? '*' : "'none'"}`,
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    ...(isolated && { 'cross-origin-opener-policy': 'same-origin' }),
    // With no-referrer, browsers would send `Origin: null` from our own forms.
    'referrer-policy': 'same-origin',
    ...(!framed && { 'x-frame-options': 'DENY' }),
  }
}

/** Allows a page to load photos of copies from their sources. @param owners what the page shows */
export function allowPhotos(
  headers: Record<string, string>,
  owners: Parameters<typeof photoOrigins>[0],
): Record<string, string> {
  const policy = headers['content-security-policy'] ?? ''
  const origins = photoOrigins(owners).filter((origin) => !policy.includes(origin))
  const allowed = policy.replace("img-src 'self'", ["img-src 'self'", ...origins].join(' '))
  return origins.length > 0 ? { ...headers, 'content-security-policy': allowed } : headers
}

/** A navigation link, marked if it leads to the current page. */
export function navLink(path: string, text: string, current: string): Html {
  return html`<a href="${path}"${path === current && html` aria-current="page"`}>${text}</a>`
}

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
