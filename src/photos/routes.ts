import { rm } from 'node:fs/promises'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { actorOf } from '../http/caller.ts'
import { publicBaseUrl, type ReadBody } from '../http/face.ts'
import { readIdempotencyKey } from '../http/idempotency.ts'
import { parseInt64 } from '../http/int64.ts'
import { BETA, Type } from '../http/type.ts'
import { type OwnerPath, ownerPath, PATHS, PhotoPatch, PhotoQuery, photoPath } from './schema.ts'
import { Photo, Photos, photosBaseUrl, type StoredPhoto, toPhoto } from './storage/stored-photo.ts'
import { getPhotoIndex, list, listToChange, type Owner, type OwnerKind, ownerOf } from './store.ts'
import {
  emptyBody,
  PHOTO_TYPES,
  type ReceivedPhoto,
  receivePhoto,
  requirePhotoType,
  upload,
  uploadReader,
} from './upload.ts'

/** The routes for the photos of animals and of organizations. */
export function photoRoutes(app: App, context: Context): void {
  const readBody = photoReader(context)
  for (const kind of Object.keys(PATHS) as OwnerKind[]) {
    listPhotos(app, context, kind)
    addPhoto(app, context, kind, readBody)
    photoItemRoutes(app, context, kind)
  }
}

const ownerIn = ({ petId, organizationId = '' }: OwnerPath): Owner =>
  petId === undefined ? ownerOf('organization', organizationId) : ownerOf('pet', petId)

/** @throws {ApiError} photo_not_found when the path has no valid id */
function photoIdIn({ photoId }: { photoId: string }): number {
  const id = parseInt64(photoId)
  if (id === undefined) throw new ApiError('photo_not_found')
  return id
}

function listPhotos(app: App, { config, db }: Context, kind: OwnerKind): void {
  const { path, owner, of, operation } = PATHS[kind]
  const schema = {
    operationId: `list${operation}Photos`,
    summary: `List the photos of ${of}`,
    ...BETA,
    params: ownerPath(owner),
    response: { 200: Photos },
  }
  app.get(path, { schema }, async (request) => {
    const photos = await list(db, ownerIn(request.params))
    return photos.map((photo) => toPhoto(photo, photosBaseUrl(config, request)))
  })
}

function addPhoto(app: App, context: Context, kind: OwnerKind, readBody: ReadBody): void {
  const { path, owner, of, operation } = PATHS[kind]
  const schema = {
    operationId: `add${operation}Photo`,
    summary: `Add a photo to ${of}`,
    description:
      'The body is a picture of at most 15 MB and 50 million pixels. The service turns the picture upright, ' +
      'scales it down and encodes it again. It removes all metadata (EXIF, GPS, ICC, comments). A picture ' +
      'that the animal or organization already has is not added again: the answer is 200 with that photo.',
    ...BETA,
    consumes: PHOTO_TYPES,
    params: ownerPath(owner),
    querystring: PhotoQuery,
    body: Type.Unsafe<ReceivedPhoto | undefined>({}),
    response: { 200: Photo, 201: Photo },
  }
  const errors = {
    409: 'The owner already has 20 photos.',
    415: 'The body has another type.',
    422: 'The body is not a usable picture.',
  }
  const config = { errors, readBody }
  app.post(path, {
    ...{ config, schema },
    // Also runs for a request with an invalid query, because the body is received before the query is
    // checked.
    onError: ({ body }) => removeReceived(body),
    handler: async (request, reply) => {
      const { params, query, body: received, caller, raw, ip } = request
      if (!received) {
        // Without a body, `readBody` did not run, so it did not check the type.
        requirePhotoType(request)
        throw emptyBody()
      }
      const owner = ownerIn(params)
      const sent = { caller, raw, ip, key: readIdempotencyKey(request, reply), received, alt: query.alt }
      const { photo, isNew } = await upload(context, sent, owner)
      if (isNew) {
        const address = publicBaseUrl(context.config, request) + path.replace(/:\w+/, String(owner.id))
        reply.code(201).header('location', `${address}/${photo.id}`)
      }
      await removeReceived(received)
      return toPhoto(photo, photosBaseUrl(context.config, request))
    },
  })
}

async function removeReceived(received: ReceivedPhoto | undefined): Promise<void> {
  if (received) await rm(received.file, { force: true })
}

function photoReader(context: Context): ReadBody {
  async function check(request: FastifyRequest): Promise<void> {
    requirePhotoType(request)
    // Does not check the number of photos yet, because the owner may already have this picture.
    await listToChange(context.db, ownerIn(request.params as OwnerPath), actorOf(request.caller))
  }
  return uploadReader(context, check, async (request, payload, store): Promise<ReceivedPhoto> => {
    const received = await receivePhoto(request, payload, store)
    if (request.headers['idempotency-key'] !== undefined) request.fingerprint = received.digest
    return received
  })
}

function photoItemRoutes(app: App, context: Context, kind: OwnerKind): void {
  const { config, db, write, writeOnce, clock } = context
  const { path, owner, of, operation } = PATHS[kind]
  const url = `${path}/:photoId`
  const params = photoPath(owner)

  const get = {
    operationId: `get${operation}Photo`,
    summary: `Get a photo of ${of}`,
    ...{ ...BETA, params, response: { 200: Photo } },
  }
  app.get(url, { schema: get }, async (request) => {
    const photos = await list(db, ownerIn(request.params))
    const index = getPhotoIndex(photos, photoIdIn(request.params))
    return toPhoto(photos[index] as StoredPhoto, photosBaseUrl(config, request))
  })

  const update = {
    operationId: `update${operation}Photo`,
    summary: `Change the alt text or position of a photo of ${of}`,
    ...BETA,
    consumes: ['application/merge-patch+json', 'application/json'],
    ...{ params, body: PhotoPatch, response: { 200: Photo } },
  }
  app.patch(url, { schema: update }, async (request, reply) => {
    const target = [ownerIn(request.params), photoIdIn(request.params)] as const
    const [by, now] = [actorOf(request.caller), clock()]
    const key = readIdempotencyKey(request, reply)
    const photo = await writeOnce(key, changes.updatePhoto, ...target, request.body, by, now)
    return toPhoto(photo, photosBaseUrl(config, request))
  })

  const remove = {
    operationId: `delete${operation}Photo`,
    summary: `Remove a photo of ${of}`,
    description: 'The service removes its files within seconds. Caches may keep them for a year.',
    ...{ ...BETA, params, response: { 204: { type: 'null', description: 'The photo was removed.' } } },
  }
  app.delete(url, { schema: remove }, async ({ params, caller }, reply) => {
    await write(changes.deletePhoto, ownerIn(params), photoIdIn(params), actorOf(caller), clock())
    return reply.code(204).send()
  })
}
