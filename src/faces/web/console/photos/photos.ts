import type { FastifyRequest } from 'fastify'
import { changes } from '../../../../db/change.ts'
import { ApiError, isRefusal } from '../../../../errors.ts'
import { actorOf } from '../../../../http/caller.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { parseInt64 } from '../../../../http/int64.ts'
import { JSON_TYPE } from '../../../../http/send-error.ts'
import { createBodyValidator } from '../../../../http/validate.ts'
import { MAX_PHOTOS, PhotoPatch } from '../../../../photos/schema.ts'
import {
  type Photo,
  parsePhotos,
  photosBaseForPages,
  toPhoto,
} from '../../../../photos/storage/stored-photo.ts'
import { getPhotoIndex, type Owner } from '../../../../photos/store.ts'
import { PHOTO_TYPES, upload, uploadReader } from '../../../../photos/upload.ts'
import {
  type FormPhoto,
  type PhotoForm,
  receivePhotoForm,
  removeReceivedFiles,
} from '../../../../photos/upload-form.ts'
import type { Right } from '../../../../staff/roles.ts'
import { identifyStaff } from '../../../../staff/session-cookie.ts'
import type { Texts } from '../../texts/texts.ts'
import { callerMay, type Lookup, PREFIX, type Routes, type Visit } from '../visit.ts'

const SIDE_PX = 300

interface PhotoOwner {
  /** The path of the owner's page. */
  path: string
  name: string
  /** The stored value of the photos column. */
  photos: string | null
  mayChange: boolean
}

/** The photos of an animal or organization, the main one first, and the upload form. */
export function photosSection(
  { context, words }: Visit,
  { path: page, name, photos, mayChange }: PhotoOwner,
  problems: readonly string[] = [],
): Html {
  const { animal } = words
  const all = parsePhotos(photos).map((photo) => toPhoto(photo, photosBaseForPages(context.config)))
  const path = `${page}/photos`
  const items = all.map((photo, index) => {
    const place = { index, count: all.length, name }
    return html`<li${mayChange && html` data-photo="${photo.id}"`}>${picture(photo, place, words)}
${mayChange && controls(`${path}/${photo.id}`, photo, place, words)}</li>`
  })
  return html`<section class="card" id="photos" aria-labelledby="of-photos" data-photos="${path}"><h2 id="of-photos">${animal.sections.photos}</h2>
${problems.length > 0 && html`<ul class="summary problem" role="alert" tabindex="-1">${problems.map((one) => html`<li>${one}</li>`)}</ul>`}
${items.length > 0 && html`<ol class="photos">${items}</ol>`}
${mayChange && (all.length < MAX_PHOTOS ? uploadForm(path, words) : html`<p>${words.errors.too_many_photos}</p>`)}</section>`
}

interface PhotoPosition {
  index: number
  count: number
  name: string
}

function picture({ sizes, alt }: Photo, { index, name }: PhotoPosition, { photos }: Texts['console']): Html {
  return html`<a href="${sizes.large}"><img src="${sizes.small}" alt="${alt ?? photos.numbered(name, index + 1)}" width="${SIDE_PX}" height="${SIDE_PX}" loading="lazy"></a>`
}

function controls(
  path: string,
  { id, alt }: Photo,
  { index, count }: PhotoPosition,
  words: Texts['console'],
): Html {
  const { photos } = words
  const number = index + 1
  const button = (what: string, sign: string, name: string) =>
    html`<button class="plain" name="do" value="${what}" aria-label="${name}" title="${name}">${sign}</button>`
  return html`<form method="post" action="${path}">
<label for="alt-${id}">${photos.alt(number)}</label>
<input id="alt-${id}" name="alt" value="${alt}" maxlength="500" placeholder="${photos.altHint}">
<div class="row">${button('alt', photos.saveAlt, photos.saveAltOf(number))}
${index > 0 && button('first', photos.first, photos.makeFirst(number))}
${index > 1 && button('up', '←', photos.up(number))}
${number < count && button('down', '→', photos.down(number))}
${button('remove', photos.remove, photos.removeOf(number))}</div></form>`
}

function uploadForm(path: string, { photos }: Texts['console']): Html {
  return html`<form class="upload" method="post" action="${path}" enctype="multipart/form-data" data-failed="${photos.failed}" data-progress="${photos.progress}">
<label for="files">${photos.add}</label>
<p class="hint" id="hint-files">${photos.addHint}</p>
<div class="row">${fileInput()}
<button>${photos.upload}</button></div></form>`
}

/** The input for photos, with its label and hint in `label[for=files]` and `#hint-files`. */
const fileInput = (): Html =>
  html`<input id="files" type="file" name="photos" multiple accept="${PHOTO_TYPES.join()}" aria-describedby="hint-files">`

/** The photos of an animal that is being added. @param isAgain whether photos were sent before */
export function newPhotosField({ photos }: Texts['console'], isAgain: boolean): Html {
  return html`<div class="upload"><label for="files">${photos.add}</label>
<p class="${isAgain ? 'problem' : 'hint'}" id="hint-files">${isAgain ? photos.again : photos.newHint}</p>
${fileInput()}</div>`
}

