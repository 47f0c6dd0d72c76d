import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import { actorOf } from '../http/caller.ts'
import { onceKey } from '../http/idempotency.ts'
import { publicBase } from '../http/link.ts'
import { isGone, keepNew } from './files.ts'
import { listToChange, type Owner } from './owners.ts'
import { EMPTY, type Received, requirePhotoType } from './receive.ts'
import type { Asking } from './renderer/turns.ts'
import { PATHS } from './schema.ts'
import { type Photo, photosAt, toPhoto } from './storage/kept.ts'
import { ALL_RENDITIONS, FIRST_RENDITIONS, fileName } from './storage/renditions.ts'
import { type Added, findSame, type NewPhoto, requireRoom, type SentPhoto } from './store.ts'

/** A request for a new photo, whose bytes were read. */
export type Adding = FastifyRequest<{ Body: Received | undefined; Querystring: { alt?: string } }>

/** A photo whose bytes were read, and who adds it. */
export type Sending = Pick<Adding, 'headers' | 'caller' | 'raw'> & {
  body: Received
  alt?: string | undefined
}

/** @throws {ApiError} whatever is wrong with the photo, or with its owner */
export async function add(
  context: Context,
  request: Adding,
  reply: FastifyReply,
  owner: Owner,
): Promise<Photo> {
  const { config } = context
  // A request without a type and a body is read by nobody: its type is judged here first.
  requirePhotoType(request)
  const { body } = request
  if (!body) throw new ApiError('invalid_image', { message: EMPTY })
  const write = (photo: NewPhoto | SentPhoto): Promise<Added> =>
    context.writeOnce(
      onceKey(request, reply),
      changes.addPhoto,
      owner,
      photo,
      actorOf(request.caller),
      context.clock(),
    )
  const { headers, caller, raw, query } = request
  const { photo, isNew } = await addSent(
    context,
    { headers, caller, raw, body, alt: query.alt },
    owner,
    write,
  )
  if (isNew) {
    const path = PATHS[owner.kind].path.replace(/:\w+/, String(owner.id))
    reply.code(201).header('location', `${publicBase(config, request)}${path}/${photo.id}`)
  }
  return toPhoto(photo, photosAt(config, request))
}

/** @param write makes the change `addPhoto` @throws {ApiError} as `add` */
export async function addSent(
  context: Context,
  sending: Sending,
  owner: Owner,
  write: WritePhoto,
): Promise<Added> {
  return (await findAdded(context, sending, owner, write)) ?? make(context, sending, write)
}

type WritePhoto = (photo: NewPhoto | SentPhoto) => Promise<Added>

/**
 * What a request without its files can be answered with: a photo of the same bytes, or what its
 * Idempotency-Key was answered with before. Else there is room for a new one.
 *
 * @throws {ApiError} too_many_photos, idempotency_key_reused, idempotency_key_in_use
 */
async function findAdded(
  { db }: Context,
  { body, headers, caller }: Sending,
  owner: Owner,
  write: WritePhoto,
): Promise<Added | undefined> {
  const { digest } = body
  if (headers['idempotency-key'] === undefined) {
    const photo = await findSame(db, owner, digest)
    if (photo) return { photo, isNew: false }
    requireRoom(await listToChange(db, owner, actorOf(caller)))
    return undefined
  }
  // What the key was answered with, only the change itself can tell.
  return write({ digest }).catch((error) => {
    if (!(error instanceof ApiError && error.code === 'photo_not_found')) throw error
    return undefined
  })
}

/** Makes the files of a photo and adds it. What turns out to be none of its own goes at once. */
async function make({ config, photos }: Context, sending: Sending, write: WritePhoto): Promise<Added> {
  const { body, alt } = sending
  const { file, digest } = body
  // Where files are read past this service, all have to be there: nobody would make those that are missing.
  const renditions = config.photosPublicUrl ? ALL_RENDITIONS : FIRST_RENDITIONS
  const made = await keepNew(photos, file, renditions, asking(sending))
  // What cannot be removed now goes as nobody's a day later.
  const remove = (): Promise<void> =>
    photos.store.remove(renditions.map((rendition) => fileName(made.hash, rendition))).catch(() => undefined)
  try {
    const added = await write({ digest, ...made, ...(alt !== undefined && { alt }) })
    if (added.photo.hash !== made.hash) await remove()
    return added
  } catch (error) {
    // Of a store that failed, nobody can say whether it has the photo.
    if (error instanceof ApiError && error.status < 500) await remove()
    throw error
  }
}

/** Keys of one organization take one turn. */
function asking({ caller, raw }: Sending): Asking {
  const { organizationId, name } = caller
  const whose = organizationId === undefined ? name : `organization:${organizationId}`
  return { caller: whose, isUpload: true, isGone: () => isGone(raw) }
}
