import { Html, html } from '../../../http/html.ts'
import type { Photo } from '../../../photos/storage/kept.ts'
import { scaled } from './cards.ts'
import type { Phrasing } from './phrases.ts'

/** What search engines and previews of links read of a page, and no person sees. */
interface Shared {
  phrasing: Phrasing
  /** Address of the page, with its host. */
  url: string
  title: string
  description: string
  photo: Photo | undefined
  /** The address that those without a host belong to. */
  origin: string
  /** What it is about, as schema.org has it. */
  data: object[]
}

export function sharedHead({ phrasing, url, title, description, photo, origin, data }: Shared): Html {
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

/** Previews of links know no WebP, and need the whole address. */
export function jpegOf({ sizes }: Photo, origin: string): string {
  return `${absolute(sizes.large, origin)}?format=jpeg`
}

export const absolute = (address: string, origin: string): string =>
  address.startsWith('/') ? origin + address : address

/** A block of data, which no browser runs; nothing in it can end it. */
function jsonLd(graph: object[]): Html {
  const text = JSON.stringify({ '@context': 'https://schema.org', '@graph': graph })
  const safe = text.replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return new Html(`<script type="application/ld+json">${safe}</script>`)
}

const MOST_CHARACTERS = 200

/** The beginning of a text, as long as a preview shows it. */
export function beginning(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const signs = [...line.slice(0, 2 * MOST_CHARACTERS)]
  return signs.length <= MOST_CHARACTERS
    ? line
    : `${signs
        .slice(0, MOST_CHARACTERS - 1)
        .join('')
        .trimEnd()}…`
}