/** The owner of the photos, and the page that shows them. */
export interface PhotoPage {
  /** The path of the page, with `:id` in it. */
  path: string
  /** @throws {ApiError} if the caller may not see the owner */
  owner(lookup: Lookup): Promise<{ owner: Owner; photos: string | null }>
  page(visit: Visit, problems: string[]): Promise<string>
}

/** The routes that add, move, describe and remove photos. */
export function changePhotos({ context, post }: Routes, own: PhotoPage): void {
  const path = `${own.path}/photos`
  const findOwner = ({ caller, params }: FastifyRequest) =>
    own.owner({ db: context.db, caller, params: params as Lookup['params'] })
  const readBody = uploadReader(context, findOwner, receivePhotoForm)
  post(path, (visit) => addPhotos(visit, own), { readBody })
  post(`${path}/:photoId`, (visit) => changeOne(visit, own))
}

async function addPhotos(visit: Visit, own: PhotoPage): Promise<unknown> {
  const { photos } = visit.request.body as PhotoForm
  const problems = await own
    .owner(visit)
    .then(({ owner }) => addAll(visit, photos, owner))
    .finally(() => removeReceivedFiles(photos))
  return answer(visit, photos.length > 0 ? problems : [visit.words.photos.none], own)
}

/** Adds photos one after another, in the order of the form. @returns the problems of refused photos */
export async function addAll(visit: Visit, received: FormPhoto[], owner: Owner): Promise<string[]> {
  const { caller, words } = visit
  const { raw, ip } = visit.request
  await requireSender(visit)
  const problems: string[] = []
  for (const [index, photo] of received.entries()) {
    const error =
      'error' in photo
        ? photo.error
        : await refusalOf(upload(visit.context, { caller, raw, ip, received: photo.received }, owner))
    if (error) problems.push(words.photos.wrong(index + 1, words.errors[error.code] ?? words.otherError))
  }
  return problems
}

/**
 * Checks the rights again after a form with photos, because it may take half an hour to arrive.
 * @throws {ApiError} insufficient_access
 */
export async function requireSender({ context, request }: Visit): Promise<void> {
  const sender = await identifyStaff(context, request.raw)
  const { needs } = request.routeOptions.config
  if (!sender || !callerMay(sender, needs as Right)) throw new ApiError('insufficient_access')
}

async function answer(visit: Visit, problems: string[], own: PhotoPage): Promise<unknown> {
  const { reply } = visit
  const status = problems.length > 0 ? 422 : 200
  // The upload script shows the problems itself.
  if (visit.request.headers.accept?.startsWith('application/json'))
    return reply.code(status).type(JSON_TYPE).send(JSON.stringify({ problems }))
  if (problems.length === 0) return reply.redirect(pathOf(visit, own, 'photosAdded'), 303)
  reply.code(status)
  return own.page(visit, problems)
}

function pathOf({ params }: Visit, { path }: PhotoPage, done: string): string {
  return `${PREFIX}${path.replace(':id', params.id)}?done=${done}#photos`
}

/** @returns the error of a refused photo; undefined if it was added */
async function refusalOf(adding: Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await adding
    return undefined
  } catch (error) {
    if (isRefusal(error)) return error
    throw error
  }
}

const validatePatch = createBodyValidator(PhotoPatch)

async function changeOne(visit: Visit, own: PhotoPage): Promise<unknown> {
  const { write, clock, reply, form } = visit
  const { owner, photos: text } = await own.owner(visit)
  const id = parseInt64(visit.params.photoId)
  if (id === undefined) throw new ApiError('photo_not_found')
  const target = [owner, id] as const
  const by = actorOf(visit.caller)
  if (form.get('do') === 'remove') {
    await write(changes.deletePhoto, ...target, by, clock()).catch(unlessGone)
    return reply.redirect(pathOf(visit, own, 'photoRemoved'), 303)
  }
  const photos = parsePhotos(text)
  const patch = patchOf(form, getPhotoIndex(photos, id), photos.length)
  const { error } = validatePatch(patch)
  if (error) {
    reply.code(400)
    return own.page(visit, [visit.words.photos.altWrong])
  }
  await write(changes.updatePhoto, ...target, patch, by, clock())
  return reply.redirect(pathOf(visit, own, 'photoChanged'), 303)
}

/** Ignores a photo that is already gone. On a double click, the second request finds no photo. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'photo_not_found') throw error
}

/** The patch for the clicked button. The patch includes the typed description, so moving a photo keeps it. */
function patchOf(form: FormBody, index: number, count: number): PhotoPatch {
  const alt = form.get('alt')?.trim()
  const what = form.get('do')
  const targets = new Map([
    ['first', 1],
    ['up', index],
    ['down', index + 2],
  ])
  const moved = targets.get(what ?? '') ?? Number(form.get('position') ?? index + 1)
  const position = Math.min(Math.max(Math.trunc(moved) || 1, 1), count)
  return {
    ...(alt !== undefined && { alt: alt === '' ? null : alt }),
    ...(position !== index + 1 && { position }),
  }
}
