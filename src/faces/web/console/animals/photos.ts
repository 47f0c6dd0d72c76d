import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { actorOf } from '../../../../http/caller.ts'
import type { ReadBody } from '../../../../http/face.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { JSON_TYPE } from '../../../../http/send-error.ts'
import { int64, validatorCompiler } from '../../../../http/validate.ts'
import { keptPhotos } from '../../../../photo-files/kept.ts'
import { addSent } from '../../../../photos/add.ts'
import { type Received, receiver } from '../../../../photos/receive.ts'
import { type FormPhoto, receiveForm, removeAll } from '../../../../photos/receive-form.ts'
import { PhotoPatch } from '../../../../photos/schema.ts'
import { indexOf } from '../../../../photos/store.ts'
import { wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { ownAnimal } from './own.ts'
import { animalPage } from './page.ts'

type Stored = Awaited<ReturnType<typeof ownAnimal>>

/** Adds photos of an animal, puts them in another order, says what they show, and removes them. */
export function changePhotos(app: App, context: Context): void {
  const config = { readBody: reader(context) }
  app.route({
    ...{ method: 'POST', url: '/animals/:id/photos', config },
    handler: async (request, reply) => {
      const received = request.body as FormPhoto[]
      const problems = await addAll(context, request, received).finally(() => removeAll(received))
      return answer(context, request, reply, problems)
    },
  })
  app.post('/animals/:id/photos/:photoId', (request, reply) => changeOne(context, request, reply))
}

/** Reads the pictures into files, once it is known that they may be added. */
function reader(context: Context): ReadBody {
  const receive = receiver(() => context.photos.store, receiveForm)
  async function read(request: FastifyRequest, payload: Parameters<ReadBody>[1]): Promise<FormPhoto[]> {
    await ownAnimal(context, request)
    context.photos.renderer.warm()
    return receive(request, payload)
  }
  return (request, payload, done) => {
    read(request, payload).then(
      (received) => done(null, received),
      (error) => {
        payload.resume()
        done(error)
      },
    )
  }
}

/** One after the other, in the order in which they were chosen. @returns what is wrong with some */
async function addAll(context: Context, request: FastifyRequest, received: FormPhoto[]): Promise<string[]> {
  const { words } = wordsFor(request)
  const problems: string[] = []
  for (const [index, photo] of received.entries()) {
    const error = 'error' in photo ? photo.error : await add(context, request, photo)
    if (error) problems.push(words.photos.wrong(index + 1, words.errors[error.code] ?? error.message))
  }
  return received.length > 0 ? problems : [words.photos.none]
}

async function answer(context: Context, request: FastifyRequest, reply: FastifyReply, problems: string[]) {
  // A page that uploads by script has the words of its own place for them.
  if (request.headers.accept?.startsWith('application/json'))
    return reply
      .code(problems.length > 0 ? 422 : 200)
      .type(JSON_TYPE)
      .send(JSON.stringify({ problems }))
  const stored = await ownAnimal(context, request)
  if (problems.length === 0) return reply.redirect(pathOf(stored, 'photosAdded'), 303)
  reply.code(422)
  return animalPage(context, request, stored, { photoProblems: problems })
}

const pathOf = ({ id }: Stored, done: string): string => `${PREFIX}/animals/${id}?done=${done}#photos`

/** @returns what is wrong with it */
async function add(
  context: Context,
  request: FastifyRequest,
  { received }: { received: Received },
): Promise<ApiError | undefined> {
  const { caller, raw } = request
  const owner = { kind: 'pet', id: (await ownAnimal(context, request)).id } as const
  try {
    await addSent(context, { headers: {}, caller, raw, body: received }, owner, (photo) =>
      context.write('addPhoto', owner, photo, actorOf(caller), context.clock()),
    )
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  }
}

const validate = validatorCompiler({ schema: PhotoPatch, httpPart: 'body', method: 'POST', url: '' }) as (
  body: unknown,
) => { error?: Error }

async function changeOne(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const stored = await ownAnimal(context, request)
  const form = request.body as FormBody
  const id = int64((request.params as { photoId: string }).photoId)
  if (id === undefined) throw new ApiError('photo_not_found')
  const target = [{ kind: 'pet', id: stored.id }, id] as const
  const by = actorOf(request.caller)
  if (form.get('do') === 'remove') {
    await context.write('deletePhoto', ...target, by, context.clock()).catch(unlessGone)
    return reply.redirect(pathOf(stored, 'photoRemoved'), 303)
  }
  const photos = keptPhotos(stored.photos)
  const patch = patchOf(form, indexOf(photos, id), photos.length)
  const { error } = validate(patch)
  if (error) {
    reply.code(400)
    const { words } = wordsFor(request)
    return animalPage(context, request, stored, { photoProblems: [words.photos.altWrong] })
  }
  await context.write('updatePhoto', ...target, patch, by, context.clock())
  return reply.redirect(pathOf(stored, 'photoChanged'), 303)
}

/** Of two clicks the second finds nothing more. */
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
