import type { FastifyRequest } from 'fastify'
import type { Config } from '../../../../config.ts'
import { type Html, html } from '../../../../http/html.ts'
import { MOST_PHOTOS } from '../../../../photos/schema.ts'
import { keptPhotos, type Photo, photosBeside, toPhoto } from '../../../../photos/storage/kept.ts'
import { PHOTO_TYPES } from '../../../../photos/upload.ts'
import type { Texts } from '../../texts/texts.ts'
import { wordsFor } from '../frame.ts'

const SIDE = 300

interface Photographed {
  /** Of its page. */
  path: string
  name: string
  /** As its row has them. */
  photos: string | null
  mayChange: boolean
}

/** The photos of an animal or an organization, the main one first, and a place for more. */
export function photosSection(
  config: Config,
  request: FastifyRequest,
  { path: page, name, photos, mayChange }: Photographed,
  problems: readonly string[] = [],
): Html {
  const { words } = wordsFor(request)
  const { animal } = words
  const shown = keptPhotos(photos).map((photo) => toPhoto(photo, photosBeside(config)))
  const path = `${page}/photos`
  const items = shown.map((photo, index) => {
    const place = { index, count: shown.length, name }
    return html`<li${mayChange && html` data-photo="${photo.id}"`}>${picture(photo, place, words)}
${mayChange && controls(`${path}/${photo.id}`, photo, place, words)}</li>`
  })
  return html`<section class="card" id="photos" aria-labelledby="of-photos" data-photos="${path}"><h2 id="of-photos">${animal.sections.photos}</h2>
${problems.length > 0 && html`<ul class="summary problem" role="alert" tabindex="-1">${problems.map((one) => html`<li>${one}</li>`)}</ul>`}
${items.length > 0 && html`<ol class="photos">${items}</ol>`}
${mayChange && (shown.length < MOST_PHOTOS ? upload(path, words) : html`<p>${words.errors.too_many_photos}</p>`)}</section>`
}

interface Place {
  index: number
  count: number
  name: string
}

function picture({ sizes, alt }: Photo, { index, name }: Place, { photos }: Texts['console']): Html {
  return html`<img src="${sizes.small}" alt="${alt ?? photos.numbered(name, index + 1)}" width="${SIDE}" height="${SIDE}" loading="lazy">`
}

function controls(path: string, { id, alt }: Photo, { index, count }: Place, words: Texts['console']): Html {
  const { photos } = words
  const number = index + 1
  const button = (what: string, sign: string, name: string) =>
    html`<button class="plain" name="do" value="${what}" aria-label="${name}" title="${name}">${sign}</button>`
  return html`<form method="post" action="${path}">
<label for="alt-${id}">${photos.alt(number)}</label>
<input id="alt-${id}" name="alt" value="${alt}" maxlength="500" placeholder="${photos.altHint}">
<div class="row">${button('alt', photos.saveAlt, photos.saveAltOf(number))}
${index > 0 && button('up', '←', photos.up(number))}
${number < count && button('down', '→', photos.down(number))}
${button('remove', '✕', photos.remove(number))}</div></form>`
}

function upload(path: string, { photos }: Texts['console']): Html {
  return html`<form class="upload" method="post" action="${path}" enctype="multipart/form-data" data-failed="${photos.failed}" data-progress="${photos.progress}">
<label for="files">${photos.add}</label>
<p class="hint" id="hint-files">${photos.addHint}</p>
<div class="row"><input id="files" type="file" name="photos" multiple accept="${PHOTO_TYPES.join()}" aria-describedby="hint-files">
<button>${photos.upload}</button></div></form>`
}
