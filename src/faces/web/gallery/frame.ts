import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../../config.ts'
import type { ApiError } from '../../../errors.ts'
import type { Face } from '../../../http/face.ts'
import { Html, html, type Part } from '../../../http/html.ts'
import { LANGUAGE_VARY, type Language, languageOf } from '../../../http/language.ts'
import type { Photo } from '../../../photos/storage/stored-photo.ts'
import { HTML_TYPE, languageLinks, navLink, type PageParts, pageHeaders, renderPage } from '../page.ts'
import { textsOf } from '../texts/texts.ts'
import { scaled } from './page-parts.ts'
import type { Phrasing } from './phrases.ts'

type GalleryPageParts = Pick<PageParts, 'title' | 'description' | 'head' | 'main' | 'scripts'> & {
  language: Language
  /** Path of the page. */
  path: string
}

/** A gallery page with its header and footer. */
export function galleryPage({ language, path, head, scripts = [], ...inside }: GalleryPageParts): string {
  return renderPage({
    ...inside,
    language,
    style: 'gallery.css',
    scripts: [...scripts, 'favorites.js'],
    head: html`<link rel="alternate" type="application/atom+xml" href="/animals.atom" title="${
      textsOf(language).gallery.feed
    }">
${head}`,
    header: header(language, path),
    footer: footer(language),
  })
}

const LOGO = html`<svg class="logo" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true"><path d="M16 3 3 13.6V28a1.5 1.5 0 0 0 1.5 1.5h23A1.5 1.5 0 0 0 29 28V13.6z" fill="currentColor"/><path class="heart" d="M16 25.2c-5-3.6-7.6-6-7.6-9a4 4 0 0 1 7.6-1.8 4 4 0 0 1 7.6 1.8c0 3-2.6 5.4-7.6 9z"/></svg>`

function header(language: Language, path: string): Html {
  const { common, gallery } = textsOf(language)
  const links: Part[] = [
    navLink('/animals', common.gallery, path),
    navLink('/for-shelters', common.staff, path),
  ]
  // The script adds a link to the favorites, and a button to each card.
  const words = html`data-favorites="${gallery.favorites}" data-favorite="${gallery.favorite}"`
  return html`<header class="top"><div class="bar"><a class="home" href="/">${LOGO}adoptable</a><nav ${words}>${links}</nav></div></header>`
}

function footer(language: Language): Html {
  const { gallery } = textsOf(language)
  return html`<footer class="foot"><p>${gallery.footer}</p><p><a href="/animals.atom">${gallery.feedLink}</a></p><p>${languageLinks(language)}</p></footer>`
}

/** Data for search engines and link previews. */
interface PreviewParts {
  phrasing: Phrasing
  /** Absolute URL of the page. */
  url: string
  title: string
  description: string
  photo: Photo | undefined
  /** Base of relative URLs. */
  origin: string
  /** schema.org JSON-LD about the page's subject. */
  data: object[]
}

export function sharedHead({ phrasing, url, title, description, photo, origin, data }: PreviewParts): Html {
  const image = photo && { url: jpegOf(photo, origin), ...scaled(photo, 1_200), alt: photo.alt ?? title }
  const page = {
    ...{ '@type': 'WebPage', '@id': url, url, name: title, description, inLanguage: phrasing.language },
    ...(image && {
      primaryImageOfPage: { '@type': 'ImageObject', contentUrl: image.url, caption: image.alt },
    }),
  }
  return html`<link rel="canonical" href="${url}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="adoptable">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
${
  image &&
  html`<meta property="og:image" content="${image.url}">
<meta property="og:image:width" content="${image.width}">
<meta property="og:image:height" content="${image.height}">
<meta property="og:image:alt" content="${image.alt}">
<meta name="twitter:card" content="summary_large_image">`
}
${jsonLd([page, ...data])}`
}

/** Absolute URL of a photo as JPEG, since link previews may not support WebP. */
export function jpegOf({ sizes }: Photo, origin: string): string {
  return `${absolute(sizes.large, origin)}?format=jpeg`
}

const absolute = (address: string, origin: string): string =>
  address.startsWith('/') ? origin + address : address

/** A JSON-LD block. Escaping keeps the data from closing the script element. */
function jsonLd(graph: object[]): Html {
  const text = JSON.stringify({ '@context': 'https://schema.org', '@graph': graph })
  const safe = text.replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return new Html(`<script type="application/ld+json">${safe}</script>`)
}

const MAX_CHARACTERS = 200

/** The first characters of a text, for previews. Ends after a whole word, if the word is not very long. */
export function excerpt(text: string, max = MAX_CHARACTERS): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const signs = [...line.slice(0, 2 * max)]
  if (signs.length <= max) return line
  const start = signs.slice(0, max - 1).join('')
  return `${start.replace(/ \S{0,30}$/, '').trimEnd()}…`
}

function wantsPage({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.includes('text/html')
}

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
