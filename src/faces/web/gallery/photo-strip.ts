import { type Html, html } from '../../../http/html.ts'
import type { Photo } from '../../../photos/storage/kept.ts'
import { renditionOf, SIZES } from '../../../photos/storage/renditions.ts'
import { assetPath } from '../assets.ts'
import type { Texts } from '../texts/texts.ts'

type Size = (typeof SIZES)[number]

/** A photo in several sizes, each with how wide it really is; nothing is made wider than it came. */
export function srcset(photo: Photo, sizes: readonly Size[] = SIZES): string {
  const widths = new Map(sizes.map((size) => [Math.min(photo.width, renditionOf(size).width), size]))
  return [...widths].map(([width, size]) => `${photo.sizes[size]} ${width}w`).join(', ')
}

/**
 * All photos beside each other: to swipe, to scroll with the arrow keys, and to reach by links, without a
 * script.
 */
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
