import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Context } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { RenderClient, RenderSteps } from './renderer/fair-queue.ts'
import type { RenderedSize } from './renderer/render-channel.ts'
import { newWorkFile } from './storage/folder.ts'
import type { PhotoFiles } from './storage/open.ts'
import { FIRST_RENDITIONS, fileName, type Rendition } from './storage/photo-files.ts'
import { listUsedHashes } from './store.ts'

// Makes the files of photos, from an upload or from the largest stored file.

/**
 * Reports an error of the disk or bucket: full, read-only or gone.
 * @throws {ApiError} service_unavailable; an ApiError is thrown as it is
 */
export function throwUnavailable(cause: unknown): never {
  throw cause instanceof ApiError ? cause : new ApiError('service_unavailable', { cause })
}

/**
 * True if the client no longer waits for the answer. A client that has closed only its sending side could
 * still read the answer, but hardly any client does.
 */
export const isClientGone = ({ socket }: IncomingMessage): boolean => socket.destroyed || socket.readableEnded

/**
 * Makes and stores the first files of a new photo.
 * @param source path of the picture
 * @param client the uploading client; absent in a command
 * @returns the size of the photo in pixels, and the hash that its file names begin with: 128 random bits
 * @throws {ApiError} invalid_image, service_unavailable
 */
export async function renderNewPhoto(
  files: PhotoFiles,
  source: string,
  renditions: readonly Rendition[] = FIRST_RENDITIONS,
  client?: RenderClient,
): Promise<RenderedSize & { hash: string }> {
  const hash = randomBytes(16).toString('hex')
  return { hash, ...(await makeRenditions(files, source, hash, renditions, client)) }
}

/**
 * Makes missing files of a photo from its largest file. Concurrent requests for a file wait for the same
 * work. If the photo is removed in the meantime, its new files are removed too.
 * @throws {ApiError} photo_not_found, invalid_image, service_unavailable
 */
export async function renderMissing(
  { db, photos }: Pick<Context, 'db' | 'photos'>,
  hash: string,
  renditions: readonly Rendition[],
  { isGone = () => false, ...client }: RenderClient,
): Promise<void> {
  const { making } = photos
  const running = renditions.map((rendition) => making.get(fileName(hash, rendition)))
  for (const one of running) one?.clients.push(isGone)
  const missing = renditions.filter((_, index) => !running[index])
  if (missing.length === 0) return void (await Promise.all(running.map((one) => one?.done)))
  // The work continues while at least one of the clients is connected.
  const clients = [isGone]
  const sharedClient = { ...client, isGone: () => clients.every((isGone) => isGone()) }
  const done = renderAndStore({ db, photos }, hash, missing, sharedClient)
  for (const rendition of missing) making.set(fileName(hash, rendition), { done, clients })
  try {
    await Promise.all([...running.map((one) => one?.done), done])
  } finally {
    for (const rendition of missing) making.delete(fileName(hash, rendition))
  }
}

async function renderAndStore(
  { db, photos }: Pick<Context, 'db' | 'photos'>,
  hash: string,
  renditions: readonly Rendition[],
  client: RenderClient,
): Promise<void> {
  const { store } = photos
  const requirePhoto = async (): Promise<void> => {
    if (!(await listUsedHashes(db, [hash])).has(hash)) throw new ApiError('photo_not_found')
  }
  const source = await newWorkFile(store).catch(throwUnavailable)
  const copyLargest = async (): Promise<void> => {
    const largest = await store.read(fileName(hash, 'full')).catch(throwUnavailable)
    if (!largest) throw new ApiError('photo_not_found')
    await pipeline(largest.bytes, createWriteStream(source)).catch(throwUnavailable)
  }
  try {
    const steps = { prepare: copyLargest, onTurn: requirePhoto }
    await makeRenditions(photos, source, hash, renditions, client, steps)
  } finally {
    await rm(source, { force: true })
  }
  try {
    // The job `removedPhotos` may have run before the new files existed. If the row still exists now, a later
    // removal also removes the new files.
    await requirePhoto()
  } catch (error) {
    await store.remove(renditions.map((rendition) => fileName(hash, rendition))).catch(throwUnavailable)
    throw error
  }
}

async function makeRenditions(
  { store, renderer }: PhotoFiles,
  source: string,
  hash: string,
  renditions: readonly Rendition[],
  client?: RenderClient,
  steps?: RenderSteps,
): Promise<RenderedSize> {
  const files = await Promise.all(
    renditions.map(async (rendition) => ({ rendition, file: await newWorkFile(store) })),
  )
  try {
    const rendered = await renderer.render({ source, renditions: files }, client, steps)
    for (const { rendition, file } of files) await store.put(fileName(hash, rendition), file)
    return rendered
  } catch (error) {
    return throwUnavailable(error)
  } finally {
    for (const { file } of files) await rm(file, { force: true })
  }
}
