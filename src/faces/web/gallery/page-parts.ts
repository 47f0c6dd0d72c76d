import { type Html, html, type Part } from '../../../http/html.ts'
import type { Language } from '../../../http/language.ts'
import type { Organization } from '../../../organizations/schema.ts'
import { renditionOf, SIZES } from '../../../photos/storage/photo-files.ts'
import type { Photo } from '../../../photos/storage/stored-photo.ts'
import { assetPath } from '../assets.ts'
import { mailLink } from '../formats.ts'
import type { Texts } from '../texts/texts.ts'
import { countryWords, HOURS, type Phrasing } from './phrases.ts'

type Size = (typeof SIZES)[number]

/** The srcset of a photo. A small photo is not enlarged, so several renditions may have the same width. */
export function srcset(photo: Photo, sizes: readonly Size[] = SIZES): string {
  const widths = new Map(sizes.map((size) => [Math.min(photo.width, renditionOf(size).width), size]))
  return [...widths].map(([width, size]) => `${photo.sizes[size]} ${width}w`).join(', ')
}

/** All photos in a row. Visitors scroll by swiping, arrow keys or the thumbnail links, without a script. */
export function photoStrip({ gallery }: Texts, name: string, photos: Photo[] = []): Html {
  const [first] = photos
  if (!first)
    return html`<div class="photos"><div class="slide no-photo"><img src="${assetPath('no-photo.svg')}" alt="${
      gallery.noPhoto
    }" width="300" height="300"></div></div>`
  if (photos.length === 1)
    return html`<div class="photos"><div class="slide">${large(gallery, name, first, 0)}</div></div>`
  const label = (index: number): string => gallery.photo(index + 1, photos.length)
  return html`<div class="photos">
<div class="strip" tabindex="0" role="group" aria-label="${gallery.photos(name)}">${photos.map(
    (photo, index) =>
      html`<div class="slide" id="photo-${index + 1}">${large(gallery, name, photo, index)}</div>`,
  )}</div>
<ul class="thumbs">${photos.map(
    (photo, index) =>
      html`<li><a href="#photo-${index + 1}" aria-label="${label(index)}"><img src="${photo.sizes.small}" alt="" width="72" height="72" loading="lazy"></a></li>`,
  )}</ul>
</div>`
}

function large(gallery: Texts['gallery'], name: string, photo: Photo, index: number): Html {
  const { width, height, sizes, alt } = photo
  return html`<img src="${sizes.large}" srcset="${srcset(photo)}" sizes="(max-width: 60rem) 94vw, 42rem" alt="${
    alt ?? gallery.photoOf(name)
  }" width="${width}" height="${height}"${index === 0 ? html` fetchpriority="high"` : html` loading="lazy"`}>`
}

/** The size of a photo scaled down to a maximum width. */
export function scaled({ width, height }: Pick<Photo, 'width' | 'height'>, maxWidth: number) {
  const ratio = Math.min(1, maxWidth / width)
  return { width: Math.round(width * ratio), height: Math.max(1, Math.round(height * ratio)) }
}

type Contact = Pick<Organization, 'email' | 'phone'> & { name?: string }

/** Contact data as rows of a fact list. */
export function contactFacts({ texts: { gallery } }: Phrasing, { name, email, phone }: Contact): Html {
  return html`${name !== undefined && html`<dt>${gallery.contact}</dt><dd dir="auto">${name}</dd>`}${
    phone !== undefined && html`<dt>${gallery.phone}</dt><dd>${phoneLink(phone)}</dd>`
  }${email !== undefined && html`<dt>${gallery.email}</dt><dd>${mailLink(email)}</dd>`}`
}

