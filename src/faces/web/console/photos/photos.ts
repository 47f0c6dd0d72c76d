import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../../config.ts'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { actorOf } from '../../../../http/caller.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { int64 } from '../../../../http/int64.ts'
import { bodyJudge } from '../../../../http/judge-body.ts'
import { JSON_TYPE } from '../../../../http/send-error.ts'
import { MAX_PHOTOS, PhotoPatch } from '../../../../photos/schema.ts'
import { keptPhotos, type Photo, photosBeside, toPhoto } from '../../../../photos/storage/kept.ts'
import { indexOf, type Owner } from '../../../../photos/store.ts'
import { PHOTO_TYPES, upload, uploadReader } from '../../../../photos/upload.ts'
import { type FormPhoto, receiveForm, removeAll } from '../../../../photos/upload-form.ts'
import type { Texts } from '../../texts/texts.ts'
import { wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'

const SIDE = 300

interface PhotoOwner {
  /** The path of its page. */
  path: string
  name: string
  /** The column of its row. */
  photos: string | null
  mayChange: boolean
}

/** The photos of an animal or an organization, the main one first, and a place for more. */
export function photosSection(
  config: Config,
  request: FastifyRequest,
  { path: page, name, photos, mayChange }: PhotoOwner,
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
${mayChange && (shown.length < MAX_PHOTOS ? uploadForm(path, words) : html`<p>${words.errors.too_many_photos}</p>`)}</section>`
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

function uploadForm(path: string, { photos }: Texts['console']): Html {
  return html`<form class="upload" method="post" action="${path}" enctype="multipart/form-data" data-failed="${photos.failed}" data-progress="${photos.progress}">
<label for="files">${photos.add}</label>
<p class="hint" id="hint-files">${photos.addHint}</p>
<div class="row"><input id="files" type="file" name="photos" multiple accept="${PHOTO_TYPES.join()}" aria-describedby="hint-files">
<button>${photos.upload}</button></div></form>`
}

/** Whose photos are changed, and the page that shows them. */
export interface PhotoPage {
  /** The path of the page, with `:id` in it. */
  path: string
  /** @throws {ApiError} where the caller may not know of it */
  owner(request: FastifyRequest): Promise<{ owner: Owner; photos: string | null }>
  page(request: FastifyRequest, problems: string[]): Promise<string>
}

/** Adds photos, puts them in another order, says what they show, and removes them. */
export function changePhotos(app: App, context: Context, own: PhotoPage): void {
  const config = { readBody: uploadReader(context, (request) => own.owner(request), receiveForm) }
  const path = `${own.path}/photos`
  app.post(path, { config }, async (request, reply) => {
    const received = request.body as FormPhoto[]
    const problems = await addAll(context, request, received, own).finally(() => removeAll(received))
    return answer(request, reply, problems, own)
  })
  app.post(`${path}/:photoId`, (request, reply) => changeOne(context, request, reply, own))
}

/** One after the other, in the order in which they were chosen. @returns what is wrong with some */
async function addAll(
  context: Context,
  request: FastifyRequest,
  received: FormPhoto[],
  own: PhotoPage,
): Promise<string[]> {
  const { words } = wordsFor(request)
  const { owner } = await own.owner(request)
  const { caller, raw } = request
  const problems: string[] = []
  for (const [index, photo] of received.entries()) {
    const error =
      'error' in photo
        ? photo.error
        : await refusalOf(upload(context, { caller, raw, received: photo.received }, owner))
    if (error) problems.push(words.photos.wrong(index + 1, words.errors[error.code] ?? words.otherError))
  }
  return received.length > 0 ? problems : [words.photos.none]
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  problems: string[],
  own: PhotoPage,
): Promise<unknown> {
  const status = problems.length > 0 ? 422 : 200
  // A page that uploads by script has the words of its own place for them.
  if (request.headers.accept?.startsWith('application/json'))
    return reply.code(status).type(JSON_TYPE).send(JSON.stringify({ problems }))
  if (problems.length === 0) return reply.redirect(pathOf(request, own, 'photosAdded'), 303)
  reply.code(status)
  return own.page(request, problems)
}

function pathOf({ params }: FastifyRequest, { path }: PhotoPage, done: string): string {
  return `${PREFIX}${path.replace(':id', (params as { id: string }).id)}?done=${done}#photos`
}

/** @returns what is wrong with one photo; undefined when it was added */
async function refusalOf(adding: Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await adding
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  }
}

const judge = bodyJudge(PhotoPatch)

async function changeOne(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  own: PhotoPage,
): Promise<unknown> {
  const { owner, photos: text } = await own.owner(request)
  const form = request.body as FormBody
  const id = int64((request.params as { photoId: string }).photoId)
  if (id === undefined) throw new ApiError('photo_not_found')
  const target = [owner, id] as const
  const by = actorOf(request.caller)
  if (form.get('do') === 'remove') {
    await context.write(changes.deletePhoto, ...target, by, context.clock()).catch(unlessGone)
    return reply.redirect(pathOf(request, own, 'photoRemoved'), 303)
  }
  const photos = keptPhotos(text)
  const patch = patchOf(form, indexOf(photos, id), photos.length)
  const { error } = judge(patch)
  if (error) {
    reply.code(400)
    return own.page(request, [wordsFor(request).words.photos.altWrong])
  }
  await context.write(changes.updatePhoto, ...target, patch, by, context.clock())
  return reply.redirect(pathOf(request, own, 'photoChanged'), 303)
}

/** The second of two clicks finds no photo. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'photo_not_found') throw error
}

/** Whatever is done, what was typed as text goes along. */
function patchOf(form: FormBody, index: number, count: number): PhotoPatch {
  const alt = form.get('alt')?.trim()
  const what = form.get('do')
  const moved =
    what === 'up' ? index : what === 'down' ? index + 2 : Number(form.get('position') ?? index + 1)
  const position = Math.min(Math.max(Math.trunc(moved) || 1, 1), count)
  return {
    ...(alt !== undefined && { alt: alt === '' ? null : alt }),
    ...(position !== index + 1 && { position }),
  }
}
