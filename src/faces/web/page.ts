import type { Config } from '../../config.ts'
import { type Html, html, type Part } from '../../http/html.ts'
import type { Language } from '../../http/language.ts'
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

/** A navigation link, marked if it leads to the current page. */
export function navLink(path: string, text: string, current: string): Html {
  return html`<a href="${path}"${path === current && html` aria-current="page"`}>${text}</a>`
}