/** The address, contact data and website of a shelter as rows of a fact list. */
export function shelterFacts(phrasing: Phrasing, shelter: Organization): Html {
  const { gallery } = phrasing.texts
  const { email, phone, website } = shelter
  const lines = addressLines(phrasing.language, shelter).map((line, index) => [index > 0 && html`<br>`, line])
  const contact = { ...(email !== undefined && { email }), ...(phone !== undefined && { phone }) }
  return html`${lines.length > 0 && html`<dt>${gallery.address}</dt><dd dir="auto">${lines}</dd>`}${contactFacts(
    phrasing,
    contact,
  )}${website !== undefined && html`<dt>${gallery.website}</dt><dd>${outwardLink(website, hostOf(website))}</dd>`}`
}

/** A link to a phone number in any notation; plain text if it has fewer than three digits. */
function phoneLink(phone: string): Part {
  const digits = phone.replace(/(?!^\+)\D/g, '')
  return digits.length >= 3 ? html`<a href="tel:${digits}">${phone}</a>` : phone
}

/** A link to another website, which the gallery does not endorse. */
export function outwardLink(address: string, words: string, className?: string): Html {
  return html`<a href="${address}" rel="noopener nofollow ugc"${className !== undefined && html` class="${className}"`}>${words}</a>`
}

/** Names and links the source of a copy. */
export function copiedFrom({ texts }: Pick<Phrasing, 'texts'>, { source }: { source?: string | null }): Part {
  if (!source) return undefined
  return html`<p class="muted">${texts.common.copiedFrom} ${outwardLink(source, hostOf(source))}</p>`
}

export function addressLines(language: Language, { address = {} }: Organization): string[] {
  const { street, city, region, postcode, country } = address
  const town = [city, [region, postcode].filter(Boolean).join(' ')].filter(Boolean).join(', ')
  return [street, town, country && countryWords(language, country)].filter(
    (line) => line !== undefined && line !== '',
  ) as string[]
}

/** The shelter as schema.org JSON-LD. */
export function shelterData(organization: Organization, url: string): object {
  const { name, email, phone, address, website, social, latitude, longitude, hours = {} } = organization
  const { street, city, region, postcode, country } = address ?? {}
  const elsewhere = [website, ...Object.values(social ?? {})].filter((one) => one !== undefined)
  const openingHours = Object.entries(hours).flatMap(([day, times = '']) =>
    HOURS.test(times)
      ? times.split(', ').map((range) => `${day.charAt(0).toUpperCase()}${day.charAt(1)} ${range}`)
      : [],
  )
  return {
    ...{ '@type': 'AnimalShelter', '@id': `${url}#shelter`, name, url },
    ...(email && { email }),
    ...(phone && { telephone: phone }),
    ...(address && {
      address: {
        ...{ '@type': 'PostalAddress', streetAddress: street, addressLocality: city },
        ...{ addressRegion: region, postalCode: postcode, addressCountry: country },
      },
    }),
    ...(latitude !== undefined && { geo: { '@type': 'GeoCoordinates', latitude, longitude } }),
    ...(openingHours.length > 0 && { openingHours }),
    ...(elsewhere.length > 0 && { sameAs: elsewhere }),
  }
}

/** The host of a URL without www; the text itself if it is not a URL. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host.replace(/^www\./, '') : address
}

/** A text as paragraphs, which are separated by empty lines. */
export function paragraphs(text: string): Html {
  const parts = text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n\s*/)
    .map((part) => part.trim())
    .filter(Boolean)
  return html`${parts.map((part) => html`<p dir="auto">${part.split('\n').map((line, index) => [index > 0 && html`<br>`, line])}</p>`)}`
}

/** Links to the first and the next page, if they exist. */
export function pageLinks({ gallery }: Texts, first: string | undefined, next: string | undefined): Part {
  if (first === undefined && next === undefined) return undefined
  return html`<nav class="pages" aria-label="${gallery.pages}">${
    first !== undefined && html`<a class="button plain" href="${first}">${gallery.first}</a>`
  }${next !== undefined && html`<a class="button" rel="next" href="${next}">${gallery.next}</a>`}</nav>`
}
