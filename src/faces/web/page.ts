import type { Config } from '../../config.ts'
import { type Html, html, type Part } from '../../http/html.ts'
import type { Language } from '../../http/language.ts'
import { type AssetName, assetPath } from './assets.ts'
import { textsOf } from './texts/texts.ts'

/** A page for people, around its main part. */
export interface PageParts {
  language: Language
  /** Without the name of the service. */
  title: string
  /** For search engines and previews. */
  description?: string | undefined
  style: AssetName & `${string}.css`
  scripts?: (AssetName & `${string}.js`)[]
  /** Further elements of the head. */
  head?: Part
  /** What stands above the main part on all pages of its kind. */
  header: Part
  main: Part
  footer?: Part
}

export const HTML_TYPE = 'text/html; charset=utf-8'

/** The whole document. */
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

interface PolicyOptions {
  /** Whether pages of any site may show it in a frame. */
  framed?: boolean
}

/** What the browser lets a page do: nothing but what it needs, from nowhere but here. */
export function pageHeaders(config: Config, { framed = false }: PolicyOptions = {}): Record<string, string> {
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
    'cross-origin-opener-policy': 'same-origin',
    // With no-referrer our own forms would send `Origin: null`.
    'referrer-policy': 'same-origin',
    ...(!framed && { 'x-frame-options': 'DENY' }),
  }
}

/** A link of a list of links, marked where it leads to the page itself. */
export function navLink(path: string, text: string, current: string): Html {
  return html`<a href="${path}"${path === current && html` aria-current="page"`}>${text}</a>`
}
